//! Data sets in files: what the readers take, mend and refuse, and what the check says of it.

mod check;
mod coco;
mod folder;
mod hostile;
mod identity;
mod layout;
mod yolo;

// Only the command line of the shared support is used here.
#[path = "../support/mod.rs"]
mod support;
