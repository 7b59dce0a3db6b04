// Methods of a type that is not marked.
use guard_core::no_retain;
use tch::Tensor;

struct Unmarked {
    hist: Vec<Tensor>,
    sum: Tensor,
}

#[no_retain]
impl Unmarked {
    fn one(&mut self, l: Tensor) {
        self.hist.push(l);
    }
    fn two(&mut self, l: &Tensor) {
        self.sum += l;
    }
    fn three(&mut self, l: Tensor) -> Tensor {
        std::mem::replace(&mut self.sum, l)
    }
    fn four(&mut self, l: &Tensor) {
        let _ = self.sum.g_add_(l);
    }
    fn five(&mut self, l: Tensor) {
        let Self { hist, .. } = self;
        hist.push(l);
    }
    fn six(&mut self, l: Tensor) {
        if let Some(last) = self.hist.last_mut() {
            *last = l;
        }
    }
}

fn main() {}
