//! Box conversions, IoU and GIoU.

use tch::Kind;
use trainer::loss::losses;
use trainer::ops::boxes::{area, cxcywh_to_xyxy, generalized_iou, overlap, xyxy_to_cxcywh};

use crate::fixture::{Tensors, assert_close};

#[test]
fn conversions_equal_the_official_ones() {
    let file = Tensors::read("components/boxes.safetensors");
    let xyxy = cxcywh_to_xyxy(&file.get("cxcywh"));
    assert_close(&xyxy, &file.get("xyxy"), 1e-7);
    assert_close(&xyxy_to_cxcywh(&xyxy), &file.get("back"), 1e-7);
}

#[test]
fn pairwise_overlaps_equal_the_official_ones() {
    let file = Tensors::read("components/boxes.safetensors");
    let (a, b) = (file.get("b1").unsqueeze(1), file.get("b2").unsqueeze(0));
    let found = overlap(&a, &b);
    assert_close(&found.iou, &file.get("iou"), 1e-6);
    assert_close(&found.union, &file.get("union"), 1e-6);
    assert_close(&generalized_iou(&a, &b), &file.get("giou"), 1e-6);
}

#[test]
fn two_empty_boxes_have_no_iou() {
    let file = Tensors::read("components/boxes.safetensors");
    let expected = file.get("iou").isnan();
    assert!(expected.any().int64_value(&[]) == 1, "the fixture holds a pair of empty boxes");
    let found = overlap(&file.get("b1").unsqueeze(1), &file.get("b2").unsqueeze(0)).iou.isnan();
    assert!(found.equal(&expected));
}

#[test]
fn giou_loss_and_its_gradient_equal_the_official_ones() {
    let file = Tensors::read("components/boxes.safetensors");
    let pred = file.get("pair.p").set_requires_grad(true);
    let loss = losses::giou(&pred, &file.get("pair.g"));
    assert_close(&loss, &file.get("pair.loss_giou"), 1e-6);
    loss.sum(Kind::Float).backward();
    assert_close(&pred.grad(), &file.get("pair.grad_p"), 1e-5);
}

#[test]
fn area_multiplies_the_sides() {
    let boxes = tch::Tensor::from_slice(&[0.0f32, 1.0, 2.0, 4.0]).view([1, 4]);
    assert_eq!(area(&boxes).double_value(&[0]), 6.0);
}
