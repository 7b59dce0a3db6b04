// MEM04: a state taken out and put back.
use guard_core::no_retain;
use guard_tests::harness::{Net, data, h0};
use tch::{Tensor, nn};

#[no_retain]
pub fn run(net: &Net, _: &mut nn::Optimizer) {
    let mut st: Option<Tensor> = None;
    for (x, _) in data() {
        let h = st.take().unwrap_or_else(h0);
        st.replace(net.cell(&x, &h));
    }
}

fn main() {}
