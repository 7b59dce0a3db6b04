//! Look-alikes of leaks that must compile under the policy, run, and leave nothing behind from step to step.

// The idioms stand as people write them.
#![allow(dead_code, clippy::all)]

#[path = "../pass/l01.rs"]
mod l01;
#[path = "../pass/l02.rs"]
mod l02;
#[path = "../pass/l03.rs"]
mod l03;
#[path = "../pass/l05.rs"]
mod l05;
#[path = "../pass/l07.rs"]
mod l07;
#[path = "../pass/l09.rs"]
mod l09;
#[path = "../pass/l10.rs"]
mod l10;
#[path = "../pass/l12.rs"]
mod l12;
#[path = "../pass/l14.rs"]
mod l14;
#[path = "../pass/l15.rs"]
mod l15;
#[path = "../pass/l16.rs"]
mod l16;
#[path = "../pass/l17.rs"]
mod l17;
#[path = "../pass/l19.rs"]
mod l19;
#[path = "../pass/l21.rs"]
mod l21;
#[path = "../pass/l22.rs"]
mod l22;
#[path = "../pass/l23.rs"]
mod l23;
#[path = "../pass/l25.rs"]
mod l25;
#[path = "../pass/l26.rs"]
mod l26;
#[path = "../pass/l28.rs"]
mod l28;
#[path = "../pass/l30.rs"]
mod l30;
#[path = "../pass/l31.rs"]
mod l31;
#[path = "../pass/l33.rs"]
mod l33;
#[path = "../pass/l34.rs"]
mod l34;
#[path = "../pass/l36.rs"]
mod l36;
#[path = "../pass/l37.rs"]
mod l37;
#[path = "../pass/l38.rs"]
mod l38;
#[path = "../pass/l40.rs"]
mod l40;
#[path = "../pass/l41.rs"]
mod l41;
#[path = "../pass/l43.rs"]
mod l43;
#[path = "../pass/l45.rs"]
mod l45;
#[path = "../pass/l47.rs"]
mod l47;
#[path = "../pass/l48.rs"]
mod l48;
#[path = "../pass/l49.rs"]
mod l49;
#[path = "../pass/l51.rs"]
mod l51;
#[path = "../pass/l53.rs"]
mod l53;
#[path = "../pass/l54.rs"]
mod l54;
#[path = "../pass/l55.rs"]
mod l55;
#[path = "../pass/l57.rs"]
mod l57;
#[path = "../pass/l59.rs"]
mod l59;
#[path = "../pass/l60.rs"]
mod l60;

use guard_tests::{flat, harness::*};

#[test]
#[should_panic(expected = "live bytes grow")]
fn features_that_are_kept_are_noticed() {
    flat::run(|net, _| {
        let mut kept = Vec::new();
        data().for_each(|(x, _)| kept.push(net.features(&x)));
    });
}

#[test]
#[should_panic(expected = "the heap grows")]
fn a_graph_without_tensors_is_noticed() {
    flat::run(|net, opt| {
        let mut total = zero();
        for (x, y) in data() {
            let loss = net.loss(&x, &y);
            opt.backward_step(&loss);
            total += loss;
        }
    });
}

#[test]
#[should_panic(expected = "live bytes grow")]
fn more_than_what_is_kept_on_purpose_is_noticed() {
    flat::run_keeping(512, |net, _| {
        let mut kept = Vec::new();
        data().for_each(|(x, _)| kept.push(net.features(&x).detach().get(0)));
    });
}
