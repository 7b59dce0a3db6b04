//! No name of the user meets a name of the expansion, and no lint fires; compiled once for each edition.

#![deny(warnings, clippy::all, clippy::pedantic, clippy::nursery)]

mod facade;
mod representative;
mod shadowed;
