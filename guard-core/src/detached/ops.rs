//! Arithmetic without a graph and without waiting for the device.

use crate::{Detached, memory};
use std::ops::{AddAssign, DivAssign, MulAssign, SubAssign};
use tch::{Device, Kind, Tensor, no_grad_guard};

impl Detached<Tensor> {
    /// The shape.
    pub fn size(&self) -> Vec<i64> {
        self.0.size()
    }

    /// The element type.
    pub fn kind(&self) -> Kind {
        self.0.kind()
    }

    /// Where the elements lie.
    pub fn device(&self) -> Device {
        self.0.device()
    }

    /// One element as a number, as `Tensor::double_value`: `&[]` for a 0-d tensor. Waits for the device.
    ///
    /// # Panics
    /// When `index` names no element.
    pub fn double_value(&self, index: &[i64]) -> f64 {
        self.0.double_value(index)
    }

    /// The bytes it holds, `None` without storage (sparse).
    pub fn storage_bytes(&self) -> Option<u64> {
        memory::storage_bytes(&self.0)
    }

    /// A copy on `device`.
    pub fn to_device(&self, device: Device) -> Self {
        self.map(|t| t.to_device(device))
    }
}

/// Element-wise, in place, of the value alone: the graph of the right-hand side is not attached.
///
/// # Panics
/// When the right-hand side does not broadcast to this shape, lies on another device, or its kind does not
/// convert to this one (a float added to an integer).
macro_rules! assign_tensor {
    ($trait:ident $method:ident $op:tt) => {
        impl $trait<&Tensor> for Detached<Tensor> {
            fn $method(&mut self, rhs: &Tensor) {
                let _no_grad = no_grad_guard();
                let mut handle = self.0.detach();
                handle $op &rhs.detach();
            }
        }

        impl $trait<Tensor> for Detached<Tensor> {
            fn $method(&mut self, rhs: Tensor) {
                *self $op &rhs;
            }
        }

        impl $trait<&Detached<Tensor>> for Detached<Tensor> {
            fn $method(&mut self, rhs: &Detached<Tensor>) {
                *self $op &rhs.0;
            }
        }
    };
}

assign_tensor!(AddAssign add_assign +=);
assign_tensor!(SubAssign sub_assign -=);
assign_tensor!(MulAssign mul_assign *=);
assign_tensor!(DivAssign div_assign /=);

macro_rules! assign_scalar {
    ($trait:ident $method:ident $op:tt) => {
        impl $trait<f64> for Detached<Tensor> {
            fn $method(&mut self, rhs: f64) {
                let _no_grad = no_grad_guard();
                let mut handle = self.0.detach();
                handle $op rhs;
            }
        }
    };
}

assign_scalar!(AddAssign add_assign +=);
assign_scalar!(SubAssign sub_assign -=);
assign_scalar!(MulAssign mul_assign *=);
assign_scalar!(DivAssign div_assign /=);
