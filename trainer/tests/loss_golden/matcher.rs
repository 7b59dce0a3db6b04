//! Matching of every component case and of every training case.

use tch::Tensor;
use trainer::loss::{Assignment, HungarianMatcher, MatcherConfig};
use trainer::model::Predictions;
use trainer::ops::Targets;

use crate::fixture::{Tensors, Tiny, decode, json};

/// `[rows, cols]` of one image.
type Pairs = [Vec<usize>; 2];

fn pairs(assignments: Vec<Assignment>) -> Vec<Pairs> {
    assignments.into_iter().map(|assignment| [assignment.queries, assignment.targets]).collect()
}

fn component_targets(file: &Tensors, case: &str) -> Targets {
    let images = (0..).take_while(|i| file.has(&format!("{case}.t{i}.labels")));
    let (labels, boxes): (Vec<Tensor>, Vec<Tensor>) = images
        .map(|i| (file.get(&format!("{case}.t{i}.labels")), file.get(&format!("{case}.t{i}.boxes"))))
        .unzip();
    Targets {
        counts: labels.iter().map(|image| image.size()[0] as usize).collect(),
        labels: Tensor::cat(&labels, 0),
        boxes_cxcywh: Tensor::cat(&boxes, 0),
    }
}

#[test]
fn component_cases_equal_the_official_matching() {
    let file = Tensors::read("components/matcher.safetensors");
    let expected = json("components/components.json");
    let cases = expected["matcher"].as_object().expect("cases by name");
    assert_eq!(cases.len(), 6);
    for (name, expected) in cases {
        let (case, mode) = name.split_once('.').expect("case.mode");
        let config = MatcherConfig { use_focal_loss: mode == "focal", ..MatcherConfig::default() };
        let predictions = Predictions {
            pred_logits: file.get(&format!("{case}.logits")),
            pred_boxes: file.get(&format!("{case}.boxes")),
        };
        let found = HungarianMatcher::new(config).assign(&predictions, &component_targets(&file, case));
        assert_eq!(pairs(found.expect(name)), decode::<Vec<Pairs>>(expected), "{name}");
    }
}

#[test]
fn every_set_of_every_training_case_is_matched_as_officially() {
    let matcher = HungarianMatcher::new(MatcherConfig::default());
    for variant in crate::criterion::VARIANTS {
        let Tiny { outputs, targets, meta } = Tiny::read(variant);
        let expected: Vec<Vec<Pairs>> = decode(&meta["steps"][0]["match"]);
        let sets = std::iter::once(&outputs.main).chain(&outputs.aux).chain(&outputs.enc_aux);
        let found: Vec<Vec<Pairs>> =
            sets.map(|set| pairs(matcher.assign(set, &targets).expect(variant))).collect();
        assert_eq!(found, expected, "{variant}");
    }
}

#[test]
fn the_assignment_solver_follows_scipy() {
    let file = Tensors::read("components/matcher.safetensors");
    let expected = json("components/components.json");
    for (i, case) in expected["lsa"].as_array().expect("a list of cases").iter().enumerate() {
        let (rows, cols, total) = solve(&file.get(&format!("lsa.{i}")));
        assert_eq!(rows, decode::<Vec<usize>>(&case["rows"]), "case {i}");
        assert_eq!(cols, decode::<Vec<usize>>(&case["cols"]), "case {i}");
        assert!((total - decode::<f64>(&case["total"])).abs() < 1e-9, "case {i}");
    }
    let (.., total) = solve(&file.get("lsa.ties"));
    assert_eq!(total, decode::<f64>(&expected["lsa_ties"]["total"]));
}

fn solve(cost: &Tensor) -> (Vec<usize>, Vec<usize>, f64) {
    let (rows, cols) = cost.size2().expect("a matrix");
    let flat: Vec<f64> = cost.to_kind(tch::Kind::Double).flatten(0, -1).try_into().expect("a list");
    let (a, b) = lsap::solve(rows as usize, cols as usize, &flat, false).expect("finite costs");
    let total = a.iter().zip(&b).map(|(&i, &j)| flat[i * cols as usize + j]).sum();
    (a, b, total)
}

#[test]
fn a_query_without_a_number_is_matched_last() {
    let file = Tensors::read("components/matcher.safetensors");
    let targets = component_targets(&file, "usual");
    let matcher = HungarianMatcher::new(MatcherConfig::default());
    let clean = Predictions { pred_logits: file.get("usual.logits"), pred_boxes: file.get("usual.boxes") };
    let before = matcher.assign(&clean, &targets).expect("clean input");
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let spoilt =
            Predictions { pred_logits: clean.pred_logits.copy(), pred_boxes: clean.pred_boxes.copy() };
        let query = before[0].queries[0] as i64;
        let _ = spoilt.pred_logits.get(0).get(query).fill_(bad);
        let _ = spoilt.pred_boxes.get(0).get(query).fill_(bad);
        let after = matcher.assign(&spoilt, &targets).expect("a bad query is no failure");
        assert!(!after[0].queries.contains(&(query as usize)), "{bad} was matched");
        assert_eq!(after[0].queries.len(), before[0].queries.len());
        assert_eq!(after[2], before[2], "other images keep their matching");
    }
}

#[test]
fn predictions_without_any_number_still_get_a_matching() {
    let predictions = Predictions {
        pred_logits: Tensor::full([1, 4, 3], f64::NAN, (tch::Kind::Float, tch::Device::Cpu)),
        pred_boxes: Tensor::full([1, 4, 4], f64::NAN, (tch::Kind::Float, tch::Device::Cpu)),
    };
    let targets = Targets::new(&[vec![0, 2]], &[vec![[0.5; 4], [0.2; 4]]], tch::Device::Cpu);
    let found = HungarianMatcher::new(MatcherConfig::default()).assign(&predictions, &targets);
    assert_eq!(found.expect("no failure")[0].queries.len(), 2);
}
