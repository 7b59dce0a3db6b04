//! Training loops as people write them.

use guard_core::{Detached, TrainMemoryGuard, no_retain};
use guard_tests::harness::*;
use std::{
    collections::*,
    sync::{Arc, Mutex},
};
use tch::{Device, Kind, Reduction, Tensor, nn, no_grad};

#[no_retain]
fn constant_offset(net: &Net, opt: &mut nn::Optimizer) {
    let pos = h0();
    for (x, y) in data() {
        let x = x + &pos;
        opt.backward_step(&net.loss(&x, &y));
    }
}

#[no_retain]
fn loss_closure(net: &Net, opt: &mut nn::Optimizer) {
    let loss_fn = |a: &Tensor, b: &Tensor| a.mse_loss(b, Reduction::Mean);
    for (x, y) in data() {
        let l = loss_fn(&net.forward(&x), &y);
        opt.backward_step(&l);
    }
}

#[no_retain]
fn loss_closure_parameter(net: &Net, opt: &mut nn::Optimizer, loss_fn: &dyn Fn(&Tensor, &Tensor) -> Tensor) {
    for (x, y) in data() {
        let l = loss_fn(&net.forward(&x), &y);
        opt.backward_step(&l);
    }
}

#[no_retain]
fn activation_parameter<F: Fn(&Tensor) -> Tensor>(net: &Net, opt: &mut nn::Optimizer, act: F) {
    for (x, y) in data() {
        opt.backward_step(&act(&net.forward(&x)).mse_loss(&y, Reduction::Mean));
    }
}

#[no_retain]
fn keyed_numbers(net: &Net, opt: &mut nn::Optimizer) -> Vec<f64> {
    let mut seen: HashMap<String, Vec<f64>> = HashMap::new();
    for (x, y) in data() {
        let l = net.loss(&x, &y);
        opt.backward_step(&l);
        seen.entry("loss".into()).or_default().push(f(&l));
        seen.entry("n".to_string()).or_insert_with(Vec::new).push(1.0);
    }
    seen.remove("loss").unwrap()
}

#[no_retain]
fn accumulated_gradients(net: &Net, opt: &mut nn::Optimizer) {
    let mut accum = 0;
    let mut sum = 0.0;
    for (i, (x, y)) in data().enumerate() {
        let l = net.loss(&x, &y) / 4;
        l.backward();
        accum += 1;
        sum += f(&l);
        if accum == 4 {
            opt.step();
            opt.zero_grad();
            accum = 0;
        }
        if i % 10 == 0 {
            println!("{i} {sum}");
        }
    }
}

#[no_retain]
fn prepared_inputs(net: &Net, opt: &mut nn::Optimizer) {
    let inputs: Vec<Tensor> = vec![batch(), batch()];
    for i in 0..10 {
        let x = inputs[i % inputs.len()].shallow_clone();
        let y = &inputs[0];
        opt.backward_step(&net.loss(&x, y));
    }
}

#[no_retain]
fn chunks_of_one_tensor(net: &Net, opt: &mut nn::Optimizer) {
    let mut order: Vec<usize> = (0..60).collect();
    order.reverse();
    let xs = Tensor::randn([60, B, H], (Kind::Float, Device::Cpu));
    for chunk in order.chunks(4) {
        let mut total = zero();
        for &i in chunk {
            let x = xs.get(i as i64);
            total += net.loss(&x, &x);
        }
        opt.backward_step(&total);
    }
}

#[no_retain]
fn detached_state(net: &Net, opt: &mut nn::Optimizer) {
    let mut state = Detached::from((h0(), h0()));
    for (x, _) in data() {
        let (h, c) = state.get();
        let h2 = net.cell(&x, &h);
        let c2 = net.cell(&x, &c);
        opt.backward_step(&(&h2 + &c2).mean(Kind::Float));
        state.set(&(h2, c2));
    }
}

#[no_retain]
fn accuracy(net: &Net) -> f64 {
    let mut correct = 0i64;
    let mut total = 0i64;
    for (x, y) in data() {
        let out = no_grad(|| net.forward(&x));
        correct +=
            i64::try_from(&out.argmax(1, false).eq_tensor(&y.argmax(1, false)).sum(Kind::Int64)).unwrap();
        total += x.size()[0];
    }
    correct as f64 / total as f64
}

#[no_retain]
fn while_let(net: &Net, opt: &mut nn::Optimizer) {
    let mut i = 0;
    let mut d = data();
    while let Some((x, y)) = d.next() {
        i += 1;
        if i > 10 {
            break;
        }
        let l = net.loss(&x, &y);
        opt.backward_step(&l);
    }
}

#[no_retain]
fn queue_of_keys(net: &Net, opt: &mut nn::Optimizer) {
    let mut queue: VecDeque<Detached<Tensor>> = VecDeque::new();
    for (x, _) in data() {
        let k = net.features(&x);
        queue.push_back(Detached::new(&k));
        if queue.len() > 4 {
            queue.pop_front();
        }
        let bank: Vec<Tensor> = queue.iter().map(|q| q.get()).collect();
        let l = (k - Tensor::cat(&bank, 0).mean_dim(0, true, Kind::Float)).square().mean(Kind::Float);
        opt.backward_step(&l);
    }
}

#[no_retain]
fn weighted_losses(net: &Net, opt: &mut nn::Optimizer) {
    let w: Vec<f64> = vec![1.0, 0.5];
    for (x, y) in data() {
        let losses = vec![net.loss(&x, &y), net.features(&x).mean(Kind::Float)];
        let mut total = zero();
        for (w, l) in w.iter().zip(&losses) {
            total += l * *w;
        }
        opt.backward_step(&total);
    }
}

#[no_retain]
fn closure_that_steps(net: &Net, opt: &mut nn::Optimizer) {
    let mut closure = |x: &Tensor, y: &Tensor| {
        let l = net.loss(x, y);
        opt.backward_step(&l);
        f(&l)
    };
    let mut hist = vec![];
    for (x, y) in data() {
        hist.push(closure(&x, &y));
    }
}

#[no_retain]
fn memory_guard(net: &Net, guard: &mut TrainMemoryGuard, opt: &mut nn::Optimizer) {
    for (x, y) in data() {
        let l = net.loss(&x, &y);
        opt.backward_step(&l);
        guard.record_loss(&l).unwrap();
        guard.hold_tensor(&l, "l");
    }
    println!("{}", guard.check());
}

#[no_retain]
fn shared_best(net: &Net, opt: &mut nn::Optimizer) {
    let best: Arc<Mutex<Option<Detached<Tensor>>>> = Arc::default();
    for (x, y) in data() {
        let o = net.forward(&x);
        opt.backward_step(&o.mse_loss(&y, Reduction::Mean));
        *best.lock().unwrap() = Some(Detached::new(&o));
    }
}

#[no_retain]
fn kind_and_device(net: &Net, opt: &mut nn::Optimizer) {
    let device = net.vs.device();
    let kind = Kind::Float;
    let name = String::from("x");
    let t0 = std::time::Instant::now();
    for (x, y) in data() {
        let x = x.to_device(device).to_kind(kind);
        let l = net.loss(&x, &y);
        opt.backward_step(&l);
        eprintln!("{name} {:?} {:.3}", t0.elapsed(), f(&l));
    }
}

#[no_retain]
fn early_return(net: &Net, opt: &mut nn::Optimizer) -> Result<f64, Box<dyn std::error::Error>> {
    let mut last = None;
    for (x, y) in data() {
        let l = net.loss(&x, &y);
        if !f(&l).is_finite() {
            return Err("nan".into());
        }
        opt.backward_step(&l);
        last = Some(f(&l));
    }
    last.ok_or_else(|| "empty".into())
}

#[no_retain]
fn labelled_epochs(net: &Net, opt: &mut nn::Optimizer) {
    'epochs: for epoch in 0..3 {
        let mut s = 0.0;
        for (i, (x, y)) in data().enumerate() {
            let l = net.loss(&x, &y);
            opt.backward_step(&l);
            s += f(&l);
            if s > 1e9 {
                break 'epochs;
            }
            if i == 3 {
                continue 'epochs;
            }
        }
        println!("{epoch} {s}");
    }
}

#[no_retain]
fn averaged_weights(net: &Net, opt: &mut nn::Optimizer) {
    let mut ema: BTreeMap<String, Detached<Tensor>> =
        net.vs.variables().into_iter().map(|(k, v)| (k, Detached::new(&v))).collect();
    for (x, y) in data() {
        opt.backward_step(&net.loss(&x, &y));
        for (k, v) in net.vs.variables() {
            if let Some(e) = ema.get_mut(&k) {
                e.update(|e| *e = &*e * 0.9 + &v * 0.1);
            }
        }
    }
}

#[no_retain]
fn marked_step(net: &Net) {
    #[step]
    for _ in 0..3 {
        let mut xs = vec![];
        for _ in 0..3 {
            let mut h = h0();
            for _ in 0..2 {
                h = net.cell(&batch(), &h);
            }
            xs.push(h);
        }
        let _ = Tensor::stack(&xs, 0);
    }
}

#[no_retain]
fn adversarial(net: &Net, opt: &mut nn::Optimizer) {
    #[allow(clippy::never_loop)]
    for (x, _) in data() {
        let fake = net.forward(&x);
        let d = net.forward(&fake.detach()).mean(Kind::Float);
        for _ in 0..1 {
            opt.backward_step(&d);
        }
        let mut g = net.forward(&fake);
        let _ = g.clamp_(0.0, 1.0);
        let _ = g.relu_();
        break;
    }
}

#[no_retain]
fn epochs_as_map(net: &Net, opt: &mut nn::Optimizer) -> Vec<(usize, f64)> {
    (0..5)
        .map(|k| {
            let mut s = 0.0;
            for (x, y) in data().take(2) {
                let l = net.loss(&x, &y);
                opt.backward_step(&l);
                s += f(&l);
            }
            (k, s)
        })
        .collect()
}

#[no_retain]
fn iterators_in_step(net: &Net, opt: &mut nn::Optimizer) {
    for (x, y) in data() {
        let hs: Vec<Tensor> = (0..3).map(|i| net.features(&(&x + i as f64))).collect();
        let total: Tensor = hs.iter().map(|h| h.mean(Kind::Float)).sum();
        let m = hs.into_iter().fold(total, |a, h| a + h.mean(Kind::Float));
        opt.backward_step(&(m + net.loss(&x, &y)));
    }
}

#[no_retain]
fn lines_to_file(
    net: &Net,
    steps: std::ops::Range<usize>,
    stop: &std::sync::atomic::AtomicBool,
    path: &std::path::Path,
) -> std::io::Result<()> {
    let mut file = std::fs::File::create(path)?;
    use std::io::Write;
    for i in steps.clone() {
        if stop.load(std::sync::atomic::Ordering::SeqCst) {
            break;
        }
        writeln!(file, "{i} {}", f(&net.loss(&batch(), &batch())))?;
    }
    Ok(())
}

#[no_retain]
fn schedule(net: &Net, opt: &mut nn::Optimizer) {
    let cfg = (0.1f64, [1i64, 2, 3], "a");
    let lrs = [0.1, 0.2];
    for (i, (x, y)) in data().enumerate() {
        opt.set_lr(lrs[i % lrs.len()] * cfg.0);
        let s = cfg.1.iter().sum::<i64>();
        let l = net.loss(&x, &y) * s as f64;
        opt.backward_step(&l);
    }
}

#[test]
fn runs() {
    let net = net();
    let mut opt = adam(&net);
    constant_offset(&net, &mut opt);
    loss_closure(&net, &mut opt);
    let _ = loss_closure_parameter(&net, &mut opt, &|a, b| a.mse_loss(b, Reduction::Mean));
    let _ = activation_parameter(&net, &mut opt, |x| x.tanh());
    let _ = keyed_numbers(&net, &mut opt);
    accumulated_gradients(&net, &mut opt);
    prepared_inputs(&net, &mut opt);
    chunks_of_one_tensor(&net, &mut opt);
    detached_state(&net, &mut opt);
    let _ = accuracy(&net);
    while_let(&net, &mut opt);
    queue_of_keys(&net, &mut opt);
    weighted_losses(&net, &mut opt);
    closure_that_steps(&net, &mut opt);
    memory_guard(&net, &mut TrainMemoryGuard::new(Default::default()), &mut opt);
    shared_best(&net, &mut opt);
    kind_and_device(&net, &mut opt);
    let _ = early_return(&net, &mut opt);
    labelled_epochs(&net, &mut opt);
    averaged_weights(&net, &mut opt);
    marked_step(&net);
    adversarial(&net, &mut opt);
    let _ = epochs_as_map(&net, &mut opt);
    iterators_in_step(&net, &mut opt);
    let _ = lines_to_file(
        &net,
        0..3,
        &std::sync::atomic::AtomicBool::new(false),
        &std::env::temp_dir().join("guard_tests_lines.txt"),
    );
    schedule(&net, &mut opt);
}
