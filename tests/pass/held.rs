//! What users of tch hold on purpose, as one owner and as the captures of one loop.

use guard_core::{Detached, Param, no_retain};
use std::{
    cell::{Cell, OnceCell, RefCell},
    collections::{BTreeMap, HashMap, VecDeque},
    fs::File,
    io::{self, BufWriter, Write},
    sync::{Arc, Mutex, RwLock, atomic::AtomicUsize, mpsc},
    thread::JoinHandle,
    time::Instant,
};
use tch::{Device, Kind, Tensor, data::Iter2, nn, nn::OptimizerConfig, vision::dataset::Dataset};

#[no_retain]
struct Layers<'a> {
    path: nn::Path<'a>,
    linear: nn::Linear,
    conv: nn::Conv2D,
    transposed: nn::ConvTranspose2D,
    batch_norm: nn::BatchNorm,
    group_norm: nn::GroupNorm,
    layer_norm: nn::LayerNorm,
    embedding: nn::Embedding,
    lstm: nn::LSTM,
    gru: nn::GRU,
    stack: nn::Sequential,
    stack_t: nn::SequentialT,
    func: nn::Func<'a>,
    any: Vec<Box<dyn nn::ModuleT>>,
    scale: Param,
    state: Detached<nn::LSTMState>,
    optimizer: nn::Optimizer,
    dataset: Dataset,
    batches: Iter2,
}

#[no_retain]
struct Session<'a> {
    history: Vec<f64>,
    features: VecDeque<Detached<Tensor>>,
    by_name: HashMap<String, Option<f64>>,
    best: Option<(usize, f64)>,
    average: BTreeMap<String, Detached<Tensor>>,
    cache: RefCell<HashMap<usize, Detached<Tensor>>>,
    count: Cell<usize>,
    once: OnceCell<f64>,
    shared: Arc<Mutex<Vec<f64>>>,
    settings: RwLock<String>,
    steps: AtomicUsize,
    sender: mpsc::Sender<(usize, f64)>,
    received: mpsc::IntoIter<(usize, f64)>,
    worker: Option<JoinHandle<io::Result<()>>>,
    log: BufWriter<File>,
    sink: &'a mut dyn Write,
    started: Instant,
    order: std::iter::Cycle<std::vec::IntoIter<usize>>,
    schedule: fn(usize) -> f64,
    failure: Option<Box<dyn std::error::Error + Send + Sync>>,
}

fn layers(vs: &nn::VarStore) -> Layers<'_> {
    let (path, default) = (vs.root(), Default::default);
    let zeros = || Tensor::zeros([2, 4], (Kind::Float, Device::Cpu));
    let batches = Iter2::new(&zeros(), &zeros(), 1);
    let dataset = Dataset {
        train_images: zeros(),
        train_labels: zeros(),
        test_images: zeros(),
        test_labels: zeros(),
        labels: 1,
    };
    Layers {
        linear: nn::linear(&path / "linear", 4, 4, default()),
        conv: nn::conv2d(&path / "conv", 1, 1, 1, Default::default()),
        transposed: nn::conv_transpose2d(&path / "transposed", 1, 1, 1, Default::default()),
        batch_norm: nn::batch_norm2d(&path / "bn", 1, Default::default()),
        group_norm: nn::group_norm(&path / "gn", 1, 1, Default::default()),
        layer_norm: nn::layer_norm(&path / "ln", vec![4], Default::default()),
        embedding: nn::embedding(&path / "embedding", 2, 2, Default::default()),
        lstm: nn::lstm(&path / "lstm", 2, 2, Default::default()),
        gru: nn::gru(&path / "gru", 2, 2, Default::default()),
        stack: nn::seq().add_fn(|x| x.relu()),
        stack_t: nn::seq_t().add(nn::func(|x| x.relu())),
        func: nn::func(|x| x.relu()),
        any: vec![Box::new(nn::func_t(|x, _| x.relu()))],
        scale: Param::new(&path, "scale", &[1], nn::Init::Const(1.0)),
        state: Detached::from(nn::LSTMState((zeros(), zeros()))),
        optimizer: nn::AdamW::default().build(vs, 1e-3).expect("AdamW builds for a store on the CPU"),
        path,
        dataset,
        batches,
    }
}

/// Lends `value` to be changed.
fn change<T: ?Sized>(_: &mut T) {}

#[no_retain]
fn train(layers: Layers, session: Session) {
    let Layers { mut path, mut linear, mut conv, mut transposed, mut batch_norm, mut group_norm, .. } =
        layers;
    let Layers { mut layer_norm, mut embedding, mut lstm, mut gru, mut stack, mut stack_t, .. } = layers;
    let Layers { mut func, mut any, mut scale, mut state, mut optimizer, mut dataset, mut batches, .. } =
        layers;
    let Session { mut history, mut features, mut by_name, mut best, mut average, mut cache, .. } = session;
    let Session { mut count, mut once, mut shared, mut settings, mut steps, mut sender, .. } = session;
    let Session { mut received, mut worker, mut log, sink, mut started, mut order, .. } = session;
    let Session { mut schedule, mut failure, .. } = session;
    for _ in 0..2 {
        (change(&mut path), change(&mut linear), change(&mut conv), change(&mut transposed));
        (change(&mut batch_norm), change(&mut group_norm), change(&mut layer_norm), change(&mut embedding));
        (change(&mut lstm), change(&mut gru), change(&mut stack), change(&mut stack_t), change(&mut func));
        (
            change(&mut any),
            change(&mut scale),
            change(&mut state),
            change(&mut optimizer),
            change(&mut dataset),
        );
        (change(&mut batches), change(&mut history), change(&mut features), change(&mut by_name));
        (change(&mut best), change(&mut average), change(&mut cache), change(&mut count), change(&mut once));
        (change(&mut shared), change(&mut settings), change(&mut steps), change(&mut sender));
        (change(&mut received), change(&mut worker), change(&mut log), change(sink), change(&mut started));
        (change(&mut order), change(&mut schedule), change(&mut failure));
    }
}

#[test]
fn runs() {
    let vs = nn::VarStore::new(Device::Cpu);
    let (sender, receiver) = mpsc::channel();
    let log =
        File::create(std::env::temp_dir().join("guard_tests_held.txt")).expect("the folder is writable");
    let session = Session {
        history: Vec::new(),
        features: VecDeque::new(),
        by_name: HashMap::new(),
        best: None,
        average: BTreeMap::new(),
        cache: RefCell::default(),
        count: Cell::new(0),
        once: OnceCell::new(),
        shared: Arc::default(),
        settings: RwLock::default(),
        steps: AtomicUsize::new(0),
        sender,
        received: receiver.into_iter(),
        worker: Some(std::thread::spawn(|| Ok(()))),
        log: BufWriter::new(log),
        sink: &mut io::sink(),
        started: Instant::now(),
        order: vec![0, 1].into_iter().cycle(),
        schedule: |step| 1.0 / (step + 1) as f64,
        failure: None,
    };
    train(layers(&vs), session);
}
