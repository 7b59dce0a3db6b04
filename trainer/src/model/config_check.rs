//! Which configurations can be built, and which images they take.

use super::config::{ConfigError, DecoderConfig, HybridEncoderConfig, RtDetrConfig};

/// Pixels per cell of the coarsest map the encoder makes; image sides are multiples of it.
pub const SIDE_MULTIPLE: i64 = 32;

/// Feature maps that the backbone hands to the encoder.
pub const BACKBONE_LEVELS: usize = 3;

impl RtDetrConfig {
    /// Checks that a network can be built.
    ///
    /// # Errors
    /// The first fault found, with field, value and what would work.
    pub fn validate(&self) -> Result<(), ConfigError> {
        at_least("num_classes", self.num_classes, 1)?;
        self.backbone.validate()?;
        self.encoder.validate()?;
        self.decoder.validate()?;
        match self.eval_spatial_size {
            Some([height, width]) => self.check_image_size(height, width),
            None => Ok(()),
        }
    }

    /// Checks that images of `height` x `width` pixels fit the network.
    ///
    /// # Errors
    /// A side that is not a multiple of 32, or fewer cells than queries.
    pub fn check_image_size(&self, height: i64, width: i64) -> Result<(), ConfigError> {
        let reason = "the coarsest feature map has one cell per 32 pixels";
        for (field, side) in [("height of the images", height), ("width of the images", width)] {
            at_least(field, side, SIDE_MULTIPLE)?;
            multiple(field, side, SIDE_MULTIPLE, reason)?;
        }
        let cells = self.decoder.cells(height, width);
        if cells < self.decoder.num_queries {
            return Err(ConfigError::MoreQueriesThanCells {
                queries: self.decoder.num_queries,
                height,
                width,
                cells,
            });
        }
        Ok(())
    }
}

impl HybridEncoderConfig {
    fn validate(&self) -> Result<(), ConfigError> {
        at_least("encoder.nhead", self.nhead, 1)?;
        at_least("encoder.hidden_dim", self.hidden_dim, 4)?;
        multiple(
            "encoder.hidden_dim",
            self.hidden_dim,
            self.nhead,
            "every attention head has the same width",
        )?;
        multiple(
            "encoder.hidden_dim",
            self.hidden_dim,
            4,
            "the position table has sine and cosine of two axes",
        )?;
        at_least("encoder.dim_feedforward", self.dim_feedforward, 1)?;
        within("encoder.dropout", self.dropout, 0., 1.)?;
        within("encoder.expansion", self.expansion, 1. / self.hidden_dim as f64, 4.)?;
        within("encoder.depth_mult", self.depth_mult, 0., 16.)?;
        within("encoder.pe_temperature", self.pe_temperature, 1., f64::MAX)?;
        let levels = BACKBONE_LEVELS;
        self.use_encoder_idx.iter().try_for_each(|&idx| index("encoder.use_encoder_idx", idx as i64, levels))
    }
}

impl DecoderConfig {
    /// Cells of all levels for an image of `height` x `width` pixels.
    pub fn cells(&self, height: i64, width: i64) -> i64 {
        let halved = |side: i64, times: usize| (0..times).fold(side, |side, _| (side + 1) / 2);
        let level = |lvl: usize| match lvl {
            0..BACKBONE_LEVELS => (height >> (3 + lvl)) * (width >> (3 + lvl)),
            _ => {
                let extra = lvl + 1 - BACKBONE_LEVELS;
                halved(height / SIDE_MULTIPLE, extra) * halved(width / SIDE_MULTIPLE, extra)
            }
        };
        (0..self.num_levels).map(level).sum()
    }

    /// Index of the layer that answers in evaluation.
    pub fn eval_layer(&self) -> usize {
        let layers = self.num_layers as i64;
        self.eval_idx.rem_euclid(layers) as usize
    }

    fn validate(&self) -> Result<(), ConfigError> {
        at_least("decoder.nhead", self.nhead, 1)?;
        at_least("decoder.hidden_dim", self.hidden_dim, 1)?;
        multiple(
            "decoder.hidden_dim",
            self.hidden_dim,
            self.nhead,
            "every attention head has the same width",
        )?;
        at_least("decoder.num_queries", self.num_queries, 1)?;
        at_least("decoder.dim_feedforward", self.dim_feedforward, 1)?;
        at_least("decoder.num_layers", self.num_layers as i64, 1)?;
        at_least("decoder.num_levels", self.num_levels as i64, BACKBONE_LEVELS as i64)?;
        within("decoder.dropout", self.dropout, 0., 1.)?;
        within("decoder.label_noise_ratio", self.label_noise_ratio, 0., 1.)?;
        within("decoder.box_noise_scale", self.box_noise_scale, 0., f64::MAX)?;
        within("decoder.eps", self.eps, 0., 0.5)?;
        self.validate_lists()
    }

    fn validate_lists(&self) -> Result<(), ConfigError> {
        let (found, expected) = (self.num_points.len(), self.num_levels);
        if found != expected {
            return Err(ConfigError::PointsPerLevel { found, expected });
        }
        self.num_points.iter().try_for_each(|&points| at_least("decoder.num_points", points, 1))?;
        let last = self.num_layers as i64;
        if (-last..last).contains(&self.eval_idx) {
            return Ok(());
        }
        Err(ConfigError::IndexOutOfRange { field: "decoder.eval_idx", found: self.eval_idx, len: last })
    }
}

pub(super) fn at_least(field: &'static str, found: i64, least: i64) -> Result<(), ConfigError> {
    if found >= least { Ok(()) } else { Err(ConfigError::TooSmall { field, found, least }) }
}

pub(super) fn multiple(
    field: &'static str,
    found: i64,
    divisor: i64,
    reason: &'static str,
) -> Result<(), ConfigError> {
    if found % divisor == 0 {
        Ok(())
    } else {
        Err(ConfigError::NotAMultiple { field, found, divisor, reason })
    }
}

fn within(field: &'static str, found: f64, low: f64, high: f64) -> Result<(), ConfigError> {
    if (low..=high).contains(&found) {
        Ok(())
    } else {
        Err(ConfigError::OutOfRange { field, found, low, high })
    }
}

fn index(field: &'static str, found: i64, len: usize) -> Result<(), ConfigError> {
    let len = len as i64;
    if (0..len).contains(&found) { Ok(()) } else { Err(ConfigError::IndexOutOfRange { field, found, len }) }
}
