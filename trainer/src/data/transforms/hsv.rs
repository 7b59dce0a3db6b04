//! The turn of a hue through 8-bit HSV, to the level that Pillow gives.
//!
//! Pillow computes in double precision. Single precision gives the same levels for each of the 16.8 million
//! pixels when the operations come in this order (a test compares), and twice as many fit into a vector. Levels
//! are `i32` and there is no branch, so that a loop over pixels compiles to vector instructions.

/// The pixel with its hue turned by `shift` of 256 steps.
#[inline(always)]
pub(super) fn turn([red, green, blue]: [i32; 3], shift: i32) -> [i32; 3] {
    let (most, least) = (red.max(green).max(blue), red.min(green).min(blue));
    let (hue, saturation) = hue_saturation([red, green, blue], most, least);
    to_rgb((hue + shift) & 255, saturation, most)
}

/// Hue and saturation, each 0 to 255, fractions cut off; `most` and `least` are the extremes of the pixel.
#[inline(always)]
fn hue_saturation([red, green, blue]: [i32; 3], most: i32, least: i32) -> (i32, i32) {
    let range = most - least;
    let between = (red + green + blue - most - least) as f32;
    // Where the range is 0, so is what is divided.
    let distance = (most as f32 - between) / range.max(1) as f32;
    // Sixths of the circle: an odd corner less the distance to it, or an odd corner plus it.
    let (corner, falls) = if red == most {
        if blue == least { (1.0, true) } else { (-1.0, false) }
    } else if green == most {
        if red == least { (3.0, true) } else { (1.0, false) }
    } else if green == least {
        (5.0, true)
    } else {
        (3.0, false)
    };
    let sixths: f32 = corner + if falls { -distance } else { distance };
    let turns = sixths / 6.0;
    let hue = if turns < 0.0 { turns + 1.0 } else { turns };
    let saturation = range as f32 / most.max(1) as f32;
    (whole_part(hue * 255.0), whole_part(saturation * 255.0))
}

/// The pixel of a hue, saturation and value; rounded to the nearest level.
#[inline(always)]
fn to_rgb(hue: i32, saturation: i32, value: i32) -> [i32; 3] {
    // 42.5 hues are a sixth of the circle; this is `6 * hue / 255` for every hue.
    let sector = (6 * hue * 257 + 257) >> 16;
    let fraction = (6 * hue - 255 * sector) as f32 * (1.0 / 255.0);
    let strength = saturation as f32 * (1.0 / 255.0);
    let part = |part: f32| nearest(value as f32 * part);
    let low = part(1.0 - strength);
    let falling = part(1.0 - strength * fraction);
    let rising = part(1.0 - strength * (1.0 - fraction));
    let pick = |at: [i32; 6]| {
        let first = if sector == 1 { at[1] } else { at[0] };
        let second = if sector == 2 { at[2] } else { at[3] };
        let third = if sector == 4 { at[4] } else { at[5] };
        let low_half = if sector == 2 || sector == 3 { second } else { first };
        if sector == 4 || sector == 5 { third } else { low_half }
    };
    [
        pick([value, falling, low, low, rising, value]),
        pick([rising, value, value, falling, low, low]),
        pick([low, low, rising, value, value, falling]),
    ]
}

/// 2²³, from where on singles have no fraction: a sum with it is rounded to a whole number, in its lowest bits.
const NO_FRACTION: f32 = 8_388_608.0;

/// Rounds a number from 0 to 2²².
///
/// A cast minds NaN and the range of `i32`, which keeps a loop from being compiled to vector instructions.
#[inline(always)]
fn nearest(number: f32) -> i32 {
    ((number + NO_FRACTION).to_bits() & 0x7f_ffff) as i32
}

/// Cuts the fraction off a number from 0 to 2²².
#[inline(always)]
pub(super) fn whole_part(number: f32) -> i32 {
    let rounded = (number + NO_FRACTION) - NO_FRACTION;
    let below = if rounded > number { rounded - 1.0 } else { rounded };
    ((below + NO_FRACTION).to_bits() & 0x7f_ffff) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pillow's way, step by step: stores in single precision, computes in double.
    fn pillow([red, green, blue]: [u8; 3], shift: u8) -> [u8; 3] {
        let (most, least) = (red.max(green).max(blue), red.min(green).min(blue));
        if most == least {
            return [most; 3];
        }
        let range = f32::from(most - least);
        let [to_red, to_green, to_blue] = [red, green, blue].map(|channel| f32::from(most - channel) / range);
        let turned = |start: f64, plus: f32, minus: f32| (start + f64::from(plus) - f64::from(minus)) as f32;
        let sixths = match most {
            _ if red == most => turned(0.0, to_blue, to_green),
            _ if green == most => turned(2.0, to_red, to_blue),
            _ => turned(4.0, to_green, to_red),
        };
        let hue = ((f64::from(sixths) / 6.0 + 1.0) % 1.0) as f32;
        let saturation = (f64::from(range / f32::from(most)) * 255.0) as u8;
        from_hsv(((f64::from(hue) * 255.0) as u8).wrapping_add(shift), saturation, most)
    }

    fn from_hsv(hue: u8, saturation: u8, value: u8) -> [u8; 3] {
        let sixths = f64::from(hue) * 6.0 / 255.0;
        let fraction = f64::from((sixths - sixths.floor()) as f32);
        let strength = f64::from((f64::from(saturation) / 255.0) as f32);
        let level = |part: f64| (f64::from(value) * part).round() as u8;
        let low = level(1.0 - strength);
        let falling = level(1.0 - strength * fraction);
        let rising = level(1.0 - strength * (1.0 - fraction));
        match sixths as u8 % 6 {
            _ if saturation == 0 => [value; 3],
            0 => [value, rising, low],
            1 => [falling, value, low],
            2 => [low, value, rising],
            3 => [low, falling, value],
            4 => [rising, low, value],
            _ => [value, low, falling],
        }
    }

    /// Compares every `stride`th level of each channel, the last included.
    fn compare(stride: usize, shifts: &[u8]) {
        let levels: Vec<u8> = (0..=255).rev().step_by(stride).collect();
        for &shift in shifts {
            for (&red, &green) in levels.iter().flat_map(|red| levels.iter().map(move |green| (red, green))) {
                for &blue in &levels {
                    let pixel = [red, green, blue];
                    let turned = turn(pixel.map(i32::from), i32::from(shift)).map(|level| level as u8);
                    assert_eq!(turned, pillow(pixel, shift), "{pixel:?} turned by {shift}");
                }
            }
        }
    }

    #[test]
    fn a_turn_of_the_hue_gives_the_levels_of_pillow() {
        compare(3, &[0, 12, 244]);
    }

    #[test]
    #[ignore = "every pixel: 17 million comparisons a shift"]
    fn a_turn_of_the_hue_gives_the_levels_of_pillow_for_every_pixel() {
        compare(1, &[0, 5, 13, 243, 250]);
    }

    #[test]
    fn the_whole_part_is_what_a_cast_gives() {
        let numbers =
            (0..=256).flat_map(|whole| [0.0, 1e-5, 0.25, 0.5, 0.75, 0.999].map(|part| whole as f32 + part));
        for number in numbers.chain([f32::MIN_POSITIVE, 254.999_98, 255.0f32.next_down()]) {
            assert_eq!(whole_part(number), number as i32, "{number}");
        }
    }
}
