//! The user's own items bear every name that an expansion could be thinking of.

#![no_implicit_prelude]
#![allow(dead_code, unused_macros, reason = "the names are here to be in the way")]
#![allow(non_camel_case_types, reason = "a type may be called as a crate is")]

use ::shield::{Detach, Detached, no_retain};
use ::std::convert::From as _;
use ::torch::Tensor;

mod std {}
mod core {}
mod alloc {}
mod tch {}
mod guard_core {}
mod __private {}

struct Option;
struct Some;
struct Vec;
struct String;
struct Box;
enum Result {}
trait Clone {}
trait Drop {}
trait FnMut {}
trait Iterator {}
trait GraphFree {}
trait ReadOnly {}
trait Owner {}

macro_rules! vec {
    () => {};
}
macro_rules! matches {
    () => {};
}
macro_rules! assert {
    () => {};
}

/// Functions with the names of the checks.
const fn stored(value: usize) -> usize {
    value
}
const fn kept_after_the_step() {}
const fn read_by_every_step() {}
const fn fields() {}

/// A field may be called as anything, too.
#[no_retain(crate = ::shield)]
#[derive(Detach)]
#[detach(crate = ::shield)]
struct Own<f, T>
where
    T: ::shield::GraphFree,
    f: ::shield::GraphFree,
{
    field0: f,
    self_: T,
    r#fn: usize,
}

/// A tensor, a tuple and a unit.
#[derive(Detach)]
#[detach(crate = ::shield)]
enum State {
    None,
    Some(Tensor),
    Ok { f: Tensor, field1: usize },
}

#[no_retain(crate = ::shield)]
static COUNT: ::std::sync::atomic::AtomicUsize = ::std::sync::atomic::AtomicUsize::new(0);

#[no_retain(crate = ::shield)]
fn count(loops: usize) -> usize {
    let (mut fields, guard_core) = (0, stored(1));
    for check in 0..loops {
        fields += check + guard_core;
    }
    fields
}

#[test]
fn runs() {
    let own = Own { field0: 1usize, self_: Detached::<Tensor>::new(&Tensor::from(2.0)), r#fn: count(3) };
    ::std::assert_eq!((own.field0, own.r#fn), (1, 6));
    ::std::assert!(own.self_.double_value(&[]) > 1.5);
    let state = Detached::new(&State::Ok { f: Tensor::from(3.0), field1: 4 }).get();
    ::std::assert!(::std::matches!(state, State::Ok { f, field1: 4 } if f.double_value(&[]) > 2.5));
    for state in [State::None, State::Some(Tensor::from(1.0))] {
        ::std::mem::drop(Detached::from(state));
    }
    COUNT.fetch_add(1, ::std::sync::atomic::Ordering::SeqCst);
    stored(0);
    kept_after_the_step();
    read_by_every_step();
    fields();
}
