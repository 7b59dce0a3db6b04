//! What the policy does not catch, each hole shown: it compiles, the graph stays, and the run-time guard notices.

#[path = "../out_of_reach/false_promise.rs"]
mod false_promise;
#[path = "../out_of_reach/field_closure.rs"]
mod field_closure;
#[path = "../out_of_reach/foreign_static.rs"]
mod foreign_static;
#[path = "../out_of_reach/forgotten_elsewhere.rs"]
mod forgotten_elsewhere;
#[path = "../out_of_reach/out_argument.rs"]
mod out_argument;
#[path = "../out_of_reach/raw_pointer.rs"]
mod raw_pointer;
#[path = "../out_of_reach/reattached_param.rs"]
mod reattached_param;
#[path = "../out_of_reach/reference_cycle.rs"]
mod reference_cycle;
#[path = "../out_of_reach/shared_closure.rs"]
mod shared_closure;
#[path = "../out_of_reach/stored_future.rs"]
mod stored_future;
#[path = "../out_of_reach/thrown_elsewhere.rs"]
mod thrown_elsewhere;
#[path = "../out_of_reach/trusted_layer.rs"]
mod trusted_layer;
#[path = "../out_of_reach/unknown_macro.rs"]
mod unknown_macro;

use guard_tests::{
    flat::alone,
    harness::{adam, data, net},
    notice::noticed,
};

#[test]
fn a_loop_that_keeps_nothing_is_not_suspected() {
    let _alone = alone();
    let net = net();
    let mut optimizer = adam(&net);
    let suspects = noticed(|guard| {
        for (x, y) in data() {
            let loss = net.loss(&x, &y);
            optimizer.backward_step(&loss);
            guard.record_loss(&loss).expect("a scalar");
        }
    });
    assert_eq!(suspects, []);
}
