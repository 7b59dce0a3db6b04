// BNK03: a pool of pictures fed with the generator's outputs.
use guard_core::no_retain;
use guard_tests::harness::{Net, data};
use tch::{Tensor, nn};

#[no_retain]
struct ImagePool {
    imgs: Vec<Tensor>,
}
impl ImagePool {
    fn query(&mut self, fake: &Tensor, i: usize) -> Tensor {
        if self.imgs.len() < 16 {
            self.imgs.push(fake.shallow_clone());
            return fake.shallow_clone();
        }
        std::mem::replace(&mut self.imgs[i % 16], fake.shallow_clone())
    }
}

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    let mut pool = ImagePool { imgs: vec![] };
    for (i, (x, _)) in data().enumerate() {
        let fake = net.forward(&x);
        let _d_in = pool.query(&fake, i).detach();
    }
}

fn main() {}
