//! Tensors that never had a graph: constants, prepared batches, values written in place.

use std::collections::VecDeque;

use guard_core::no_retain;
use guard_tests::harness::*;
use tch::{Device, Kind, Reduction, Tensor, nn, no_grad, no_grad_guard};

#[no_retain]
fn constants(net: &Net, opt: &mut nn::Optimizer) {
    let strides = [8, 16, 32];
    let anchors: Vec<Tensor> =
        strides.iter().map(|s| Tensor::arange(*s, (Kind::Float, Device::Cpu))).collect();
    let masks: Vec<Tensor> = (0..3).map(|_| Tensor::ones([B, H], (Kind::Float, Device::Cpu))).collect();
    let inputs: Vec<Tensor> = data().map(|(x, _)| x).collect();
    let before: Vec<Tensor> =
        net.vs.trainable_variables().iter().map(|weight| weight.detach().copy()).collect();
    for (i, x) in inputs.iter().enumerate() {
        let out = net.features(&(x * &masks[i % 3]));
        opt.backward_step(&(out.mean(Kind::Float) + anchors[i % 3].sum(Kind::Float)));
    }
    assert!(before.iter().zip(net.vs.trainable_variables()).any(|(old, new)| *old != new));
}

#[no_retain]
fn drained(net: &Net, opt: &mut nn::Optimizer) {
    let mut batches: VecDeque<(Tensor, Tensor)> = data().collect();
    while let Some((x, y)) = batches.pop_front() {
        opt.backward_step(&net.loss(&x, &y));
    }
}

#[no_retain]
fn lazy_loader(net: &Net, opt: &mut nn::Optimizer) {
    let mut loader = data().map(|(x, y)| (x + 0.1, y)).enumerate();
    while let Some((_, (x, y))) = loader.next() {
        opt.backward_step(&net.loss(&x, &y));
    }
}

#[no_retain]
fn changed_before_the_loop(net: &Net, opt: &mut nn::Optimizer) {
    let mut scale = Tensor::ones([H], (Kind::Float, Device::Cpu));
    scale /= 2.0;
    for (x, y) in data() {
        opt.backward_step(&(net.loss(&x, &y) + scale.var(true) + scale.clamp(0.0, 1.0).sum(Kind::Float)));
    }
}

#[no_retain]
fn gradient_descent_by_hand() {
    let mut w = Tensor::randn([H, H], (Kind::Float, Device::Cpu)).set_requires_grad(true);
    for (x, y) in data() {
        let loss = x.matmul(&w).mse_loss(&y, Reduction::Mean);
        w.zero_grad();
        loss.backward();
        no_grad(|| w -= w.grad() * 0.1);
    }
}

#[no_retain]
fn written_in_place(net: &Net, opt: &mut nn::Optimizer) -> f64 {
    let history = Tensor::zeros([N as i64], (Kind::Float, Device::Cpu));
    let seen = Tensor::zeros([N as i64], (Kind::Int64, Device::Cpu));
    let mut total = zero();
    for (i, (x, y)) in data().enumerate() {
        let loss = net.loss(&x, &y);
        opt.backward_step(&loss);
        total += loss.detach();
        history.get(i as i64).copy_(&loss.detach());
        let _ = seen.get(i as i64).fill_(i as i64 + 1);
        seen.get(i as i64).copy_(&Tensor::from(i as i64));
    }
    f(&(total - history.sum(Kind::Float)))
}

#[no_retain]
fn confusion_matrix(net: &Net) -> i64 {
    let mut counts = Tensor::zeros([H * H], (Kind::Int64, Device::Cpu));
    for (x, y) in data() {
        let _no_grad = no_grad_guard();
        let at = y.argmax(-1, false) * H + net.forward(&x).argmax(-1, false);
        counts += at.bincount::<Tensor>(None, H * H);
    }
    counts.sum(Kind::Int64).int64_value(&[])
}

#[test]
fn runs() {
    let net = net();
    let mut opt = adam(&net);
    constants(&net, &mut opt);
    drained(&net, &mut opt);
    lazy_loader(&net, &mut opt);
    changed_before_the_loop(&net, &mut opt);
    gradient_descent_by_hand();
    assert!(written_in_place(&net, &mut opt).abs() < 1e-3);
    assert_eq!(confusion_matrix(&net), N as i64 * B);
}
