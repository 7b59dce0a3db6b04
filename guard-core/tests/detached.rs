//! `Detached`: no graph, ever, and not a byte more than its elements.

mod alone;

use alone::alone;
use guard_core::{Detach, Detached, graph_nodes, memory, no_graph};
use std::collections::{BTreeMap, HashMap, VecDeque};
use tch::{Device, Kind, Reduction, Tensor, nn, vision::dataset::Dataset};

const CPU: (Kind, Device) = (Kind::Float, Device::Cpu);

fn weight() -> Tensor {
    Tensor::ones([4], CPU).set_requires_grad(true)
}

/// Live bytes that remain once everything but the result of `f` is dropped.
fn kept<T>(f: impl FnOnce() -> T) -> (u64, T) {
    let before = memory::live_bytes();
    let value = f();
    (memory::live_bytes() - before, value)
}

fn is_free(tensor: &Tensor) -> bool {
    !tensor.requires_grad() && graph_nodes(tensor) == 0
}

#[test]
fn the_mean_of_a_loss_keeps_four_bytes() {
    let _alone = alone();
    let loss =
        || weight().expand([32, 128, 4], false).mse_loss(&Tensor::zeros([32, 128, 4], CPU), Reduction::Mean);
    let (whole, raw) = kept(loss);
    assert!(whole > 32 * 128 * 4, "libtorch keeps the element-wise buffer: {whole}");
    drop(raw);
    let (by_reference, _a) = kept(|| Detached::new(&loss()));
    let (by_value, _b) = kept(|| Detached::from(loss()));
    assert_eq!((by_reference, by_value), (4, 4));
}

#[test]
fn a_row_keeps_a_row() {
    let _alone = alone();
    let (bytes, row) = kept(|| Detached::from(Tensor::rand([64, 1000], CPU).get(3)));
    assert_eq!(bytes, 4000);
    assert_eq!(row.storage_bytes(), Some(4000));
    let (bytes, corner) = kept(|| Detached::new(&Tensor::rand([64, 64], CPU).narrow(1, 2, 3)));
    assert_eq!((bytes, corner.size()), (64 * 3 * 4, vec![64, 3]));
}

#[test]
fn an_expanded_tensor_keeps_every_element() {
    let _alone = alone();
    let wide = Detached::new(&Tensor::from_slice(&[1.0f32, 2.0]).unsqueeze(1).expand([2, 5], false));
    assert_eq!(wide.storage_bytes(), Some(40));
    assert_eq!(wide.double_value(&[1, 4]), 2.0);
}

#[test]
fn a_tensor_given_away_is_not_copied() {
    let _alone = alone();
    let tensor = Tensor::rand([100], CPU);
    let (address, before) = (tensor.data_ptr(), memory::allocations());
    let detached = Detached::from(tensor);
    assert_eq!(memory::allocations(), before);
    assert_eq!(detached.get().data_ptr(), address);
}

#[test]
fn memory_that_others_use_is_copied() {
    let _alone = alone();
    let vs = nn::VarStore::new(Device::Cpu);
    let mut param = vs.root().var("w", &[3], nn::Init::Const(1.0));
    let from_handle = Detached::from(param.shallow_clone());
    let saved_by_autograd = param.exp();
    let loss = saved_by_autograd.sum(Kind::Float);
    let mut from_saved = Detached::from(saved_by_autograd);
    from_saved += 1.0;
    loss.backward(); // `exp` saved its result: changing that in place would be an error here
    let _ = tch::no_grad(|| param.fill_(7.0));
    assert_eq!(from_handle.double_value(&[0]), 1.0);
    assert!((from_saved.double_value(&[0]) - (1f64.exp() + 1.0)).abs() < 1e-6);
}

#[test]
fn the_graph_and_what_it_saved_are_let_go() {
    let _alone = alone();
    let w = weight();
    let (bytes, feature) = kept(|| {
        let big = Tensor::rand([1000, 4], CPU) * &w;
        Detached::from(big.exp().sum(Kind::Float))
    });
    assert_eq!(bytes, 4);
    assert!(is_free(&feature.get()));
}

#[test]
fn every_shape_of_value_is_detached() {
    let _alone = alone();
    let w = weight();
    let g = || &w * 2.0;
    let check = |tensors: Vec<Tensor>| assert!(tensors.iter().all(is_free));
    check(Detached::new(&Some(g())).get().into_iter().collect());
    assert!(Detached::new(&None::<Tensor>).get().is_none());
    check(Detached::new(&vec![g(), g()]).get());
    check(Detached::new(&[g(), g()]).get().into());
    let (first, (count, second)) = Detached::new(&(g(), (3usize, g()))).get();
    check(vec![first, second]);
    assert_eq!(count, 3);
    check(Detached::new(&HashMap::from([("a".to_owned(), g())])).get().into_values().collect());
    check(Detached::new(&BTreeMap::from([(1, vec![g()])])).get().into_values().flatten().collect());
    let nn::LSTMState((h, c)) = Detached::new(&nn::LSTMState((g(), g()))).get();
    check(vec![h, c, Detached::new(&nn::GRUState(g())).get().0]);
    check(Detached::new(&vec![g(), g()].into_boxed_slice()).get().into_vec());
    check(Detached::new(&VecDeque::from([Box::new(g())])).get().into_iter().map(|boxed| *boxed).collect());
    let long = Detached::new(&(g(), 1u8, g(), 2u8, g(), 3u8, g(), 4u8, g(), 5u8, g(), 6u8)).get();
    assert_eq!((long.1, long.11), (1, 6));
    check(vec![long.0, long.2, long.4, long.6, long.8, long.10]);
}

#[test]
fn a_data_set_made_by_a_network_is_cut_off_from_it() {
    let _alone = alone();
    let w = weight();
    let g = |n: f64| &w * n;
    let (train_images, train_labels, test_images, test_labels) = (g(1.0), g(2.0), g(3.0), g(4.0));
    let made = Dataset { train_images, train_labels, test_images, test_labels, labels: 5 };
    let kept = Detached::from(made).get();
    let tensors = [kept.train_images, kept.train_labels, kept.test_images, kept.test_labels];
    assert!(tensors.iter().all(is_free));
    assert_eq!(tensors.map(|tensor| tensor.double_value(&[0])), [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(kept.labels, 5);
}

#[test]
fn a_running_mean_is_moved_in_place() {
    let _alone = alone();
    let w = weight();
    let mut mean = Detached::from(Tensor::from(0.0f32));
    let address = mean.get().data_ptr();
    for n in 1..=10 {
        let loss = (&w * f64::from(n)).mean(Kind::Float);
        mean.lerp(&loss, 1.0 / f64::from(n));
        loss.backward();
    }
    assert!((mean.double_value(&[]) - 5.5).abs() < 1e-6);
    assert_eq!(mean.get().data_ptr(), address);
    assert!(is_free(&mean.get()));
}

#[test]
fn counts_are_changed_by_whole_numbers() {
    let _alone = alone();
    let mut count = Detached::from(Tensor::from(7i64));
    count += 5;
    count -= 2;
    count *= 3;
    assert_eq!((count.kind(), count.double_value(&[])), (Kind::Int64, 30.0));
}

/// Runs `attack` on a fresh value and expects no graph on it afterwards.
fn withstands(name: &str, attack: impl FnOnce(&mut Detached<Tensor>, &Tensor)) {
    let w = weight();
    let mut detached = Detached::new(&w.exp());
    attack(&mut detached, &w);
    assert!(is_free(&detached.get()), "{name}: the handle");
    assert!(is_free(&detached.into_inner()), "{name}: the tensor inside");
}

#[test]
fn no_method_lets_a_graph_in() {
    let _alone = alone();
    withstands("get, set_requires_grad", |d, _| drop(d.get().set_requires_grad(true)));
    withstands("get, in place", |d, w| drop(d.get().g_add_(w)));
    withstands("get, in place on a view", |d, w| drop(d.get().get(0).g_add_(&w.get(0))));
    withstands("get, set_data", |d, w| d.get().set_data(&w.exp()));
    withstands("get, a shallow clone", |d, w| drop(d.get().shallow_clone().g_mul_(w)));
    withstands("get, kept and used", |d, w| {
        (d.get().set_requires_grad(true) * w).sum(Kind::Float).backward()
    });
    withstands("set", |d, w| d.set(&w.exp()));
    withstands("update, set_requires_grad", |d, _| d.update(|t| drop(t.set_requires_grad(true))));
    withstands("update, replace", |d, w| d.update(|t| *t = tch::with_grad(|| w.exp())));
    withstands("update, replace by a view", |d, w| d.update(|t| *t = w.view_([2, 2])));
    withstands("update, in place with grad", |d, w| d.update(|t| tch::with_grad(|| drop(t.g_add_(w)))));
    withstands("map", |d, w| *d = d.map(|t| tch::with_grad(|| t * w)));
    withstands("to_device", |d, _| *d = d.to_device(Device::Cpu));
    withstands("clone", |d, _| *d = d.clone());
    withstands("+= tensor", |d, w| *d += w);
    withstands("+= graph", |d, w| *d += w.exp());
    withstands("-= graph", |d, w| *d -= &w.exp());
    withstands("*= graph", |d, w| *d *= &w.exp());
    withstands("/= graph", |d, w| *d /= &w.exp());
    withstands("+= detached", |d, w| *d += &Detached::from(w.exp()));
    withstands("lerp", |d, w| d.lerp(&w.exp(), 0.5));
    withstands("+= number", |d, _| *d += 1);
    withstands("from a leaf", |d, w| *d = Detached::from(w.shallow_clone()));
    withstands("default", |d, _| *d = Detached::default());
}

#[test]
fn an_update_changes_the_values_in_place() {
    let _alone = alone();
    let mut average = Detached::new(&Tensor::zeros([1000], CPU));
    let before = memory::allocations();
    let address = average.get().data_ptr();
    average.update(|t| drop(t.fill_(3.0)));
    assert_eq!(average.double_value(&[999]), 3.0);
    assert_eq!((average.get().data_ptr(), memory::allocations()), (address, before));
}

#[test]
fn an_update_may_grow_and_shrink_a_collection() {
    let _alone = alone();
    let w = weight();
    let mut states = Detached::<Vec<Tensor>>::default();
    states.update(|list| list.push(tch::with_grad(|| w.exp())));
    states.update(|list| list.push(Tensor::zeros([9, 9], CPU).get(0)));
    assert!(states.get().iter().all(is_free));
    assert_eq!(states.get().iter().map(memory::storage_bytes).collect::<Vec<_>>(), [Some(16), Some(36)]);
    states.update(|list| drop(list.remove(0)));
    assert_eq!(states.get().len(), 1);
}

#[test]
fn an_update_that_panics_leaves_grad_mode_on_and_the_value_free() {
    let _alone = alone();
    let w = weight();
    let mut detached = Detached::new(&w);
    let attempt = std::panic::AssertUnwindSafe(|| {
        detached.update(|t| {
            *t = tch::with_grad(|| w.exp());
            panic!("half way")
        })
    });
    assert!(std::panic::catch_unwind(attempt).is_err());
    assert!(is_free(&detached.get()));
    assert!(w.exp().requires_grad(), "grad mode is on again");
}

#[test]
fn a_total_is_a_number_after_many_steps() {
    let _alone = alone();
    let w = weight();
    let mut total = Detached::from(Tensor::from(0.0f32));
    let (bytes, ()) = kept(|| {
        for _ in 0..200 {
            let loss = (&w * 0.5).sum(Kind::Float);
            total += &loss;
            loss.backward();
        }
    });
    total /= 200.0;
    assert_eq!(total.double_value(&[]), 2.0);
    assert_eq!(bytes, 16, "the gradient of `w`, allocated by the first backward");
}

#[test]
fn setting_leaves_earlier_handles_as_they_were() {
    let _alone = alone();
    let w = weight();
    let mut state = Detached::new(&Tensor::ones([4], CPU));
    let used = state.get();
    let loss = (&w * &used).sum(Kind::Float);
    state.set(&Tensor::zeros([4], CPU));
    loss.backward();
    assert_eq!(w.grad().double_value(&[0]), 1.0);
}

#[test]
fn a_clone_has_its_own_memory() {
    let _alone = alone();
    let original = Detached::new(&Tensor::zeros([2], CPU));
    let mut copy = original.clone();
    copy += 5.0;
    assert_eq!((original.double_value(&[0]), copy.double_value(&[0])), (0.0, 5.0));
}

#[test]
fn no_graph_detaches_what_it_returns_and_survives_a_panic() {
    let _alone = alone();
    let w = weight();
    let features = w.exp();
    assert!(is_free(&no_graph(|| features.get(0)).get()));
    assert!(is_free(&no_graph(|| tch::with_grad(|| &w * 2.0)).get()));
    let panicked =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| no_graph(|| -> Tensor { panic!() })));
    assert!(panicked.is_err());
    assert!(w.exp().requires_grad(), "grad mode is on again");
}

#[test]
fn debug_shows_shapes_and_no_elements() {
    let _alone = alone();
    let pair = Detached::new(&(Tensor::zeros([2, 3], CPU), Tensor::zeros([4], (Kind::Int64, Device::Cpu))));
    assert_eq!(format!("{pair:?}"), "Detached([2, 3] Float Cpu, [4] Int64 Cpu)");
}

#[test]
fn it_crosses_threads() {
    let _alone = alone();
    fn sendable<T: Send + 'static>(_: &T) {}
    let detached = Detached::new(&weight());
    sendable(&detached);
    let sum = std::thread::spawn(move || detached.get().sum(Kind::Float).double_value(&[])).join();
    assert_eq!(sum.expect("no panic"), 4.0);
}

#[test]
fn an_undefined_tensor_and_a_sparse_one_are_kept_too() {
    let _alone = alone();
    assert!(!Detached::new(&Tensor::new()).get().defined());
    let sparse = Tensor::eye(3, CPU).to_sparse(None, None::<&[i64]>, None);
    let kept = Detached::new(&sparse);
    assert!(kept.get().is_sparse());
    assert_eq!(kept.map(|t| t.to_dense(None, false)).double_value(&[2, 2]), 1.0);
}

#[test]
fn a_struct_of_ones_own_can_be_held() {
    let _alone = alone();
    struct Memory {
        keys: Tensor,
        age: usize,
    }
    impl Detach for Memory {
        fn map_tensors(&self, f: &mut dyn FnMut(&Tensor) -> Tensor) -> Self {
            Self { keys: self.keys.map_tensors(f), age: self.age }
        }
    }
    let kept = Detached::from(Memory { keys: weight().exp(), age: 2 });
    assert!(is_free(&kept.get().keys));
    assert_eq!(kept.get().age, 2);
}
