//! The expansion as text, on real code and on generated code.

mod alike;
mod expansion;
mod generated;
mod quiet;
mod real_code;
mod sources;
