//! A mean teacher: few labels, many points without, and a teacher whose weights are the average of the student's.
//!
//! What people leak here is the average. `average = average * 0.99 + weight * 0.01` is built on the weight, a leaf that
//! asks for gradients, so each step adds nodes to a chain that never ends. With `#[no_retain]` on the loop the
//! compiler points at the variable:
//!
//! ```text
//! error[E0277]: `tch::Tensor` can keep an autograd graph alive after the step
//!   |         average = average * 0.99 + weight * 0.01;
//!   |         ^^^^^^^ outlives the step
//!   = note: to keep values, keep `Detached::new(&tensor)`: its `.get()` returns a tensor without history
//! ```
//!
//! The form that works: the teacher is a network of its own whose `Param`s are set in `Teacher::follow`. `Param::set` writes
//! without grad, and the teacher's predictions come out of `no_graph`.

mod record;

use guard_core::{Param, no_graph, no_retain};
use record::Record;
use tch::nn::{self, Module, OptimizerConfig};
use tch::{Device, Kind, Tensor};

const CPU: (Kind, Device) = (Kind::Float, Device::Cpu);
const LABELLED: i64 = 32;
const BATCH: i64 = 64;

/// Points on two half moons, `[n, 2]`, and the moon of each, `[n]`.
fn moons(n: i64) -> (Tensor, Tensor) {
    let labels = Tensor::randint(2, [n], (Kind::Int64, Device::Cpu));
    let side = labels.to_kind(Kind::Float) * 2.0 - 1.0;
    let angle = Tensor::rand([n], CPU) * std::f64::consts::PI;
    let x = angle.cos() - &side * 0.5;
    let y = &side * (0.25 - angle.sin());
    (Tensor::stack(&[x, y], 1) + Tensor::randn([n, 2], CPU) * 0.08, labels)
}

fn network(path: &nn::Path) -> nn::Sequential {
    nn::seq()
        .add(nn::linear(path / "hidden", 2, 32, Default::default()))
        .add_fn(|x| x.relu())
        .add(nn::linear(path / "logits", 32, 2, Default::default()))
}

/// The averaged network. Its parameters lie in the order of their names, as the student's do.
#[no_retain]
struct Teacher {
    network: nn::Sequential,
    averages: Vec<(String, Param)>,
}

impl Teacher {
    fn of(student: &nn::VarStore) -> Self {
        let mut vs = nn::VarStore::new(Device::Cpu);
        let network = network(&vs.root());
        vs.copy(student).expect("teacher and student have the same variables");
        vs.freeze();
        Self { network, averages: Param::all(&vs) }
    }

    /// Moves each average a little towards the student's weight.
    fn follow(&self, student: &[(String, Param)]) {
        for ((_, average), (_, weight)) in self.averages.iter().zip(student) {
            average.set(&average.tensor().lerp(&weight.tensor(), 0.02));
        }
    }

    /// Probabilities, `[n, 2]`.
    fn predict(&self, points: &Tensor) -> guard_core::Detached<Tensor> {
        no_graph(|| self.network.forward(points).softmax(-1, Kind::Float))
    }
}

/// The student, what trains it, and its weights by name.
#[no_retain]
struct Student {
    network: nn::Sequential,
    optimizer: nn::Optimizer,
    weights: Vec<(String, Param)>,
}

#[no_retain]
fn train_one_epoch(student: &mut Student, teacher: &Teacher, points: &Tensor, labels: &Tensor) {
    for _ in 0..50 {
        let supervised = student.network.forward(points).cross_entropy_for_logits(labels);
        let (unlabelled, _) = moons(BATCH);
        let disturbed = &unlabelled + unlabelled.randn_like() * 0.1;
        let agreed =
            student.network.forward(&disturbed).softmax(-1, Kind::Float) - teacher.predict(&unlabelled).get();
        let consistency = agreed.square().mean(Kind::Float);
        student.optimizer.backward_step(&(supervised + consistency * 2.0));
        teacher.follow(&student.weights);
    }
}

/// The share of points that the teacher puts on the right moon.
fn accuracy(teacher: &Teacher) -> f64 {
    let (points, labels) = moons(512);
    teacher.predict(&points).get().accuracy_for_logits(&labels).double_value(&[])
}

/// Trains for `epochs` epochs.
#[no_retain]
pub fn run(epochs: usize) -> Record {
    let mut record = Record::start("accuracy of the teacher");
    let vs = nn::VarStore::new(Device::Cpu);
    let network = network(&vs.root());
    let optimizer = nn::Adam::default().build(&vs, 1e-2).expect("Adam builds for a store on the CPU");
    let mut student = Student { network, optimizer, weights: Param::all(&vs) };
    let teacher = Teacher::of(&vs);
    let (points, labels) = moons(LABELLED);
    record.before(accuracy(&teacher));
    for _ in 0..epochs {
        train_one_epoch(&mut student, &teacher, &points, &labels);
        record.epoch(accuracy(&teacher));
    }
    record
}

#[allow(dead_code, reason = "the tests call `run`")]
fn main() {
    println!("{}", run(8));
}
