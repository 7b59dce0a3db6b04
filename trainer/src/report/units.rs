//! Bytes, counts and durations as text.

use std::time::Duration;

/// One megabyte as drawn on axes: 10^6 bytes.
pub const MEGABYTE: f64 = 1e6;

/// A byte count in decimal units with three significant digits, such as `53.2 MB`.
pub fn bytes(count: u64) -> String {
    const UNITS: [&str; 6] = ["B", "kB", "MB", "GB", "TB", "PB"];
    if count < 1000 {
        return format!("{count} B");
    }
    let mut value = count as f64;
    let mut unit = 0;
    // 999.5 is the first value that three digits round up to the next unit.
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    format!("{} {}", three_digits(value), UNITS[unit])
}

fn three_digits(value: f64) -> String {
    match value {
        v if v < 9.995 => format!("{v:.2}"),
        v if v < 99.95 => format!("{v:.1}"),
        v => format!("{v:.0}"),
    }
}

/// A whole number with commas between the thousands, such as `53,214,004`.
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number with its noun, such as `1 step` or `1,200 steps`.
pub fn counted(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(count))
}

/// A length of time in its two largest units, such as `850 ms`, `8.2 s`, `8 min 12 s`, `3 h 04 min`, `2 d 05 h`.
pub fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let whole = seconds.round() as u64;
    match seconds {
        s if s < 0.9995 => format!("{:.0} ms", s * 1e3),
        s if s < 9.95 => format!("{s:.1} s"),
        _ if whole < 60 => format!("{whole} s"),
        _ if whole < 3600 => format!("{} min {:02} s", whole / 60, whole % 60),
        _ if whole < 86_400 => format!("{} h {:02} min", whole / 3600, whole % 3600 / 60),
        _ => format!("{} d {:02} h", whole / 86_400, whole % 86_400 / 3600),
    }
}

/// A learning rate in scientific notation, such as `5.0e-4`.
pub fn learning_rate(lr: f64) -> String {
    format!("{lr:.1e}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_have_three_digits() {
        let cases = [
            (0, "0 B"),
            (999, "999 B"),
            (1000, "1.00 kB"),
            (16_784, "16.8 kB"),
            (999_499, "999 kB"),
            (999_500, "1.00 MB"),
            (53_214_004, "53.2 MB"),
            (1_200_000_000, "1.20 GB"),
            (u64::MAX, "18447 PB"),
        ];
        for (count, text) in cases {
            assert_eq!(bytes(count), text);
        }
    }

    #[test]
    fn grouped_puts_commas_between_thousands() {
        for (count, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (53_214_004, "53,214,004")] {
            assert_eq!(grouped(count), text);
        }
    }

    #[test]
    fn one_is_singular() {
        assert_eq!(counted(1, "epoch"), "1 epoch");
        assert_eq!(counted(1200, "step"), "1,200 steps");
    }

    #[test]
    fn durations_use_their_largest_units() {
        let cases = [
            (0.85, "850 ms"),
            (0.9999, "1.0 s"),
            (8.24, "8.2 s"),
            (9.96, "10 s"),
            (59.6, "1 min 00 s"),
            (492.0, "8 min 12 s"),
            (3599.7, "1 h 00 min"),
            (11_040.0, "3 h 04 min"),
            (190_800.0, "2 d 05 h"),
        ];
        for (seconds, text) in cases {
            assert_eq!(duration(Duration::from_secs_f64(seconds)), text);
        }
    }

    #[test]
    fn learning_rates_are_scientific() {
        assert_eq!(learning_rate(5e-4), "5.0e-4");
        assert_eq!(learning_rate(0.0), "0.0e0");
    }
}
