//! Rules 2 to 4: what a function keeps.

mod calls;
mod captures;
mod check;
mod exits;
mod gather;
mod loops;
mod mode;
mod nested;
mod place;
mod plain;
mod scope;
pub mod statics;
mod stores;
mod walk;
mod walker;

pub use nested::guard_covered;
pub use walker::guard;
