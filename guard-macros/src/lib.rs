//! The attribute `#[no_retain]`: what a training step keeps must not hold an autograd graph.
//!
//! One idea carries it: **a training step is like a closure handed to another thread.** What a thread takes along must be
//! `Send`; what a step keeps must be `GraphFree`. What threads merely share must be `Sync`; what a step merely reads
//! must be `ReadOnly`. The attribute goes on the training loop, and the compiler asks for the rest of the program, type
//! by type, as it asks for `Send` bounds.
//!
//! The attribute decides by syntax and emits bounds; every question about a type is left to rustc. An alias, a newtype or
//! a nested generic therefore hides nothing.
//!
//! # The rules
//!
//! **1. Owners.** On a struct or enum: every field must be `GraphFree` under the item's own bounds; the type then is
//! `GraphFree` itself. A type without the attribute stays legal, as a value of one step (`Outputs { logits, boxes }`).
//! On a trait: `GraphFree` becomes a supertrait, so that `Box<dyn Trait>` can be kept.
//!
//! **2. Steps.** On a function, on every method of an `impl` block, or in an inline `mod`: of what a step loop uses from
//! outside its body,
//!
//! - what it *changes* must be `GraphFree`: assigned, `+=`, lent as `&mut`, receiver of a method when declared `mut` or
//!   `&mut`, receiver of an in-place operation (`copy_`, `g_add_`);
//! - what it only *reads* must be `ReadOnly`: a `Tensor` or a `Vec<Tensor>` may be read, a `RefCell<Vec<Tensor>>` may not.
//!
//! What is declared inside the body is free: lists, a summed loss, `x = layer(x)`. A closure written in the function
//! counts as its own captures, also where it is handed to a function that may call it often. Another closure must be
//! called with `GraphFree` values where it is `FnMut`, or where its result is dropped (`log(loss);`).
//!
//! Functions written inside an annotated function are checked too. One that has no attribute of its own (a method of an
//! annotated `impl`, a function of an annotated `mod`) and makes tensors of the tensors it is given, without `backward`,
//! runs inside the step of its caller: it counts as `#[no_retain(step)]`.
//!
//! Step loops are those marked `#[step]`; where a function marks none, the innermost loops that call `.backward()` or
//! `.backward_step…()`; and every other loop that neither contains a step loop nor lies in one, at its outermost. A loop
//! around step loops (epochs) is checked for what it changes. A closure called per element (`map`, `for_each`, `fold`)
//! is a loop, and so is a function that calls itself. `#[no_retain(step)]` says that a whole function is one step: a
//! forward pass, a sampling run, an episode.
//!
//! **3. Stores.** A value handed to something that keeps it is checked where it stands: `push`, `insert`, `send`, `set` on
//! what leads out of the function (`self`, references, statics); what `collect`, `fold`, `scan`, `sum` or `find_map` make
//! of an epoch; what `break` and, in a loop that trains, `return` hand out of a step, and what is written into an error
//! there; what a thread takes along, what `Box::leak` and `mem::forget` never give back.
//!
//! Free are iterators that cannot bring a graph: none of their closures uses a variable of the function
//! (`(0..3).map(|_| zero())`), or each only makes fresh tensors or passes elements on.
//!
//! **4. Statics.** A `static` or `thread_local!` of an annotated item must have a `GraphFree` type.
//!
//! # The ways out
//!
//! Each carries a reason, an empty one is an error, and `grep` lists them all.
//!
//! | | |
//! | --- | --- |
//! | `#[vouch(reason = "…")]` | on a field |
//! | `#[no_retain(vouch(bar, rng, reason = "…"))]` | for captured variables |
//! | `Vouched::new(value, "…")` | where a type is needed |
//! | `#[allow_retain(reason = "…")]` | on a statement: nothing in it is checked |
//!
//! Writing in place into a tensor from outside needs none of them under `no_grad(|| …)`, after `no_grad_guard()`, or where
//! the value is fresh or detached on the spot (`total += loss.detach()`): no graph attaches there.
//!
//! # What it expands to
//!
//! A type gets a hidden derive, which sees the fields that `#[cfg]` leaves (`owner.rs` shows it). A loop gets calls that
//! state bounds, before it and where they never run:
//!
//! ```text
//! for (x, y) in data {                         {
//!     let loss = net.loss(&x, &y);                 #[allow(unreachable_code)]
//!     optimizer.backward_step(&loss);              loop {
//!     history.push(loss);                              break;
//! }                                                    read_by_every_step(&net);
//!                                                      kept_after_the_step(&optimizer);
//!                                                      kept_after_the_step(&history);
//!                                                  }
//!                                                  for (x, y) in data { … }
//!                                              }
//! ```
//!
//! The third call is located at `loss`, so that the error points at the tensor and not at the container. Nothing of it
//! borrows, moves or runs.
//!
//! # What it does not catch
//!
//! Each line has a test in `tests/out_of_reach`.
//!
//! - raw pointers, and addresses as numbers
//! - `mem::forget`, and statics, in code or crates without the attribute
//! - cycles of `Rc`
//! - closures known only as `Fn`, or kept in a field, whose result is used (`nn::Func` and `dyn Module` included): what
//!   they captured is not seen
//! - errors made in a called function, which `?` passes on
//! - stores that an unknown macro names itself
//! - futures, once somebody vouched for them
//! - a view handed to a function that writes into it

mod args;
mod derive_detach;
mod error;
mod hatch;
mod item;
mod nearest;
mod owner;
mod paths;
mod step;
#[cfg(test)]
mod tests;

use proc_macro::TokenStream;

/// Asks that nothing the item keeps can hold an autograd graph; see the [crate documentation](crate) for the rules.
///
/// Goes on a struct, enum, trait, static, function, `impl` block or inline `mod`. On a function also as
/// `#[no_retain(step)]`, and with `vouch(variable, reason = "…")`. Where guard-core is renamed or reached through another
/// crate, `#[no_retain(crate = my::guard)]` names it, by a path that is the same in every module.
///
/// # Errors
/// A union, an `async fn`, an unknown argument, a hatch without a reason; the item is part of the expansion all the same.
#[proc_macro_attribute]
pub fn no_retain(args: TokenStream, item: TokenStream) -> TokenStream {
    item::expand(args.into(), item.into()).into()
}

/// The hidden half of `#[no_retain]` on a type: it sees the fields that `#[cfg]` leaves.
#[doc(hidden)]
#[proc_macro_derive(Owner, attributes(vouch, guard_crate))]
pub fn owner(item: TokenStream) -> TokenStream {
    match syn::parse(item) {
        Ok(input) => owner::derive(&input).into(),
        Err(error) => error.to_compile_error().into(),
    }
}

/// Implements `Detach` by mapping the tensors of every field; each field's type must be `Detach` itself.
///
/// `#[detach(crate = my::guard)]` on the type says where guard-core is to be found, if not at `::guard_core`.
#[proc_macro_derive(Detach, attributes(detach))]
pub fn detach(item: TokenStream) -> TokenStream {
    match syn::parse(item) {
        Ok(input) => derive_detach::derive(&input).into(),
        Err(error) => error.to_compile_error().into(),
    }
}
