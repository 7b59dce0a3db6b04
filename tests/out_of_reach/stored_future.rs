//! A future keeps what lives across its `.await`; behind `dyn Future` and a reason nothing of it is seen.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use guard_core::{Vouched, Watched, graph_nodes, no_retain};
use guard_tests::{
    flat::alone,
    harness::{Net, batch, net},
    notice::noticed,
};

type Pending = Pin<Box<dyn Future<Output = usize>>>;

#[no_retain]
fn start(net: &Net) -> Vec<Vouched<Pending>> {
    let mut pending = Vec::new();
    for _ in 0..3 {
        let loss = net.loss(&batch(), &batch());
        let future: Pending = Box::pin(async move {
            std::future::ready(()).await;
            graph_nodes(&loss)
        });
        pending.push(Vouched::new(future, "it is polled before the next epoch"));
    }
    pending
}

#[test]
fn a_future_keeps_its_graph() {
    let _alone = alone();
    let (net, mut pending) = (net(), Vec::new());
    assert!(noticed(|_| pending.extend(start(&net))).contains(&Watched::TensorBytes));
    for future in pending {
        let mut future = future.into_inner();
        let poll = future.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        assert!(matches!(poll, Poll::Ready(nodes) if nodes > 1));
    }
}
