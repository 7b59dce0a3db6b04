//! The suites are in `ui`, `pass` and `out_of_reach`; this crate holds what their cases share.

pub mod flat;
pub mod foreign;
pub mod harness;
pub mod notice;
