//! A two-layer network and sixty batches, for the cases of every suite.

use guard_core::no_retain;
use tch::{Device, Kind, Reduction, Tensor, nn, nn::Module, nn::OptimizerConfig};

/// Batches per epoch.
pub const N: usize = 60;
/// Rows of a batch.
pub const B: i64 = 32;
/// Width of every layer.
pub const H: i64 = 128;

/// Two linear layers and their store.
#[no_retain]
#[derive(Debug)]
pub struct Net {
    /// The parameters.
    pub vs: nn::VarStore,
    /// The first layer.
    pub l1: nn::Linear,
    /// The second layer.
    pub l2: nn::Linear,
}

/// A network with fresh parameters.
pub fn net() -> Net {
    let vs = nn::VarStore::new(Device::Cpu);
    let root = vs.root();
    let l1 = nn::linear(&root / "l1", H, H, Default::default());
    let l2 = nn::linear(&root / "l2", H, H, Default::default());
    Net { vs, l1, l2 }
}

impl Net {
    /// `[B, H]` to `[B, H]`.
    pub fn features(&self, x: &Tensor) -> Tensor {
        self.l1.forward(x).tanh()
    }

    /// `[B, H]` to `[B, H]`.
    pub fn forward(&self, x: &Tensor) -> Tensor {
        self.l2.forward(&self.features(x))
    }

    /// The mean squared error, a scalar.
    pub fn loss(&self, x: &Tensor, y: &Tensor) -> Tensor {
        self.forward(x).mse_loss(y, Reduction::Mean)
    }

    /// A recurrent cell, `[B, H]` to `[B, H]`.
    pub fn cell(&self, x: &Tensor, h: &Tensor) -> Tensor {
        (self.l1.forward(x) + self.l2.forward(h)).tanh()
    }

    /// A handle to the first weight, `[H, H]`.
    pub fn w(&self) -> Tensor {
        self.l1.ws.shallow_clone()
    }
}

impl Module for Net {
    fn forward(&self, x: &Tensor) -> Tensor {
        Net::forward(self, x)
    }
}

/// An optimizer for `net`.
pub fn adam(net: &Net) -> nn::Optimizer {
    nn::Adam::default().build(&net.vs, 1e-4).expect("Adam builds for a store on the CPU")
}

/// An epoch of batches `([B, H], [B, H])`.
#[no_retain]
pub struct Data {
    i: usize,
}

impl Iterator for Data {
    type Item = (Tensor, Tensor);

    fn next(&mut self) -> Option<Self::Item> {
        crate::flat::read();
        if self.i == N {
            return None;
        }
        self.i += 1;
        Some((batch(), batch()))
    }
}

/// An epoch of batches.
pub fn data() -> Data {
    Data { i: 0 }
}

/// `[B, H]`, random.
pub fn batch() -> Tensor {
    Tensor::randn([B, H], (Kind::Float, Device::Cpu))
}

/// A scalar zero.
pub fn zero() -> Tensor {
    Tensor::zeros([], (Kind::Float, Device::Cpu))
}

/// A hidden state `[B, H]` of zeros.
pub fn h0() -> Tensor {
    Tensor::zeros([B, H], (Kind::Float, Device::Cpu))
}

/// The number in a scalar tensor.
pub fn f(t: &Tensor) -> f64 {
    t.double_value(&[])
}
