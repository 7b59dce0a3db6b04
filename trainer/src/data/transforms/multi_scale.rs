//! Another side for each batch.

use guard_core::no_retain;
use rand::RngExt;
use serde::{Deserialize, Serialize};

use super::Key;
use crate::data::seed::{Use, generator};

/// Sides that batches are brought to, by the nearest pixel as in the official collate function.
#[no_retain]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MultiScale {
    /// The sides to draw from, each as likely as it is often in the list.
    pub sides: Vec<u32>,
    /// First epoch in which every batch keeps the side of its images.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<u64>,
}

/// Sides are multiples of the network's largest stride.
const STEP: u32 = 32;
/// How often the side itself is in the official list.
const REPEAT: usize = 3;

impl MultiScale {
    /// The official list: three quarters to five quarters of `side` in steps of 32, `side` three times.
    pub fn official(side: u32) -> Self {
        let [least, most] = [3, 5].map(|quarters| side * quarters / 4 / STEP * STEP);
        let around = (least.max(STEP)..=most).step_by(STEP as usize);
        let repeated = |scale| std::iter::repeat_n(scale, if scale == side { REPEAT } else { 1 });
        Self { sides: around.flat_map(repeated).collect(), until: None }
    }

    /// The side of the batch that `key` names; `None` once it is over.
    pub fn draw(&self, key: Key) -> Option<u32> {
        if self.until.is_some_and(|end| key.epoch >= end) {
            return None;
        }
        let mut rng = generator(Use::Scale, key.seed, key.epoch, key.index);
        let place = rng.random_range(0..self.sides.len().max(1));
        self.sides.get(place).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_official_list_is_that_of_the_configuration_files() {
        let sides = [480, 512, 544, 576, 608, 640, 640, 640, 672, 704, 736, 768, 800];
        assert_eq!(MultiScale::official(640).sides, sides);
        assert_eq!(MultiScale::official(128).sides, [96, 128, 128, 128, 160]);
        assert!(MultiScale::official(32).sides.contains(&32));
    }

    #[test]
    fn a_side_depends_on_nothing_but_the_key_and_ends() {
        let scale = MultiScale { until: Some(3), ..MultiScale::official(640) };
        let sides =
            |epoch| (0..200).map(|index| scale.draw(Key { seed: 1, epoch, index })).collect::<Vec<_>>();
        assert_eq!(sides(0), sides(0));
        assert_ne!(sides(0), sides(1));
        assert!(sides(3).iter().all(Option::is_none));
        let drawn: std::collections::BTreeSet<_> = sides(2).into_iter().flatten().collect();
        assert_eq!(drawn.len(), 11, "every side is drawn: {drawn:?}");
    }
}
