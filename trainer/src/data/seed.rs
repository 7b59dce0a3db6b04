//! Generators whose stream depends on nothing but what they are for.
//!
//! A draw keyed by (seed, epoch, index) is the same whichever thread makes it and in whatever order, so the
//! number of workers never changes a batch. The generator is named (PCG XSL RR 128/64) because runs must
//! repeat across versions of the `rand` crate.

use rand_pcg::Pcg64;

/// What a generator is for; two uses never share a stream.
#[derive(Debug, Clone, Copy)]
pub(super) enum Use {
    ShapesTrain = 1,
    ShapesVal = 2,
    Transform = 3,
    Shuffle = 4,
    Scale = 5,
    Mosaic = 6,
}

/// The generator of one use, one key.
pub(super) fn generator(purpose: Use, seed: u64, epoch: u64, index: u64) -> Pcg64 {
    let keyed = [purpose as u64, seed, epoch, index].into_iter().fold(0, |hash, word| mix(hash ^ mix(word)));
    let high = mix(keyed ^ 0x9e37_79b9_7f4a_7c15);
    Pcg64::new(u128::from(high) << 64 | u128::from(keyed), u128::from(mix(high)))
}

/// The finaliser of SplitMix64 after its increment: every input bit reaches every output bit.
fn mix(word: u64) -> u64 {
    let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;

    #[test]
    fn every_part_of_the_key_changes_the_stream() {
        let first = |purpose, seed, epoch, index| generator(purpose, seed, epoch, index).random::<u64>();
        let draws = [
            first(Use::Transform, 0, 0, 0),
            first(Use::Shuffle, 0, 0, 0),
            first(Use::Transform, 1, 0, 0),
            first(Use::Transform, 0, 1, 0),
            first(Use::Transform, 0, 0, 1),
        ];
        assert_eq!(draws[0], first(Use::Transform, 0, 0, 0));
        for (position, draw) in draws.iter().enumerate() {
            assert!(!draws[..position].contains(draw), "draw {position} repeats an earlier one");
        }
    }
}
