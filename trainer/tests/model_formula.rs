//! The formula that fills the reference networks reproduces its published test vectors.

mod support;

use support::{formula, golden};

#[test]
fn hash_matches_the_test_vectors() {
    let vectors = &golden::json("formula.json")["test_vectors"];
    for (key, hash) in vectors["fnv"].as_object().expect("an object") {
        assert_eq!(formula::fnv1a(key).to_string(), hash.as_str().expect("a string"), "{key}");
    }
    for (key, stream) in vectors["u24"].as_object().expect("an object") {
        for (i, value) in stream.as_array().expect("a list").iter().enumerate() {
            assert_eq!(
                u64::from(formula::u24(formula::fnv1a(key), i as u64)),
                value.as_u64().expect("a number")
            );
        }
    }
}

#[test]
fn values_match_the_test_vectors() {
    let values = formula::values("decoder.enc_score_head.bias", &[80], 0., 0.1);
    let want = [0.077_256_739, -0.013_569_605_5, 0.064_333_595_3, 0.082_376_778_1];
    for (i, want) in want.iter().enumerate() {
        assert!((values.double_value(&[i as i64]) - want).abs() < 1e-9);
    }
}
