//! What [`Detached`](crate::Detached) and [`Param`](crate::Param) tell about the tensor in them without lending it.

use tch::Tensor;

/// The methods of a tuple struct around a tensor.
macro_rules! facts {
    ($ty:ty) => {
        impl $ty {
            /// The shape.
            pub fn size(&self) -> Vec<i64> {
                self.0.size()
            }

            /// The number of elements.
            pub fn numel(&self) -> usize {
                self.0.numel()
            }

            /// The element type.
            pub fn kind(&self) -> tch::Kind {
                self.0.kind()
            }

            /// Where the elements lie.
            pub fn device(&self) -> tch::Device {
                self.0.device()
            }
        }
    };
}

pub(crate) use facts;

/// `[2, 3] Float Cpu`, the short form in every `Debug` of this crate.
pub(crate) fn describe(tensor: &Tensor) -> String {
    match tensor.defined() {
        true => format!("{:?} {:?} {:?}", tensor.size(), tensor.kind(), tensor.device()),
        false => "undefined".to_owned(),
    }
}
