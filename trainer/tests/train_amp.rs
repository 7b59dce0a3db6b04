//! Mixed precision: the scaler's arithmetic against PyTorch's, and the whole network in bfloat16 on the CPU.

mod support;

use std::sync::{Mutex, MutexGuard};

use support::tiny;
use tch::{Device, Kind, Tensor, nn};
use trainer::config::TrainConfig;
use trainer::train::{
    AdamW, AdamWConfig, Amp, Checkpoint, GradScaler, GradScalerConfig, Session, TrainError,
};

const SCALER: GradScalerConfig =
    GradScalerConfig { init_scale: 8.0, growth_factor: 3.0, backoff_factor: 0.25, growth_interval: 2 };

/// libtorch has one generator for the process: tests that draw from it take turns.
static GENERATOR: Mutex<()> = Mutex::new(());

fn generator() -> MutexGuard<'static, ()> {
    GENERATOR.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Two parameters with an optimiser and a scaler.
struct Training {
    params: Vec<Tensor>,
    optimizer: AdamW,
    scaler: GradScaler,
}

impl Training {
    fn new() -> Self {
        let store = nn::VarStore::new(Device::Cpu);
        let weight = store.root().var_copy("weight", &Tensor::from_slice(&[1f32, -2.0, 0.5]));
        let bias = store.root().var_copy("bias", &Tensor::from_slice(&[0.25f32]));
        let config = AdamWConfig { lr: 0.1, weight_decay: 0.01, ..AdamWConfig::default() };
        let optimizer = AdamW::new(&store, config).expect("groups that fit");
        Self { params: vec![weight, bias], optimizer, scaler: GradScaler::new(SCALER, Device::Cpu) }
    }

    /// A step on the loss `factor * sum(weight) + bias^2`; returns the gradient norm, and whether it was taken.
    fn step(&mut self, factor: f64) -> (f64, bool) {
        let loss = self.params[0].sum(Kind::Float) * factor + self.params[1].square().sum(Kind::Float);
        self.scaler.scale(&loss).backward();
        self.scaler.unscale(&self.optimizer).expect("gradients on the CPU");
        let norm = self.optimizer.clip_grad_norm(0.1).expect("gradients on the CPU");
        let taken = self.scaler.step(&mut self.optimizer).expect("an update");
        self.scaler.update();
        self.optimizer.zero_grad();
        (norm, taken)
    }

    /// Parameters, moments and step counts.
    fn values(&self) -> Vec<Tensor> {
        let state = self.optimizer.state().into_iter().map(|(_, tensor)| tensor);
        self.params.iter().map(Tensor::detach).chain(state).map(|tensor| tensor.copy()).collect()
    }

    fn tracker(&self) -> i64 {
        let (_, tracker) = self.scaler.state().swap_remove(1);
        tracker.int64_value(&[])
    }
}

/// Factor of the loss; scale, finite steps in a row, gradient norm, first weight and bias after the step, by
/// `torch.amp.GradScaler` and `torch.optim.AdamW` of PyTorch 2.11.
#[rustfmt::skip]
const RECORDED: [(f64, f64, i64, f64, f64, f64); 9] = [
    (1.0, 8.0, 1, 1.8027756214141846, 0.8990000486373901, 0.14975005388259888),
    (-0.5, 24.0, 0, 0.9163516759872437, 0.9025408029556274, 0.049508534371852875),
    (f64::INFINITY, 6.0, 0, f64::INFINITY, 0.9025408029556274, 0.049508534371852875),
    (2.0, 6.0, 1, 3.4655165672302246, 0.8663194179534912, -0.03199223428964615),
    (f64::NAN, 1.5, 0, f64::NAN, 0.8663194179534912, -0.03199223428964615),
    (f64::NEG_INFINITY, 0.375, 0, f64::INFINITY, 0.8663194179534912, -0.03199223428964615),
    (0.5, 0.375, 1, 0.8683858513832092, 0.8108768463134766, -0.08788271248340607),
    (0.25, 1.125, 0, 0.467325896024704, 0.7449869513511658, -0.08788556605577469),
    (3.0, 1.125, 1, 5.199124336242676, 0.6714014410972595, -0.0848105326294899),
];

#[test]
fn the_scaler_follows_pytorch() {
    let mut training = Training::new();
    for (step, (factor, scale, tracker, norm, weight, bias)) in RECORDED.into_iter().enumerate() {
        let before = training.values();
        let (found, taken) = training.step(factor);
        assert_eq!((training.scaler.factor(), training.tracker()), (scale, tracker), "step {step}");
        assert_eq!(taken, factor.is_finite(), "step {step}");
        assert!(taken || training.values() == before, "step {step} was skipped and changed something");
        assert!(found == norm || (found - norm).abs() < 1e-6 || norm.is_nan(), "step {step}: norm {found}");
        let found = [training.params[0].double_value(&[0]), training.params[1].double_value(&[0])];
        for (found, want) in found.into_iter().zip([weight, bias]) {
            assert!((found - want).abs() < 1e-6, "step {step}: {found} instead of {want}");
        }
    }
}

#[test]
fn a_saved_scaler_goes_on_where_it_was() {
    let _turn = generator();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("scaler.safetensors");
    let mut training = Training::new();
    training.step(1.0);
    training.step(f64::NAN);
    training.step(1.0);
    let meta = tiny::session(&tiny::config(), 1).checkpoint().meta;
    let mut checkpoint = Checkpoint::new(meta);
    checkpoint.put("scaler.", training.scaler.state());
    checkpoint.save(&path).expect("a writable folder");

    let mut resumed = Training::new();
    let checkpoint = Checkpoint::load(&path).expect("a whole checkpoint");
    resumed.scaler.load_state(&checkpoint, "scaler.").expect("the same names");
    assert_eq!((resumed.scaler.factor(), resumed.tracker()), (2.0, 1));
    resumed.step(1.0);
    assert_eq!((resumed.scaler.factor(), resumed.tracker()), (6.0, 0));
    let missing = resumed.scaler.load_state(&checkpoint, "other.");
    assert!(matches!(missing, Err(TrainError::MissingTensor { .. })));
}

#[test]
fn a_region_ends_when_it_is_dropped() {
    let x = Tensor::ones([2, 2], (Kind::Float, Device::Cpu));
    let kind = || x.matmul(&x).kind();
    {
        let _outer = Amp::Bf16.autocast(Device::Cpu).expect("autocast");
        assert_eq!(kind(), Kind::BFloat16);
        drop(Amp::Bf16.autocast(Device::Cpu).expect("autocast"));
        assert_eq!(kind(), Kind::BFloat16, "the end of an inner region does not end the outer one");
    }
    assert_eq!(kind(), Kind::Float);
    assert!(Amp::Off.autocast(Device::Cpu).expect("nothing to do").is_none());
}

#[test]
fn half_floats_on_the_cpu_are_refused() {
    let config = TrainConfig { amp: Amp::F16, ..tiny::config() };
    let refused = Session::new(config, vec!["class".to_owned(); 5], 1, Device::Cpu).err().expect("a fault");
    assert_eq!(
        refused.to_string(),
        "mixed precision in f16 needs a CUDA device, this run is on Cpu: choose bf16, or another device"
    );
}

/// The losses of `steps` steps.
fn train(session: &mut Session, steps: usize) -> Vec<f64> {
    let loader = tiny::train_loader(&tiny::config(), 16);
    let batches = loader.epoch(0).chain(loader.epoch(1)).take(steps);
    batches.map(|batch| session.step(&batch.expect("a batch")).expect("a finite loss").loss).collect()
}

/// Names of the parameters that have been updated.
fn updated(session: &Session) -> Vec<String> {
    let checkpoint = session.checkpoint();
    let steps = checkpoint.names().filter(|name| name.starts_with("optimizer.step."));
    let taken = steps.filter(|name| checkpoint.get(name).expect("it is listed").double_value(&[]) > 0.0);
    taken.map(str::to_owned).collect()
}

#[test]
fn bfloat16_trains_what_f32_trains() {
    let _turn = generator();
    let sessions = [Amp::Off, Amp::Bf16].map(|amp| {
        let mut session = tiny::session(&TrainConfig { amp, ..tiny::config() }, 4);
        (train(&mut session, 8), session)
    });
    let [(exact, exact_session), (mixed, mixed_session)] = sessions;
    assert!(!updated(&exact_session).is_empty());
    assert_eq!(updated(&mixed_session), updated(&exact_session));
    assert_ne!(mixed[0], exact[0], "the forward pass was not in bfloat16");
    for (mixed, exact) in mixed.iter().zip(&exact) {
        assert!((mixed / exact - 1.0).abs() < 0.1, "{mixed} in bfloat16, {exact} in f32");
    }
    let checkpoint = mixed_session.checkpoint();
    let kind = |name: &str| checkpoint.get(name).expect("it is listed").kind();
    let model = checkpoint.names().filter(|name| name.starts_with("model.") && !name.ends_with("tracked"));
    assert!(model.filter(|name| !name.ends_with("mask")).all(|name| kind(name) == Kind::Float));
}

#[test]
fn a_run_in_bfloat16_resumes_to_the_bit() {
    let _turn = generator();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("last.safetensors");
    let config = TrainConfig { amp: Amp::Bf16, ..tiny::config() };
    let mut whole = tiny::session(&config, 4);
    train(&mut whole, 2);
    whole.checkpoint().save(&path).expect("a writable folder");
    let checkpoint = Checkpoint::load(&path).expect("a whole checkpoint");
    let mut resumed = tiny::session(&checkpoint.meta.config, 4);
    resumed.resume(&checkpoint).expect("the same model");
    assert_eq!(train(&mut whole, 3), train(&mut resumed, 3));
}
