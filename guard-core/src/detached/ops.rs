//! Arithmetic without a graph and without waiting for the device.

use crate::{Detached, facts::facts, memory};
use std::ops::{AddAssign, DivAssign, MulAssign, SubAssign};
use tch::{Device, Tensor, no_grad_guard};

facts! { Detached<Tensor> }

impl Detached<Tensor> {
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

    /// Moves in place towards `target`: `weight` of it, the rest of itself. Its graph is not attached, and nothing waits
    /// for the device.
    ///
    /// With `1 / n` at the n-th call it is the running mean, with a fixed weight an exponential average:
    ///
    /// ```
    /// # use {guard_core::Detached, tch::{Kind, Tensor}};
    /// let w = Tensor::from_slice(&[1.0f32, 2.0]).set_requires_grad(true);
    /// let mut mean = Detached::from(Tensor::from(0.0f32));
    /// for n in 1..=4 {
    ///     let loss = (&w * f64::from(n)).sum(Kind::Float); // 3, 6, 9, 12
    ///     loss.backward();
    ///     mean.lerp(&loss, 1.0 / f64::from(n));
    /// }
    /// assert_eq!(mean.double_value(&[]), 7.5);
    /// ```
    ///
    /// # Panics
    /// When the kind is not a floating one or differs from that of `target`, which must broadcast to this shape and lie on
    /// this device.
    pub fn lerp(&mut self, target: &Tensor, weight: f64) {
        let _no_grad = no_grad_guard();
        let _ = self.0.detach().lerp_(&target.detach(), weight);
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
        assign_scalar! { $trait<f64> $method $op }
        assign_scalar! { $trait<i64> $method $op }
    };
    ($trait:ident<$scalar:ty> $method:ident $op:tt) => {
        impl $trait<$scalar> for Detached<Tensor> {
            fn $method(&mut self, rhs: $scalar) {
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
