//! guard-core behind another crate, and behind a macro of that crate.

#![no_implicit_prelude]

use ::std::assert_eq;

use ::guard_tests_hygiene::{meter, prelude::guard};

meter!(Meter);

/// Reached through the path of another crate.
#[guard::no_retain(crate = ::guard_tests_hygiene::prelude::guard)]
struct Counts {
    seen: ::std::vec::Vec<usize>,
}

/// Several arguments at once.
#[guard::no_retain(vouch(log, reason = "it prints numbers"), crate = ::guard_tests_hygiene::prelude::guard)]
fn count(counts: &mut Counts, log: &mut dyn ::std::ops::FnMut(usize)) {
    for step in 0..3 {
        counts.seen.push(step);
        log(step);
    }
}

/// A whole function as one step.
#[guard::no_retain(step, crate = ::guard_tests_hygiene::prelude::guard)]
fn shifted(values: &[f64]) -> ::std::vec::Vec<f64> {
    let mut all = ::std::vec::Vec::new();
    for value in values {
        all.push(value + 1.0);
    }
    all
}

#[test]
fn runs() {
    let mut meter = <Meter as ::std::default::Default>::default();
    meter.add(&shifted(&[1.0, 2.0]));
    assert_eq!(meter.total.to_bits(), 5f64.to_bits());
    let (mut counts, mut sum) = (Counts { seen: ::std::vec::Vec::new() }, 0);
    count(&mut counts, &mut |step| sum += step);
    assert_eq!((counts.seen.len(), sum), (3, 3));
}
