use guard_core::no_retain;

#[no_retain(setp)]
fn forward() {}

#[no_retain(vuoch(bar, reason = "a progress bar"))]
fn train() {}

#[no_retain(vouch(bar, raeson = "a progress bar"))]
fn evaluate() {}

#[no_retain(reason = "a progress bar")]
fn predict() {}

#[no_retain(step, step)]
fn sample() {}

fn main() {}
