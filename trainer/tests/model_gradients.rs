//! Gradients of the whole network against the official ones, for the official loss with the recorded matching.
//!
//! The loss is written out here once more, pair by pair, so that this test stands on the model alone.

mod support;

use serde_json::Value;
use support::golden::{self, Report};
use support::{formula, golden::Replay};
use tch::{Device, Kind, Reduction, Tensor, nn};
use trainer::model::{Predictions, RtDetr, TrainOutputs};
use trainer::ops::{Targets, cxcywh_to_xyxy};

/// Largest accepted difference relative to a gradient's norm; f32 against f64 of the official code differs by 3e-5.
const TOLERANCE: f64 = 3e-5;

/// Matched pairs: image, query and row in the table of all objects.
struct Pairs {
    image: Tensor,
    query: Tensor,
    object: Tensor,
}

impl Pairs {
    /// `queries[i]` and `objects[i]` are image i's; objects count from 0 within the image.
    fn new(queries: &[Vec<i64>], objects: &[Vec<i64>], counts: &[usize]) -> Self {
        let (mut image, mut query, mut object, mut first) = (vec![], vec![], vec![], 0);
        for (i, (queries, objects)) in queries.iter().zip(objects).enumerate() {
            image.extend(queries.iter().map(|_| i as i64));
            query.extend(queries);
            object.extend(objects.iter().map(|object| first + object));
            first += counts[i] as i64;
        }
        let [image, query, object] = [image, query, object].map(|list| Tensor::from_slice(&list));
        Self { image, query, object }
    }
}

/// IoU and GIoU of corresponding boxes, `[N]` each, from `[N, 4]` cxcywh.
fn iou_and_giou(a: &Tensor, b: &Tensor) -> (Tensor, Tensor) {
    let (a, b) = (cxcywh_to_xyxy(a), cxcywh_to_xyxy(b));
    let corner = |boxes: &Tensor, start| boxes.narrow(1, start, 2);
    let area = |low: Tensor, high: Tensor| (high - low).clamp_min(0.).prod_dim_int(1, false, None::<Kind>);
    let own = |boxes: &Tensor| area(corner(boxes, 0), corner(boxes, 2));
    let inter = area(corner(&a, 0).maximum(&corner(&b, 0)), corner(&a, 2).minimum(&corner(&b, 2)));
    let hull = area(corner(&a, 0).minimum(&corner(&b, 0)), corner(&a, 2).maximum(&corner(&b, 2)));
    let union = own(&a) + own(&b) - &inter;
    let iou = inter / &union;
    let giou = &iou - (&hull - union) / &hull;
    (iou, giou)
}

/// Varifocal, L1 and GIoU terms of one set of predictions with weights 1, 5, 2.
fn loss(predictions: &Predictions, pairs: &Pairs, targets: &Targets, num_boxes: f64) -> Tensor {
    let index = [Some(&pairs.image), Some(&pairs.query)];
    let boxes = predictions.pred_boxes.index(&index);
    let wanted = targets.boxes_cxcywh.index_select(0, &pairs.object);
    let (iou, giou) = iou_and_giou(&boxes, &wanted);
    let l1 = (boxes - wanted).abs().sum(Kind::Float);

    let logits = &predictions.pred_logits;
    let label = targets.labels.index_select(0, &pairs.object);
    let slot = [Some(&pairs.image), Some(&pairs.query), Some(&label)];
    let one_hot = logits.zeros_like().index_put(&slot, &Tensor::ones_like(&iou), false);
    let score = logits.zeros_like().index_put(&slot, &iou.detach(), false);
    let weight = logits.detach().sigmoid().square() * 0.75 * (1f64 - one_hot) + &score;
    let vfl = logits.binary_cross_entropy_with_logits(&score, Some(weight), None::<Tensor>, Reduction::Sum);
    (vfl + l1 * 5. + (1f64 - giou).sum(Kind::Float) * 2.) / num_boxes
}

/// The pairs of matcher call `call` in `meta.json`.
fn matched(step: &Value, call: usize, targets: &Targets) -> Pairs {
    let images: Vec<[Vec<i64>; 2]> = serde_json::from_value(step["match"][call].clone()).expect("matches");
    let (queries, objects): (Vec<_>, Vec<_>) =
        images.into_iter().map(|[rows, columns]| (rows, columns)).unzip();
    Pairs::new(&queries, &objects, &targets.counts)
}

fn total_loss(out: &TrainOutputs, step: &Value, targets: &Targets) -> Tensor {
    let num_boxes = targets.total() as f64;
    let matched_sets = [&out.main].into_iter().chain(&out.aux).chain(&out.enc_aux).enumerate();
    let mut total = Tensor::from(0_f32);
    for (call, predictions) in matched_sets {
        total += loss(predictions, &matched(step, call, targets), targets, num_boxes);
    }
    let meta = out.dn_meta.as_ref().expect("denoising is on");
    let objects: Vec<Vec<i64>> = targets
        .counts
        .iter()
        .map(|&n| (0..n as i64).cycle().take(n * meta.num_groups as usize).collect())
        .collect();
    let pairs = Pairs::new(&meta.positive_idx, &objects, &targets.counts);
    for predictions in &out.dn_aux {
        total += loss(predictions, &pairs, targets, num_boxes * meta.num_groups as f64);
    }
    total
}

#[test]
fn gradients_of_the_first_step() {
    let meta = golden::json("tiny/r18_default/meta.json");
    let store = nn::VarStore::new(Device::Cpu);
    let model = RtDetr::new(&store.root(), &golden::tiny_config(&meta)).expect("a valid configuration");
    formula::fill(&store, meta["fill_prefix"].as_str().expect("a prefix"));
    let images = formula::image(meta["image_key"].as_str().expect("a key"), [2, 3, 128, 128]);
    let targets = golden::targets(&meta["targets"]);
    let recorded = golden::tensors("tiny/r18_default/train.safetensors");
    let out = model.forward_train(&images, &targets, &mut Replay::new(&recorded, "noise.0."));
    let step = &meta["steps"][0];
    let total = total_loss(&out, step, &targets);
    let want = step["loss"].as_f64().expect("a number");
    assert!((total.double_value(&[]) / want - 1.).abs() < 1e-5, "loss {total:?}, expected {want}");

    total.backward();
    compare(&store, &meta);
}

/// Compares all gradients relative to their norm, save those that are rounding noise around an exact zero.
fn compare(store: &nn::VarStore, meta: &Value) {
    let want = golden::tensors("tiny/r18_default/grads.safetensors");
    let noise: Vec<String> =
        serde_json::from_value(meta["zero_gradient_params"]["names"].clone()).expect("a list");
    let mut report = Report::new("r18_default gradients", TOLERANCE);
    let variables = store.variables();
    for (name, want) in want.iter().filter(|(name, _)| !noise.contains(name)) {
        let norm = want.norm().clamp_min(1e-3);
        report.compare(name, &(variables[name].grad() / &norm), &(want / &norm));
    }
    let trained = variables.values().filter(|tensor| tensor.requires_grad()).count();
    assert_eq!(want.len(), trained, "trained parameters");
    report.finish();
}
