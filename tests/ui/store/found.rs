// What a search over an epoch hands out.
use guard_core::no_retain;
use guard_tests::harness::*;
use std::ops::ControlFlow;
use tch::nn;

#[no_retain]
fn by_find_map(net: &Net) -> bool {
    let hit = data().find_map(|(x, y)| {
        let loss = net.loss(&x, &y);
        (f(&loss) < 0.1).then_some(loss)
    });
    hit.is_some()
}

#[no_retain]
fn by_control_flow(net: &Net, opt: &mut nn::Optimizer) -> bool {
    let flow = data().try_for_each(|(x, y)| {
        let loss = net.loss(&x, &y);
        opt.backward_step(&loss);
        if f(&loss) < 0.1 { ControlFlow::Break(loss) } else { ControlFlow::Continue(()) }
    });
    flow.is_break()
}

fn main() {}
