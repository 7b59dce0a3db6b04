//! An error that a called function makes, passed on by `?`: of its type nothing is asked, since most are foreign.

use guard_core::{Watched, graph_nodes, no_retain};
use guard_tests::{
    flat::alone,
    harness::{Net, adam, data, f, net},
    notice::noticed,
};
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
    let _alone = alone();
    let (net, mut thrown) = (net(), Vec::new());
    let mut optimizer = adam(&net);
    let suspects = noticed(|_| thrown.extend(train(&net, &mut optimizer).err()));
    assert!(suspects.contains(&Watched::TensorBytes));
    assert!(thrown.iter().all(|error| graph_nodes(&error.0) > 1));
}
