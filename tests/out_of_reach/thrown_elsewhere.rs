//! An error that a called function makes, passed on by `?`: of its type nothing is asked, since most are foreign.

use guard_core::{graph_nodes, no_retain};
use guard_tests::harness::{Net, adam, data, f, net};
use tch::{Tensor, nn};

#[derive(Debug)]
struct Diverged(Tensor);

fn finite(loss: Tensor) -> Result<Tensor, Diverged> {
    if f(&loss) > 0.0 { Err(Diverged(loss)) } else { Ok(loss) }
}

#[no_retain]
fn train(net: &Net, opt: &mut nn::Optimizer) -> Result<(), Diverged> {
    for (x, y) in data() {
        let loss = finite(net.loss(&x, &y))?;
        opt.backward_step(&loss);
    }
    Ok(())
}

#[test]
fn an_error_keeps_a_graph() {
    let net = net();
    let error = train(&net, &mut adam(&net)).expect_err("a squared error is positive");
    assert!(graph_nodes(&error.0) > 1);
}
