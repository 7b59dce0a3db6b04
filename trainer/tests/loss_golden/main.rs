//! The criterion and its parts against numbers of the official implementation.

mod boxes;
mod criterion;
mod faults;
mod fixture;
mod losses;
mod matcher;
mod options;
