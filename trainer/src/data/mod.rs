//! Images and annotations, from the disk or a generator to the batches a step reads.
//!
//! Everything here is plain numbers (pixels as bytes, boxes as floats): no type of this module can hold a
//! tensor, so nothing that the loader keeps between steps can keep an autograd graph. Tensors appear only
//! in [`Batch::images`] and [`Batch::targets`], which the step calls.
//!
//! Annotations sit in one flat table per data set instead of an object per box, and loading runs on threads
//! that share it: memory does not grow while a data set is read.

pub use batch::Batch;
pub use coco::Coco;
pub use dataset::{Annotations, Dataset, Sample, TruthObject};
pub use error::DataError;
pub use file_set::FileSet;
pub use layout::{Format, Layout};
pub use loader::{Epoch, Loader, LoaderConfig};
pub use repairs::{Repair, Repairs, Tally};
pub use shapes::{Shapes, Split};
pub use transforms::{EvalTransforms, Example, Key, Objects, Planes, TrainTransforms, Transform};
pub use voc::Voc;
pub use yolo::Yolo;

mod batch;
mod dataset;
mod error;
mod faults;
mod file_set;
mod fit;
mod layout;
mod loader;
mod names;
mod repairs;
mod seed;
mod table;
mod text;

pub mod check;
pub mod coco;
pub mod decode;
pub mod shapes;
pub mod transforms;
pub mod voc;
pub mod yolo;
