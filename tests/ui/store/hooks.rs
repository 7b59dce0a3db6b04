// Closures kept in a list or a field, called for their effect.
use guard_core::no_retain;
use guard_tests::harness::*;
use tch::Tensor;

struct Hook<'a> {
    call: Box<dyn FnMut(Tensor) + 'a>,
}

#[no_retain]
fn in_a_list(net: &Net, hooks: &[Box<dyn Fn(&Tensor)>]) {
    for (x, y) in data() {
        let loss = net.loss(&x, &y);
        for hook in hooks {
            hook(&loss);
        }
    }
}

#[no_retain]
fn by_for_each(net: &Net, hooks: &[Box<dyn Fn(&Tensor)>]) {
    for (x, y) in data() {
        let loss = net.loss(&x, &y);
        hooks.iter().for_each(|hook| hook(&loss));
    }
}

#[no_retain]
fn with_its_answer_dropped(net: &Net, hook: &dyn Fn(Tensor) -> bool) {
    for (x, y) in data() {
        let _ = hook(net.loss(&x, &y));
    }
}

#[no_retain]
fn in_a_field(net: &Net) -> usize {
    let mut seen = Vec::new();
    let mut hook = Hook { call: Box::new(|loss| seen.push(loss)) };
    for (x, y) in data() {
        let loss = net.loss(&x, &y);
        (hook.call)(loss);
    }
    drop(hook);
    seen.len()
}

fn main() {}
