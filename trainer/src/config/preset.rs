//! The published training recipes, under the names of the official configurations.

use guard_core::no_retain;

use super::{Augmentation, DataConfig, DataSource, TrainConfig, TrainConfigError};
use crate::{
    data::transforms::MultiScale,
    loss::CriterionConfig,
    model::{CrossAttnMethod, HgNetV2Name, RtDetrConfig},
    train::{AdamWConfig, Amp, EmaConfig, ParamGroup, schedule::Decay},
};

/// Side in pixels of the images of every recipe.
const SIDE: u32 = 640;

/// A published recipe.
#[derive(Debug, Clone, Copy, PartialEq)]
#[no_retain]
pub struct Preset {
    /// Name of the official configuration.
    pub name: &'static str,
    /// Name that is enough here.
    pub short: &'static str,
    /// Epochs of the run.
    pub epochs: u64,
    /// First epoch without strong augmentation, and with images of one size only.
    pub stop_epoch: u64,
    /// Whether batches are resized to random sizes.
    pub multi_scale: bool,
    /// Images of a training step, all processes together.
    pub batch_size: usize,
    /// Classes of its data set.
    pub num_classes: i64,
    /// The recipe whose weights the run starts from.
    pub tuned_from: Option<&'static str>,
    size: Size,
    sampling: Sampling,
}

/// The published sizes of the network.
#[derive(Debug, Clone, Copy, PartialEq)]
#[no_retain]
enum Size {
    R18,
    R34,
    R50M,
    R50,
    R101,
    HgNet(HgNetV2Name),
}

/// How deformable attention samples.
#[derive(Debug, Clone, Copy, PartialEq)]
#[no_retain]
enum Sampling {
    /// Bilinear, this many points a level.
    Points(i64),
    /// The nearest cell, four points a level.
    Discrete,
}

use Sampling::{Discrete, Points};

/// What most recipes have in common; the table states the rest.
const BASE: Preset = Preset {
    name: "",
    short: "",
    epochs: 72,
    stop_epoch: 71,
    multi_scale: true,
    batch_size: 16,
    num_classes: 80,
    tuned_from: None,
    size: Size::R50,
    sampling: Points(4),
};

const SMALL: Preset = Preset { epochs: 120, stop_epoch: 117, multi_scale: false, size: Size::R18, ..BASE };

/// Every published recipe.
pub const PRESETS: [Preset; 16] = [
    Preset { name: "rtdetrv2_r18vd_120e_coco", short: "rtdetrv2_r18vd", ..SMALL },
    Preset {
        name: "rtdetrv2_r34vd_120e_coco",
        short: "rtdetrv2_r34vd",
        multi_scale: true,
        size: Size::R34,
        ..SMALL
    },
    Preset {
        name: "rtdetrv2_r50vd_m_7x_coco",
        short: "rtdetrv2_r50vd_m",
        epochs: 84,
        stop_epoch: 81,
        size: Size::R50M,
        ..BASE
    },
    Preset { name: "rtdetrv2_r50vd_6x_coco", short: "rtdetrv2_r50vd", ..BASE },
    Preset { name: "rtdetrv2_r101vd_6x_coco", short: "rtdetrv2_r101vd", size: Size::R101, ..BASE },
    Preset {
        name: "rtdetrv2_hgnetv2_l_6x_coco",
        short: "rtdetrv2_hgnetv2_l",
        size: Size::HgNet(HgNetV2Name::L),
        ..BASE
    },
    Preset {
        name: "rtdetrv2_hgnetv2_x_6x_coco",
        short: "rtdetrv2_hgnetv2_x",
        size: Size::HgNet(HgNetV2Name::X),
        ..BASE
    },
    Preset {
        name: "rtdetrv2_hgnetv2_h_6x_coco",
        short: "rtdetrv2_hgnetv2_h",
        size: Size::HgNet(HgNetV2Name::H),
        ..BASE
    },
    Preset {
        name: "rtdetrv2_r18vd_sp1_120e_coco",
        short: "rtdetrv2_r18vd_sp1",
        sampling: Points(1),
        ..SMALL
    },
    Preset {
        name: "rtdetrv2_r18vd_sp2_120e_coco",
        short: "rtdetrv2_r18vd_sp2",
        sampling: Points(2),
        ..SMALL
    },
    Preset {
        name: "rtdetrv2_r18vd_sp3_120e_coco",
        short: "rtdetrv2_r18vd_sp3",
        sampling: Points(3),
        ..SMALL
    },
    Preset {
        name: "rtdetrv2_r18vd_dsp_3x_coco",
        short: "rtdetrv2_r18vd_dsp",
        epochs: 36,
        stop_epoch: 33,
        tuned_from: Some("rtdetrv2_r18vd_120e_coco"),
        sampling: Discrete,
        ..SMALL
    },
    Preset {
        name: "rtdetrv2_r34vd_dsp_1x_coco",
        short: "rtdetrv2_r34vd_dsp",
        epochs: 12,
        stop_epoch: 10,
        tuned_from: Some("rtdetrv2_r34vd_120e_coco"),
        size: Size::R34,
        sampling: Discrete,
        ..BASE
    },
    Preset {
        name: "rtdetrv2_r50vd_m_dsp_3x_coco",
        short: "rtdetrv2_r50vd_m_dsp",
        epochs: 36,
        stop_epoch: 33,
        tuned_from: Some("rtdetrv2_r50vd_m_7x_coco"),
        size: Size::R50M,
        sampling: Discrete,
        ..BASE
    },
    Preset {
        name: "rtdetrv2_r50vd_dsp_1x_coco",
        short: "rtdetrv2_r50vd_dsp",
        epochs: 12,
        stop_epoch: 10,
        tuned_from: Some("rtdetrv2_r50vd_6x_coco"),
        sampling: Discrete,
        ..BASE
    },
    Preset {
        name: "rtdetrv2_r18vd_120e_voc",
        short: "rtdetrv2_r18vd_voc",
        batch_size: 32,
        num_classes: 20,
        ..SMALL
    },
];

impl Preset {
    /// The recipe of that name, in full or short.
    ///
    /// # Errors
    /// An unknown name; the message names the nearest one and lists all.
    pub fn find(name: &str) -> Result<&'static Self, TrainConfigError> {
        let known = PRESETS.iter().find(|preset| preset.name == name || preset.short == name);
        known.ok_or_else(|| {
            let likeness = |known: &&str| (strsim::jaro_winkler(name, known) * 1e6) as u64;
            let names = PRESETS.iter().flat_map(|preset| [preset.short, preset.name]);
            TrainConfigError::UnknownPreset {
                found: name.to_owned(),
                nearest: names.max_by_key(likeness).expect("there are presets"),
                known: PRESETS.map(|preset| preset.short).to_vec(),
            }
        })
    }

    /// The network.
    pub fn model(&self) -> RtDetrConfig {
        let classes = self.num_classes;
        let mut model = match self.size {
            Size::R18 => RtDetrConfig::r18vd(classes),
            Size::R34 => RtDetrConfig::r34vd(classes),
            Size::R50M => RtDetrConfig::r50vd_m(classes),
            Size::R50 => RtDetrConfig::r50vd(classes),
            Size::R101 => RtDetrConfig::r101vd(classes),
            Size::HgNet(name) => RtDetrConfig::hgnetv2(classes, name),
        };
        match self.sampling {
            Points(points) => model.decoder.num_points = vec![points; model.decoder.num_levels],
            Discrete => model.decoder.cross_attn_method = CrossAttnMethod::Discrete,
        }
        model.eval_spatial_size = Some([i64::from(SIDE); 2]);
        model
    }

    fn data(&self, source: DataSource) -> DataConfig {
        let until = Some(self.stop_epoch);
        DataConfig {
            strong_until: until,
            multi_scale: self.multi_scale.then(|| MultiScale { until, ..MultiScale::official(SIDE) }),
            ..DataConfig::plain(source, SIDE, Augmentation::Official)
        }
    }

    /// The whole recipe on the images of `source`.
    pub fn config(&self, source: DataSource) -> TrainConfig {
        TrainConfig {
            seed: 0,
            epochs: self.epochs,
            batch_size: self.batch_size,
            warmup_steps: 2000,
            decay: Decay::MultiStep { milestones: vec![1000], gamma: 0.1 },
            clip_max_norm: 0.1,
            amp: Amp::Off,
            num_top_queries: 300,
            data: self.data(source),
            optimizer: AdamWConfig { groups: self.size.groups(), ..AdamWConfig::default() },
            ema: EmaConfig::default(),
            model: self.model(),
            criterion: CriterionConfig::default(),
        }
    }
}

impl Size {
    /// Parameters with a learning rate or a weight decay of their own.
    fn groups(self) -> Vec<ParamGroup> {
        let backbone =
            |exclude: &str, lr| ParamGroup::new(&format!("^(?=.*backbone)(?!.*{exclude}).*$")).lr(lr);
        let others = |names: &str| {
            ParamGroup::new(&format!("^(?=.*(?:encoder|decoder))(?=.*(?:{names})).*$")).weight_decay(0.0)
        };
        match self {
            Self::R18 => vec![ParamGroup::undecayed_norms()],
            Self::R34 => {
                let norms = ParamGroup::new("^(?=.*backbone)(?=.*norm|bn).*$").lr(5e-5).weight_decay(0.0);
                vec![backbone("norm|bn", 5e-5), norms, others("norm|bn|bias")]
            }
            Self::R50 | Self::R50M => vec![backbone("norm", 1e-5), others("norm|bn")],
            Self::R101 | Self::HgNet(HgNetV2Name::X) => vec![backbone("norm|bn", 1e-6), others("norm|bn")],
            Self::HgNet(HgNetV2Name::L | HgNetV2Name::H) => {
                vec![backbone("norm|bn", 5e-6), others("norm|bn")]
            }
        }
    }
}
