//! Types of tch.
//!
//! Trusted, though tensors are in them: the layers, `VarStore` and `Optimizer` hold leaves and moments; a `CModule` what a
//! file holds; a `Dataset` what its loader read. A script can keep state of its own, and the fields of a `Dataset` are
//! public: both are listed among what is trusted in the documentation of the crate.

use tch::{
    CModule, COptimizer, Cuda, Device, Kind, Layout, NewAxis, NoGradGuard, QEngine, Reduction, Scalar,
    TchError, TrainableCModule, nn, vision,
};

use super::leaf;
use crate::ReadOnly;

leaf! {
    Device; Cuda; Kind; Layout; QEngine; Reduction; Scalar; NewAxis; TchError; NoGradGuard;
    tch::display::PrinterOptions; CModule; TrainableCModule; COptimizer;
    nn::VarStore; nn::Variables; {'a} nn::Path<'a>; nn::Optimizer; nn::Init; nn::init::FanInOut;
    nn::init::NormalOrUniform; nn::init::NonLinearity;
    nn::Adam; nn::AdamW; nn::Sgd; nn::RmsProp;
    nn::Linear; nn::LinearConfig; {D} nn::Conv<D>; {D} nn::ConvConfigND<D>; nn::PaddingMode;
    {D} nn::ConvTransposeND<D>; {D} nn::ConvTransposeConfigND<D>; nn::BatchNorm; nn::BatchNormConfig;
    nn::GroupNorm; nn::GroupNormConfig; nn::LayerNorm; nn::LayerNormConfig; nn::Embedding; nn::EmbeddingConfig;
    nn::LSTM; nn::GRU; nn::RNNConfig; nn::Id;
    nn::Sequential; nn::SequentialT; {'a} nn::Func<'a>; {'a} nn::FuncT<'a>;
    {'a} dyn nn::Module + 'a; {'a} dyn nn::Module + Send + 'a; {'a} dyn nn::Module + Send + Sync + 'a;
    {'a} dyn nn::ModuleT + 'a; {'a} dyn nn::ModuleT + Send + 'a; {'a} dyn nn::ModuleT + Send + Sync + 'a;
    tch::data::Iter2; tch::data::TextData; tch::data::TextDataIter;
    vision::dataset::Dataset; vision::dinov2::DinoVisionTransformer; vision::efficientnet::MBConvConfig;
}

/// Graph-bearing types of tch that can be read, but not filled, through `&`.
macro_rules! readable {
    ($($ty:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl ReadOnly for $ty {}
    )*};
}

readable! { tch::Tensor; nn::LSTMState; nn::GRUState; tch::IValue; tch::TensorIndexer; }
