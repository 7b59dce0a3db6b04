//! Types, loops and hatches that must compile under the policy, and run.

// The idioms stand as people write them.
#![allow(dead_code, clippy::all)]

#[path = "../pass/covered.rs"]
mod covered;
#[path = "../pass/detach.rs"]
mod detach;
#[path = "../pass/hatches.rs"]
mod hatches;
#[path = "../pass/held.rs"]
mod held;
#[path = "../pass/helpers.rs"]
mod helpers;
#[path = "../pass/hygiene.rs"]
mod hygiene;
#[path = "../pass/items.rs"]
mod items;
#[path = "../pass/loops.rs"]
mod loops;
#[path = "../pass/plain_tensors.rs"]
mod plain_tensors;
#[path = "../pass/sideways.rs"]
mod sideways;
