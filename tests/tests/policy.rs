//! What the policy refuses, with the words of the refusal, one suite per rule.

/// Runs the cases of one folder; `TRYBUILD=overwrite` blesses their `.stderr` files.
fn refuse(folder: &str) {
    trybuild::TestCases::new().compile_fail(format!("ui/{folder}/*.rs"));
}

#[test]
fn what_the_policy_refuses() {
    for folder in ["guide", "newcomer", "owner", "step", "store", "static", "refusal"] {
        refuse(folder);
    }
}
