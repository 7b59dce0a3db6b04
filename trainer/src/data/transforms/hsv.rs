//! RGB to 8-bit HSV and back, with Pillow's rounding: it stores in single precision and computes in double,
//! and a level is lost when only one of them is used.

/// Hue, saturation and value of a pixel, each 0 to 255; fractions are cut off.
pub(super) fn from_rgb([red, green, blue]: [u8; 3]) -> [u8; 3] {
    let (most, least) = (red.max(green).max(blue), red.min(green).min(blue));
    if most == least {
        return [0, 0, most];
    }
    let range = f32::from(most - least);
    let [to_red, to_green, to_blue] = [red, green, blue].map(|channel| f32::from(most - channel) / range);
    let turned = |start: f64, plus: f32, minus: f32| (start + f64::from(plus) - f64::from(minus)) as f32;
    let sixths = if red == most {
        turned(0.0, to_blue, to_green)
    } else if green == most {
        turned(2.0, to_red, to_blue)
    } else {
        turned(4.0, to_green, to_red)
    };
    let hue = ((f64::from(sixths) / 6.0 + 1.0) % 1.0) as f32;
    let saturation = range / f32::from(most);
    [(f64::from(hue) * 255.0) as u8, (f64::from(saturation) * 255.0) as u8, most]
}

/// The pixel of a hue, saturation and value; rounded to the nearest level.
pub(super) fn to_rgb([hue, saturation, value]: [u8; 3]) -> [u8; 3] {
    if saturation == 0 {
        return [value; 3];
    }
    let sixths = f64::from(hue) * 6.0 / 255.0;
    let fraction = f64::from((sixths - sixths.floor()) as f32);
    let strength = f64::from((f64::from(saturation) / 255.0) as f32);
    let level = |part: f64| (f64::from(value) * part).round() as u8;
    let low = level(1.0 - strength);
    let falling = level(1.0 - strength * fraction);
    let rising = level(1.0 - strength * (1.0 - fraction));
    match sixths as u8 % 6 {
        0 => [value, rising, low],
        1 => [falling, value, low],
        2 => [low, value, rising],
        3 => [low, falling, value],
        4 => [rising, low, value],
        _ => [value, low, falling],
    }
}
