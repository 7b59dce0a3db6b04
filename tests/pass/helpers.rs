//! Helpers, hooks and threads around a training loop.

use guard_core::no_retain;
use guard_tests::harness::*;
use std::{sync::mpsc, thread, time::Instant};
use tch::{Reduction, Tensor, nn};

#[no_retain]
fn nested_functions(net: &Net, opt: &mut nn::Optimizer) {
    fn unroll(net: &Net, x: &Tensor) -> Tensor {
        let mut h = h0();
        for _ in 0..3 {
            h = net.cell(x, &h);
        }
        let parts: Vec<Tensor> = h.chunk(4, 1).iter().map(|part| part.relu()).collect();
        Tensor::cat(&parts, 1)
    }
    fn log(i: usize, loss: f64) {
        if i % 50 == 0 {
            println!("{i} {loss}");
        }
    }
    for (i, (x, y)) in data().enumerate() {
        let loss = unroll(net, &x).mse_loss(&y, Reduction::Mean);
        opt.backward_step(&loss);
        log(i, f(&loss));
    }
}

fn timed<T>(name: &str, run: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = run();
    println!("{name} {:?}", start.elapsed());
    result
}

#[no_retain]
fn timed_step(net: &Net, opt: &mut nn::Optimizer) -> f64 {
    let mut last = 0.0;
    for (x, y) in data().take(3) {
        let loss = timed("forward", || net.loss(&x, &y));
        timed("backward", || opt.backward_step(&loss));
        last = f(&loss);
    }
    timed("all", || last)
}

fn each(mut observe: impl FnMut(usize, &Tensor)) {
    data().enumerate().for_each(|(i, (x, _))| observe(i, &x));
}

#[no_retain]
fn callback_of_numbers() -> (usize, f64) {
    let (mut seen, mut sum) = (0, 0.0);
    each(|i, x| {
        seen = i + 1;
        sum += f(&x.mean(tch::Kind::Float));
    });
    (seen, sum)
}

type Criterion = Box<dyn Fn(&Tensor, &Tensor) -> Tensor>;

#[no_retain]
fn several_criteria(net: &Net, opt: &mut nn::Optimizer, criteria: &[Criterion]) {
    for (x, y) in data() {
        let out = net.forward(&x);
        let mut total = zero();
        for criterion in criteria {
            total += criterion(&out, &y);
        }
        opt.backward_step(&total);
    }
}

fn one_step<F: Fn(&Tensor, &Tensor) -> Tensor>(
    net: &Net,
    opt: &mut nn::Optimizer,
    criterion: &F,
    (x, y): (Tensor, Tensor),
) -> f64 {
    let loss = criterion(&net.forward(&x), &y);
    opt.backward_step(&loss);
    f(&loss)
}

#[no_retain]
fn criterion_handed_on<F: Fn(&Tensor, &Tensor) -> Tensor>(
    net: &Net,
    opt: &mut nn::Optimizer,
    criterion: F,
) -> f64 {
    let mut sum = 0.0;
    for batch in data() {
        sum += one_step(net, opt, &criterion, batch);
    }
    sum
}

#[no_retain]
struct Fit {
    net: Net,
    opt: nn::Optimizer,
    #[vouch(reason = "captures nothing")]
    criterion: Criterion,
    losses: Vec<f64>,
}

#[no_retain]
impl Fit {
    fn epoch(&mut self) {
        for (x, y) in data() {
            let loss = (self.criterion)(&self.net.forward(&x), &y);
            self.opt.backward_step(&loss);
            self.losses.push(f(&loss));
        }
    }
}

#[no_retain]
fn inside_a_scope(net: &Net, opt: &mut nn::Optimizer) -> f64 {
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel::<f64>();
        let logger = scope.spawn(move || receiver.iter().sum::<f64>());
        for (x, y) in data() {
            let loss = net.loss(&x, &y);
            opt.backward_step(&loss);
            sender.send(f(&loss)).expect("the logger runs");
        }
        drop(sender);
        logger.join().expect("the logger does not panic")
    })
}

#[test]
fn runs() {
    let net = net();
    let mut opt = adam(&net);
    nested_functions(&net, &mut opt);
    assert!(timed_step(&net, &mut opt) > 0.0);
    assert_eq!(callback_of_numbers().0, N);
    let criteria: [Criterion; 2] =
        [Box::new(|a, b| a.mse_loss(b, Reduction::Mean)), Box::new(|a, b| a.l1_loss(b, Reduction::Mean))];
    several_criteria(&net, &mut opt, &criteria);
    assert!(criterion_handed_on(&net, &mut opt, |a, b| a.mse_loss(b, Reduction::Mean)) > 0.0);
    assert!(inside_a_scope(&net, &mut opt) > 0.0);
    let mut fit =
        Fit { net, opt, criterion: Box::new(|a, b| a.mse_loss(b, Reduction::Mean)), losses: vec![] };
    fit.epoch();
    assert_eq!(fit.losses.len(), N);
}
