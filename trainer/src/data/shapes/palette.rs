//! Colours.

use rand::RngExt;
use rand_pcg::Pcg64;

/// Red, green and blue, 0 to 255.
pub(super) type Colour = [f32; 3];

/// A colour by hue (in turns), saturation and value (0 to 1).
pub(super) fn from_hsv(hue: f32, saturation: f32, value: f32) -> Colour {
    // Each channel is the value, less what the distance of its own hue takes away.
    [0.0, 4.0, 2.0].map(|offset: f32| {
        let sixths = (hue * 6.0 + offset).rem_euclid(6.0);
        let strength = ((sixths - 3.0).abs() - 1.0).clamp(0.0, 1.0);
        255.0 * value * (1.0 - saturation * (1.0 - strength))
    })
}

/// A colour for shapes: any hue, clear but not garish; now and then near grey.
pub(super) fn vivid(rng: &mut Pcg64) -> Colour {
    let saturation =
        if rng.random_bool(0.12) { rng.random_range(0.0..0.2) } else { rng.random_range(0.45..0.95) };
    from_hsv(rng.random(), saturation, rng.random_range(0.35..1.0))
}

/// A colour for backgrounds: any hue, subdued.
pub(super) fn subdued(rng: &mut Pcg64) -> Colour {
    from_hsv(rng.random(), rng.random_range(0.05..0.55), rng.random_range(0.2..0.95))
}

/// `from` where `part` is 0, `to` where it is 1.
pub(super) fn mix(from: Colour, to: Colour, part: f32) -> Colour {
    std::array::from_fn(|channel| from[channel] + (to[channel] - from[channel]) * part)
}

/// Distance of two colours in levels, channels weighted by what the eye sees of them.
pub(super) fn difference(first: Colour, second: Colour) -> f32 {
    let weighted = |channel: usize| [0.3, 0.5, 0.2][channel] * (first[channel] - second[channel]).powi(2);
    (0..3).map(weighted).sum::<f32>().sqrt()
}
