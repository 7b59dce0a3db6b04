//! `#[derive(Detach)]` on every shape of type.

use guard_core::{Detach, Detached};
use guard_tests::harness::net;
use tch::{Kind, Tensor};

#[derive(Detach)]
struct Named<T> {
    keys: T,
    rows: Vec<Tensor>,
    step: usize,
}

#[derive(Detach)]
struct Unnamed(Tensor, Option<Tensor>);

#[derive(Detach)]
struct Unit;

#[derive(Detach)]
enum State {
    Empty,
    One(Unnamed),
    Two { first: Tensor, second: Tensor },
}

#[test]
fn every_tensor_is_cut_off() {
    let w = net().w().sum(Kind::Float);
    let kept = Detached::new(&Named { keys: [&w * 2.0, &w * 3.0], rows: vec![&w * 4.0], step: 7 }).get();
    assert!(kept.keys.iter().chain(&kept.rows).all(|tensor| !tensor.requires_grad()));
    assert_eq!(kept.step, 7);
    let state = Detached::new(&State::Two { first: &w + 1.0, second: &w + 2.0 }).get();
    assert!(
        matches!(state, State::Two { first, second } if !first.requires_grad() && !second.requires_grad())
    );
    let state = Detached::new(&State::One(Unnamed(&w + 1.0, Some(&w + 2.0)))).get();
    assert!(matches!(state, State::One(Unnamed(a, Some(b))) if !a.requires_grad() && !b.requires_grad()));
    assert!(matches!(Detached::new(&State::Empty).get(), State::Empty));
    let Unit = Detached::new(&Unit).get();
}
