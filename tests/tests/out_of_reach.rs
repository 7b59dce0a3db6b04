//! What the policy does not catch, each hole shown: it compiles, and the graph stays.

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
#[path = "../out_of_reach/reference_cycle.rs"]
mod reference_cycle;
#[path = "../out_of_reach/shared_closure.rs"]
mod shared_closure;
#[path = "../out_of_reach/stored_future.rs"]
mod stored_future;
#[path = "../out_of_reach/thrown_elsewhere.rs"]
mod thrown_elsewhere;
#[path = "../out_of_reach/unknown_macro.rs"]
mod unknown_macro;
