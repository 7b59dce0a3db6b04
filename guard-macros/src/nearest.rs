//! The name that somebody meant to type.

/// The one of `names` that `word` misses by at most two letters, and by no more than half of its own; a swap counts as one.
pub fn of<'a>(word: &str, names: &[&'a str]) -> Option<&'a str> {
    let distances = names.iter().map(|name| (strsim::osa_distance(word, name), *name));
    let (letters, name) = distances.min_by_key(|(letters, _)| *letters)?;
    (letters <= 2 && 2 * letters <= name.len()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn only_a_slip_has_a_nearest_name() {
        let names = ["step", "vouch", "crate"];
        assert_eq!(of("setp", &names), Some("step"));
        assert_eq!(of("vuoch", &names), Some("vouch"));
        assert_eq!(of("crates", &names), Some("crate"));
        assert_eq!(of("strict", &names), None);
    }
}
