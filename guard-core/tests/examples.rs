//! Every example learns something and ends each epoch at the same number of live bytes.

#![allow(clippy::duplicate_mod, reason = "each example brings its record along")]

mod alone;

use alone::alone;

/// Runs one example: it must bring its measure past `$goal` from the other side of it, in flat memory.
macro_rules! example {
    ($name:ident, $file:literal, $epochs:literal epochs, above $goal:literal) => {
        example!($name, $file, $epochs, |before, after| before < $goal && after > $goal);
    };
    ($name:ident, $file:literal, $epochs:literal epochs, below $goal:literal) => {
        example!($name, $file, $epochs, |before, after| before > $goal && after < $goal);
    };
    ($name:ident, $file:literal, $epochs:literal, $learnt:expr) => {
        #[path = $file]
        mod $name;

        #[test]
        fn $name() {
            let _alone = alone();
            let record = $name::run($epochs);
            let (before, after) = record.change();
            let learnt: fn(f64, f64) -> bool = $learnt;
            assert!(learnt(before, after), "{record}");
            let [first, others @ ..] = record.live_bytes() else { panic!("no epochs") };
            assert!(others.len() >= 2 && others.iter().all(|bytes| bytes == first), "{record}");
        }
    };
}

example!(classifier, "../examples/classifier.rs", 5 epochs, above 0.9);
example!(gan_image_pool, "../examples/gan_image_pool.rs", 18 epochs, below 1.0);
example!(lstm_truncated_bptt, "../examples/lstm_truncated_bptt.rs", 6 epochs, below 0.1);
example!(reinforce, "../examples/reinforce.rs", 6 epochs, above -8.0);
example!(maml, "../examples/maml.rs", 4 epochs, below 1.3);
example!(dqn_replay, "../examples/dqn_replay.rs", 6 epochs, above -6.0);
example!(moco_queue, "../examples/moco_queue.rs", 5 epochs, above 0.6);
example!(ema_teacher, "../examples/ema_teacher.rs", 6 epochs, above 0.8);
example!(kv_cache, "../examples/kv_cache.rs", 5 epochs, above 0.9);
example!(gradient_accumulation, "../examples/gradient_accumulation.rs", 6 epochs, below 0.1);
