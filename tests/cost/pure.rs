//! A training loop without tensors: gradient descent on a line.

// Both versions link the same crates.
#[cfg(plain)]
use guard_core as _;
#[cfg(not(plain))]
use guard_core::no_retain;

/// What the fit kept.
#[cfg_attr(not(plain), no_retain)]
struct History {
    losses: Vec<f64>,
    best: Option<(usize, f64)>,
}

#[cfg_attr(not(plain), no_retain)]
impl History {
    fn add(&mut self, step: usize, loss: f64) {
        self.losses.push(loss);
        if self.best.is_none_or(|(_, best)| loss < best) {
            self.best = Some((step, loss));
        }
    }
}

/// Fits `y = slope * x + offset`; valgrind counts what runs in here.
#[cfg_attr(not(plain), no_retain)]
#[unsafe(no_mangle)]
#[inline(never)]
fn measured(points: &[(f64, f64)], steps: usize, history: &mut History) -> (f64, f64) {
    let (mut slope, mut offset) = (0.0, 0.0);
    let mut log = |step: usize, loss: f64| history.add(step, loss);
    for step in 0..steps {
        let mut gradients = Vec::new();
        let mut loss = 0.0;
        for (x, y) in points {
            let error = slope * x + offset - y;
            loss += error * error;
            gradients.push((error * x, error));
        }
        let (by_slope, by_offset) = gradients.iter().fold((0.0, 0.0), |sum, g| (sum.0 + g.0, sum.1 + g.1));
        slope -= 0.01 * by_slope / points.len() as f64;
        offset -= 0.01 * by_offset / points.len() as f64;
        log(step, loss);
    }
    (slope, offset)
}

fn main() {
    let points: Vec<(f64, f64)> = (0..50).map(|x| (f64::from(x) / 25.0, f64::from(x) / 10.0 + 1.0)).collect();
    let mut history = History { losses: Vec::new(), best: None };
    let (slope, offset) = measured(&points, 2000, &mut history);
    println!("{slope:.3} {offset:.3} {} {:?}", history.losses.len(), history.best);
}
