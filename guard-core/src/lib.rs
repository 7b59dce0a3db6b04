//! Training loops that cannot keep an autograd graph past their step.
//!
//! In `losses.push(loss)` a tensor brings along the graph that computed it: every activation, or after `backward` still
//! every node. One forgotten `detach()` and memory grows until the run dies, hours later. This crate makes it a
//! compile error. A training step is treated like a closure handed to another thread: what a thread takes along must
//! be `Send`, what a step leaves behind must be [`GraphFree`].
//!
//! Put [`#[no_retain]`](macro@no_retain) on the training loop of a program and follow the errors: the [`guide`] does it
//! with a small one, error by error, and answers the questions that come up. The rules are on [one page](guard_macros).
//! In `examples/` stand ten loops in full (`cargo run -p guard-core --example lstm_truncated_bptt`): classifier, GAN with
//! image pool, truncated back-propagation, REINFORCE, MAML, DQN, MoCo, mean teacher, key-value cache, gradient
//! accumulation; each says what people leak there and runs in seconds.
//!
//! ```
//! use guard_core::{Detached, GuardConfig, LossError, TrainMemoryGuard, no_retain};
//! use tch::nn::{self, Module, OptimizerConfig};
//! use tch::{Device, Kind, Tensor};
//!
//! #[no_retain] // each field must be `GraphFree`; a `Tensor` here is an error
//! struct Meter {
//!     total: Detached<Tensor>,
//!     steps: u32,
//! }
//!
//! #[no_retain] // and so must be whatever the loop captures to change
//! fn train(net: &nn::Linear, optimizer: &mut nn::Optimizer, guard: &mut TrainMemoryGuard) -> Result<f64, LossError> {
//!     let mut meter = Meter { total: Detached::from(Tensor::from(0.0f32)), steps: 0 };
//!     for _ in 0..5 {
//!         let images = Tensor::rand([8, 16], (Kind::Float, Device::Cpu));
//!         let loss = net.forward(&images).square().mean(Kind::Float);
//!         optimizer.backward_step(&loss);
//!         meter.total += &loss; // the value, not the graph
//!         meter.steps += 1;
//!         guard.record_loss(&loss)?;
//!     }
//!     println!("{}", guard.check());
//!     Ok(meter.total.double_value(&[]) / f64::from(meter.steps))
//! }
//!
//! let mut guard = TrainMemoryGuard::new(GuardConfig::default());
//! let vs = nn::VarStore::new(Device::Cpu);
//! let net = nn::linear(vs.root(), 16, 4, Default::default());
//! let mut optimizer = nn::AdamW::default().build(&vs, 1e-3)?;
//! let mean = train(&net, &mut optimizer, &mut guard)?;
//! let recorded = guard.loss_history().iter().sum::<f64>() / 5.0;
//! assert!((mean - recorded).abs() < 1e-6);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The pieces
//!
//! | to | use |
//! | --- | --- |
//! | have a type or a loop checked | [`#[no_retain]`](macro@no_retain), which asks for [`GraphFree`] and [`ReadOnly`] |
//! | keep a tensor's values past the step | [`Detached`], for any value made of tensors ([`Detach`]) |
//! | hold a parameter or a buffer in a layer | [`Param`] |
//! | evaluate | [`no_graph`] |
//! | keep a foreign type that has no graph | [`Vouched`], with a reason |
//! | keep losses and features, and see that memory stays flat | [`TrainMemoryGuard`] |
//! | count bytes and nodes | [`memory`], [`graph_nodes`] |
//! | find CUDA at run time | [`accelerator::load`], before any other call into torch |
//!
//! # Types first, counters second
//!
//! The types hold in every annotated item, at no cost at run time. What they cannot see is left to the counters: a program
//! that is only partly annotated, a reference cycle, a cache inside a foreign crate, a reason given in good faith that was
//! wrong. [`TrainMemoryGuard::check`] reads exact live tensor bytes, the bytes beside them on the C heap (about 1 kB for
//! each graph node kept, also when all its tensors are freed), and the length of the graph behind the loss; it
//! reports what grows steadily, with the amount per step.
//!
//! # What it does not catch
//!
//! What the attribute cannot see is listed [with its rules](guard_macros#what-it-does-not-catch). `GraphFree` is a safe
//! trait, since a kept graph breaks no memory safety, and so there are also:
//!
//! - the layers, the `VarStore`, the optimizers, the scripts (`CModule`) and the data sets of tch, which are trusted to
//!   hold leaves
//! - promises that are false: the reason of a [`Vouched`], a [`Detach`] that passes its tensor on, a `GraphFree` written
//!   by hand
//! - a handle taken from a trained [`Param`], given a history by `set_requires_grad(false)` and an in-place operation
//!
//! Each line of both lists has a test that shows the hole, and that [`TrainMemoryGuard`] reports what it lets through.

// Expanded code says `::guard_core`, also inside this crate.
extern crate self as guard_core;

pub use detach::Detach;
pub use detached::Detached;
pub use graph::graph_nodes;
pub use graph_free::{GraphFree, ReadOnly};
pub use guard::{GuardConfig, LossError, LossValue, MemoryReport, TrainMemoryGuard, Warning, Watched};
pub use guard_macros::Detach;
/// Makes a kept autograd graph a compile error, on the training loop
///
/// ```compile_fail,E0277
/// # use tch::{Kind, Tensor};
/// #[guard_core::no_retain]
/// fn train(weight: &Tensor) {
///     let mut losses = Vec::new();
///     for _ in 0..3 {
///         let loss = weight.square().sum(Kind::Float);
///         loss.backward();
///         losses.push(loss); // refused; `losses.push(loss.double_value(&[]))` is not
///     }
/// }
/// ```
///
/// and on the types that outlive it:
///
/// ```
/// use guard_core::{Detached, Param, no_retain};
/// use tch::{Tensor, nn};
///
/// #[no_retain]
/// struct Layer {
///     linear: nn::Linear,
///     gain: Param,
///     last_input: Option<Detached<Tensor>>,
/// }
/// ```
pub use guard_macros::no_retain;
pub use no_graph::no_graph;
pub use param::Param;
pub use vouched::Vouched;

#[doc(hidden)]
pub mod __private;
pub mod accelerator;
#[doc = include_str!("../docs/guide.md")]
pub mod guide {}
pub mod memory;

mod detach;
mod detached;
mod facts;
mod graph;
mod graph_free;
mod guard;
mod impls;
mod native;
mod no_graph;
mod param;
mod vouched;
