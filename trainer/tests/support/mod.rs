//! What the golden tests share.

#![allow(dead_code)]

pub mod cli;
pub mod formula;
pub mod golden;
pub mod tiny;
