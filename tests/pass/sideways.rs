//! Ways out of a step that take no graph along.

use guard_core::no_retain;
use guard_tests::harness::*;
use std::error::Error;
use tch::{Reduction, TchError, nn};

#[no_retain]
fn numbers_by_label(net: &Net, opt: &mut nn::Optimizer) -> usize {
    'epochs: loop {
        for (i, (x, y)) in data().enumerate() {
            let loss = net.loss(&x, &y);
            if f(&loss).is_nan() {
                continue 'epochs;
            }
            opt.backward_step(&loss);
            if i == 3 {
                break 'epochs i;
            }
        }
    }
}

#[no_retain]
fn tensors_by_label_inside(net: &Net, opt: &mut nn::Optimizer) {
    for (x, y) in data() {
        let out = 'forward: {
            let h = net.features(&x);
            if f(&h.norm()) > 1e9 {
                break 'forward h;
            }
            net.l2.forward_checked(&h)
        };
        opt.backward_step(&out.mse_loss(&y, Reduction::Mean));
    }
}

trait ForwardChecked {
    fn forward_checked(&self, x: &tch::Tensor) -> tch::Tensor;
}

impl ForwardChecked for nn::Linear {
    fn forward_checked(&self, x: &tch::Tensor) -> tch::Tensor {
        nn::Module::forward(self, x)
    }
}

#[no_retain]
fn trained_network(net: Net, mut opt: nn::Optimizer) -> Option<(Net, f64)> {
    for (x, y) in data() {
        let loss = net.loss(&x, &y);
        opt.backward_step(&loss);
        if f(&loss) < 1e9 {
            return Some((net, f(&loss)));
        }
    }
    None
}

#[derive(Debug)]
enum Fault {
    Nan(f64),
    Step { step: usize, source: Box<dyn Error> },
}

#[no_retain]
fn errors(net: &Net, opt: &mut nn::Optimizer) -> Result<f64, Fault> {
    let mut last = 0.0;
    for (step, (x, y)) in data().enumerate() {
        let loss = match net.forward(&x).f_mse_loss(&y, Reduction::Mean) {
            Ok(loss) => loss,
            Err(source) => return Err(Fault::Step { step, source: source.into() }),
        };
        opt.backward_step(&loss);
        last = f(&loss);
        if last.is_nan() {
            return Err(Fault::Nan(last));
        }
    }
    Ok(last)
}

#[no_retain]
fn foreign_errors(net: &Net, opt: &mut nn::Optimizer) -> Result<f64, Box<dyn Error>> {
    for (x, y) in data() {
        let loss = net.forward(&x).f_mse_loss(&y, Reduction::Mean)?;
        opt.backward_step(&loss);
        if f(&loss) > 1e9 {
            Err(format!("diverged: {loss:?}"))?;
        }
        if f(&loss) < 1e9 {
            return Ok(f(&loss));
        }
    }
    Err("no data".into())
}

#[no_retain]
fn plain_result(net: &Net, opt: &mut nn::Optimizer) -> Result<(), TchError> {
    for (x, y) in data() {
        let loss = match net.forward(&x).f_mse_loss(&y, Reduction::Mean) {
            Ok(loss) => loss,
            Err(e) => return Err(e),
        };
        opt.backward_step(&loss);
    }
    Ok(())
}

#[no_retain]
fn closures_return_to_themselves(net: &Net, opt: &mut nn::Optimizer) {
    for (x, y) in data() {
        let forward = |x: &tch::Tensor| {
            if B > 1 {
                return net.forward(x);
            }
            x.shallow_clone()
        };
        opt.backward_step(&forward(&x).mse_loss(&y, Reduction::Mean));
    }
}

struct Named {
    tensors: Vec<(String, tch::Tensor)>,
    nets: Vec<Net>,
}

#[no_retain]
impl Named {
    fn get(&self, name: &str) -> Option<&tch::Tensor> {
        for (key, tensor) in &self.tensors {
            if key == name {
                return Some(tensor);
            }
        }
        None
    }

    fn net_mut(&mut self, at: usize) -> Option<&mut Net> {
        for (i, net) in self.nets.iter_mut().enumerate() {
            if i == at {
                return Some(net);
            }
        }
        None
    }
}

#[test]
fn runs() {
    let net = net();
    let mut opt = adam(&net);
    assert_eq!(numbers_by_label(&net, &mut opt), 3);
    tensors_by_label_inside(&net, &mut opt);
    assert!(errors(&net, &mut opt).is_ok_and(f64::is_finite));
    assert!(foreign_errors(&net, &mut opt).is_ok());
    plain_result(&net, &mut opt).expect("the shapes agree");
    closures_return_to_themselves(&net, &mut opt);
    assert!(trained_network(net, opt).is_some());
    let mut named = Named { tensors: vec![("h".into(), h0())], nets: vec![guard_tests::harness::net()] };
    assert!(named.get("h").is_some() && named.get("c").is_none());
    assert!(named.net_mut(0).is_some() && named.net_mut(1).is_none());
}
