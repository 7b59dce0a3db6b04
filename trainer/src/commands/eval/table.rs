//! The numbers of an evaluation as text.

use std::fmt::Write;

use trainer::{
    eval::{ClassStats, CocoStats, PrecisionRecall},
    report::units,
};

/// Longest class name in the table, in letters.
const MOST_NAME: usize = 28;

/// The twelve COCO numbers, then the classes; `-` where there is no object.
pub fn table(stats: &CocoStats, curves: &PrecisionRecall) -> String {
    let mut text = String::new();
    for six in stats.named().chunks(6) {
        let line = |cell: &dyn Fn(&(&str, f64)) -> String| six.iter().map(cell).collect::<String>();
        writeln!(text, "{}", line(&|(name, _)| format!("{name:>8}"))).expect("memory");
        writeln!(text, "{}", line(&|(_, value)| format!("{:>8}", number(*value)))).expect("memory");
    }
    let width = stats.per_class.iter().map(|class| class.name.chars().count()).max().unwrap_or(0);
    let width = width.clamp("class".len(), MOST_NAME);
    writeln!(text, "\n{:<width$}  objects      AP    AP50    AP75   AR100  best F1  at score", "class")
        .expect("memory");
    for class in &stats.per_class {
        writeln!(text, "{}", row(class, curves, width)).expect("memory");
    }
    text
}

fn row(class: &ClassStats, curves: &PrecisionRecall, width: usize) -> String {
    let name: String = class.name.chars().take(MOST_NAME).collect();
    let objects = units::grouped(class.objects as u64);
    let [ap, ap50, ap75, ar100] = [class.ap, class.ap50, class.ap75, class.ar100].map(number);
    let best = curves.classes.iter().find(|curve| curve.name == class.name).and_then(|c| c.best_f1());
    let [f1, score] = match best {
        Some(best) => [number(best.f1), number(best.score)],
        None => ["-".to_owned(), "-".to_owned()],
    };
    format!("{name:<width$}  {objects:>7}  {ap:>6}  {ap50:>6}  {ap75:>6}  {ar100:>6}  {f1:>7}  {score:>8}")
}

/// Three decimals; COCO's -1 means that nothing was there to measure.
fn number(value: f64) -> String {
    if value < 0.0 { "-".to_owned() } else { format!("{value:.3}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_below_their_names() {
        let class = ClassStats {
            id: 0,
            name: "a class with quite a long name indeed".into(),
            objects: 1234,
            ap: 0.5,
            ap50: 1.0,
            ap75: -1.0,
            ar100: 0.25,
        };
        let stats = CocoStats { ap: 0.5, ap_small: -1.0, per_class: vec![class], ..CocoStats::default() };
        let text = table(&stats, &PrecisionRecall::default());
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 7, "{text}");
        for pair in [[0, 1], [2, 3], [5, 6]] {
            assert_eq!(lines[pair[0]].chars().count(), lines[pair[1]].chars().count(), "{text}");
        }
        assert!(lines[1].starts_with("   0.500") && lines[1].contains("       -"), "{text}");
        assert!(lines[6].contains("1,234   0.500   1.000       -   0.250"), "{text}");
    }
}
