//! Showing where a YAML text is wrong.

use serde_saphyr::{DefaultMessageFormatter, Error, MessageFormatter};

/// How alike names must be, from 0 to 1, for one to be meant by the other.
const ALIKE: f64 = 0.8;

/// Line and column, the line with carets under the place, and what is wrong there.
pub(super) fn show(text: &str, error: &Error) -> String {
    let error = error.without_snippet();
    let problem = problem(error);
    let Some(location) = error.location() else { return problem };
    let (line, column) = (location.line() as usize, (location.column() as usize).max(1));
    let shown = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    let ends = |c: &char| !matches!(c, ':' | ',' | '}' | ']' | ' ' | '#');
    let carets = "^".repeat(shown.chars().skip(column - 1).take_while(ends).count().max(1));
    let margin = " ".repeat(line.to_string().len());
    let indent = " ".repeat(column - 1);
    format!(
        "line {line}, column {column}\n{margin} |\n{line} | {shown}\n{margin} | {indent}{carets}\n{problem}"
    )
}

fn problem(error: &Error) -> String {
    match error {
        Error::SerdeUnknownField { field, expected, .. } => {
            let hint =
                nearest(field, expected).map(|name| format!("did you mean `{name}`? ")).unwrap_or_default();
            format!("unknown key `{field}`: {hint}The keys here are {}", expected.join(", "))
        }
        Error::DuplicateMappingKey { key: Some(key), .. } => format!("the key `{key}` stands here twice"),
        other => DefaultMessageFormatter.format_message(other).into_owned(),
    }
}

fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let likeness = |known: &str| strsim::jaro_winkler(name, known);
    let best = known.iter().copied().max_by(|a, b| likeness(a).total_cmp(&likeness(b)))?;
    (likeness(best) >= ALIKE).then_some(best)
}
