//! From logits and relative boxes to scored boxes in pixels. No threshold, no suppression: the queries compete
//! during training, the evaluation ranks by score.

use guard_core::no_retain;
use serde::{Deserialize, Serialize};
use tch::{Kind, Tensor};

use super::{EvalError, mscoco};
use crate::model::Predictions;
use crate::ops::boxes;

/// A box that the model reports.
#[no_retain]
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Detection {
    /// Class index, or the MS COCO category id if remapped.
    pub label: i64,
    /// Between 0 and 1.
    pub score: f64,
    /// Corners in pixels of the original image; may reach outside it.
    pub box_xyxy: [f64; 4],
}

/// How predictions become detections; the defaults are RT-DETR v2's.
#[no_retain]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PostProcessorConfig {
    /// Detections of each image; fewer if there are fewer candidates.
    pub num_top_queries: i64,
    /// Sigmoid scores, every (query, class) pair a candidate; off: softmax with a background column, every query
    /// a candidate.
    pub use_focal_loss: bool,
    /// Report MS COCO's category ids in place of class indices.
    pub remap_mscoco_category: bool,
}

impl Default for PostProcessorConfig {
    fn default() -> Self {
        Self { num_top_queries: 300, use_focal_loss: true, remap_mscoco_category: false }
    }
}

/// Turns predictions into detections.
#[no_retain]
#[derive(Debug, Clone, Default)]
pub struct PostProcessor {
    config: PostProcessorConfig,
}

impl PostProcessor {
    /// A post-processor with these settings.
    pub fn new(config: PostProcessorConfig) -> Self {
        Self { config }
    }

    /// The best detections of each image, by descending score; `sizes_wh` are the widths and heights of the
    /// original images in pixels.
    ///
    /// With sigmoid scores one query may report several classes. The result reaches the host in one copy.
    ///
    /// # Shapes
    /// logits `[B, Q, C]`, boxes `[B, Q, 4]` -> B lists of at most `num_top_queries`
    ///
    /// # Errors
    /// Shapes that do not agree with each other or with the number of sizes; more classes than can be remapped.
    pub fn detect(
        &self,
        predictions: &Predictions,
        sizes_wh: &[(u32, u32)],
    ) -> Result<Vec<Vec<Detection>>, EvalError> {
        let background = i64::from(!self.config.use_focal_loss);
        let classes = check_shapes(predictions, sizes_wh.len(), background)?;
        if self.config.remap_mscoco_category && classes > mscoco::CATEGORY_IDS.len() as i64 {
            return Err(EvalError::TooManyClassesToRemap { classes, known: mscoco::CATEGORY_IDS.len() });
        }
        if sizes_wh.is_empty() {
            return Ok(Vec::new());
        }
        let _no_grad = tch::no_grad_guard();
        let Candidates { scores, labels, queries } = self.best(&predictions.pred_logits.to_kind(Kind::Float));
        let boxes = pixel_boxes(&predictions.pred_boxes, sizes_wh);
        let boxes = boxes.gather(1, &queries.unsqueeze(-1).expand([-1, -1, 4], false), false);
        let scored = Tensor::stack(&[labels.to_kind(Kind::Float), scores], -1);
        Ok(self.to_host(&Tensor::cat(&[scored, boxes], -1)))
    }

    /// The candidates to report, `[B, K]` each.
    fn best(&self, logits: &Tensor) -> Candidates {
        if self.config.use_focal_loss { self.best_pairs(logits) } else { self.best_queries(logits) }
    }

    /// Among all (query, class) pairs.
    fn best_pairs(&self, logits: &Tensor) -> Candidates {
        let classes = logits.size()[2];
        let pairs = logits.sigmoid().flatten(1, 2);
        let (scores, index) = self.top(&pairs);
        let queries = index.divide_scalar_mode(classes, "floor");
        Candidates { scores, labels: index - &queries * classes, queries }
    }

    /// Among all queries, each with its best class; the last column is the background.
    fn best_queries(&self, logits: &Tensor) -> Candidates {
        let foreground = logits.size()[2] - 1;
        let (scores, labels) = logits.softmax(-1, Kind::Float).narrow(2, 0, foreground).max_dim(-1, false);
        if scores.size()[1] <= self.config.num_top_queries {
            let queries = Tensor::arange(scores.size()[1], (Kind::Int64, scores.device()));
            return Candidates { queries: queries.expand_as(&scores), scores, labels };
        }
        let (scores, queries) = self.top(&scores);
        Candidates { scores, labels: labels.gather(1, &queries, false), queries }
    }

    fn top(&self, scores: &Tensor) -> (Tensor, Tensor) {
        scores.topk(self.config.num_top_queries.clamp(0, scores.size()[1]), 1, true, true)
    }

    /// `[B, K, 6]`, columns label, score, corners -> numbers. A class index is exact in a 32-bit float.
    fn to_host(&self, rows: &Tensor) -> Vec<Vec<Detection>> {
        let (batch, per_image, _) = rows.size3().expect("rows are [B, K, 6]");
        let values: Vec<f32> =
            rows.flatten(0, -1).try_into().expect("a one-dimensional Float tensor copies to Vec<f32>");
        let (values, _) = values.as_chunks::<6>();
        let image = |i: usize| &values[i * per_image as usize..(i + 1) * per_image as usize];
        (0..batch as usize).map(|i| image(i).iter().map(|row| self.detection(row)).collect()).collect()
    }

    fn detection(&self, &[label, score, x0, y0, x1, y1]: &[f32; 6]) -> Detection {
        let class = label as i64;
        let remap = self.config.remap_mscoco_category;
        Detection {
            label: if remap { mscoco::CATEGORY_IDS[class as usize] } else { class },
            score: f64::from(score),
            box_xyxy: [x0, y0, x1, y1].map(f64::from),
        }
    }
}

/// What an image reports, `[B, K]` each: a step value.
struct Candidates {
    scores: Tensor,
    labels: Tensor,
    queries: Tensor,
}

/// Relative boxes -> corners in pixels, `[B, Q, 4]`.
fn pixel_boxes(boxes_cxcywh: &Tensor, sizes_wh: &[(u32, u32)]) -> Tensor {
    let scale: Vec<f32> = sizes_wh.iter().flat_map(|&(w, h)| [w, h, w, h].map(|side| side as f32)).collect();
    let scale = Tensor::from_slice(&scale).view([-1, 1, 4]).to_device(boxes_cxcywh.device());
    boxes::cxcywh_to_xyxy(&boxes_cxcywh.to_kind(Kind::Float)) * scale
}

/// The columns that are classes and not background, once all shapes agree.
fn check_shapes(predictions: &Predictions, batch: usize, background: i64) -> Result<i64, EvalError> {
    let logits = predictions.pred_logits.size();
    let &[b, q, c] = logits.as_slice() else {
        return Err(EvalError::Shape { tensor: "pred_logits", found: logits, expected: "[B, Q, C]".into() });
    };
    if b != batch as i64 || c <= background {
        let expected = format!("[{batch}, Q, C]: one row for each image size, C above {background}");
        return Err(EvalError::Shape { tensor: "pred_logits", found: logits, expected });
    }
    let found = predictions.pred_boxes.size();
    if found != [b, q, 4] {
        return Err(EvalError::Shape { tensor: "pred_boxes", found, expected: format!("[{b}, {q}, 4]") });
    }
    Ok(c - background)
}
