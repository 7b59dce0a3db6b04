//! The colours of the pictures, and text that stays legible on them.

/// Red, green, blue, 0 to 255.
pub(super) type Rgb = [u8; 3];

pub(super) const WHITE: Rgb = [255, 255, 255];
/// Titles and text.
pub(super) const INK: Rgb = [23, 32, 46];
/// Secondary text and axis labels.
pub(super) const MUTED: Rgb = [92, 104, 122];
/// Grid lines.
pub(super) const GRID: Rgb = [228, 232, 238];
/// The x axis.
pub(super) const AXIS: Rgb = [158, 168, 182];
pub(super) const BLUE: Rgb = [33, 96, 214];
pub(super) const ORANGE: Rgb = [217, 95, 2];
pub(super) const GREEN: Rgb = [18, 138, 92];
pub(super) const RED: Rgb = [205, 38, 52];
pub(super) const PURPLE: Rgb = [122, 72, 190];
pub(super) const GREY: Rgb = [116, 128, 146];

/// Class colours that are told apart at a glance; further classes walk round the hue circle.
const CLASSES: [Rgb; 10] = [
    [230, 57, 70],
    [29, 120, 222],
    [255, 183, 3],
    [35, 163, 88],
    [155, 81, 224],
    [0, 180, 196],
    [247, 119, 45],
    [226, 88, 176],
    [140, 180, 40],
    [150, 108, 78],
];

/// The colour of class `index`.
pub(super) fn class_color(index: usize) -> Rgb {
    match CLASSES.get(index) {
        Some(color) => *color,
        None => hue(index as f32 * 137.508),
    }
}

/// Black or white, whichever reads better on `background`.
pub(super) fn text_on(background: Rgb) -> Rgb {
    let [r, g, b] = background.map(f32::from);
    // Rec. 601 luma; the threshold favours white, which looks lighter than it measures on saturated colours.
    if 0.299 * r + 0.587 * g + 0.114 * b > 150.0 { [0, 0, 0] } else { WHITE }
}

/// A colour of medium saturation and value at `degrees` on the hue circle.
fn hue(degrees: f32) -> Rgb {
    let channel = |offset: f32| {
        let k = (offset + degrees / 60.0) % 6.0;
        let value = 0.85 - 0.65 * 0.85 * k.min(4.0 - k).clamp(0.0, 1.0);
        (value * 255.0).round() as u8
    };
    [channel(5.0), channel(3.0), channel(1.0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eighty_classes_have_eighty_colours() {
        let colors: std::collections::HashSet<Rgb> = (0..80).map(class_color).collect();
        assert_eq!(colors.len(), 80);
    }

    #[test]
    fn text_is_dark_on_light_and_light_on_dark() {
        assert_eq!(text_on([255, 183, 3]), [0, 0, 0]);
        assert_eq!(text_on([29, 120, 222]), WHITE);
    }
}
