//! Expanded code names everything by its full path, and its own names do not meet the user's.

use guard_tests::harness::{adam, net};

mod bare {
    #![no_implicit_prelude]

    use ::guard_core::{Detach, no_retain};

    #[no_retain]
    pub struct Owner {
        pub stored: ::core::option::Option<f64>,
    }

    #[derive(Detach)]
    pub struct Pair<T>(pub T, pub ::tch::Tensor);
}

/// Names that expanded code could be confused with.
struct Vec;

fn stored(value: f64) -> f64 {
    value
}

macro_rules! looped {
    ($total:ident, $body:expr) => {
        #[guard_core::no_retain]
        fn made_by_a_macro(count: usize) -> f64 {
            let mut $total = 0.0;
            for _ in 0..count {
                $body;
            }
            $total
        }
    };
}

looped!(total, total += stored(1.0));

#[guard_core::no_retain]
fn check(net: &guard_tests::harness::Net, opt: &mut tch::nn::Optimizer) -> f64 {
    let mut f = bare::Owner { stored: None };
    for (x, y) in guard_tests::harness::data().take(2) {
        let loss = net.loss(&x, &y);
        opt.backward_step(&loss);
        f.stored = Some(stored(loss.double_value(&[])));
    }
    f.stored.unwrap_or_default()
}

#[test]
fn runs() {
    let net = net();
    assert!(check(&net, &mut adam(&net)) > 0.0);
    assert_eq!(made_by_a_macro(3), 3.0);
    let _ = Vec;
}
