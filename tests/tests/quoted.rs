//! The migration guide of `guard-core` prints what the compiler says, about the program that it prints.
//!
//! Before each block stands `<!-- STAGE LINE … [notes] -->`: which case of `ui/guide` is quoted, the errors at which of its
//! lines, and whether with the notes of the last. `TRYBUILD=overwrite` rewrites the blocks, once the cases are.

use std::fs;
use std::path::{Path, PathBuf};

const GUIDE: &str = "../guard-core/docs/guide.md";
const STAGES: [&str; 2] = ["loop_marked", "types_marked"];

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn read(name: &str) -> String {
    fs::read_to_string(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn the_stages_add_nothing_but_attributes() {
    let guide = read(GUIDE);
    let plain = guide.split("```\n").nth(1).expect("the guide opens with the program");
    for stage in STAGES {
        let program = read(&format!("ui/guide/{stage}.rs"));
        let added = |line: &&str| *line == "#[no_retain]" || *line == "use guard_core::no_retain;";
        let without: Vec<&str> = program.lines().filter(|line| !added(line)).collect();
        assert_eq!(without, plain.lines().collect::<Vec<_>>(), "{stage}");
    }
}

/// The error that `messages` reports at `line`, without what only repeats.
fn quote(messages: &str, line: &str, notes: bool) -> String {
    let at = |error: &&str| error.lines().any(|l| l.trim_start().starts_with(&format!("{line} | ")));
    let error = messages.split("\n\n").find(at).unwrap_or_else(|| panic!("no error at line {line}"));
    let picture_ends =
        |l: &&str| !(l.starts_with("   = ") || l.starts_with("help:") || l.starts_with("note:"));
    let repeats = |l: &str| l.contains("-->") || l.contains("required by a bound introduced by this call");
    let picture = error.lines().take_while(picture_ends).filter(|l| !repeats(l) && *l != "   |");
    let told = error.lines().filter(|l| notes && l.starts_with("   = note: ") && !l.contains("required for"));
    picture.chain(told).flat_map(|l| [l, "\n"]).collect()
}

/// What the block after `marker` must say.
fn quoted(marker: &str) -> String {
    let mut words: Vec<&str> = marker.split_whitespace().collect();
    let notes = words.pop_if(|last| *last == "notes").is_some();
    let messages = read(&format!("ui/guide/{}.stderr", words[0]));
    let last = words[words.len() - 1];
    let quotes = words[1..].iter().map(|line| quote(&messages, line, notes && *line == last));
    quotes.collect::<Vec<_>>().join("\n")
}

/// The guide with every quotation as it must be, and how many there are.
fn with_quotations(guide: &str) -> (String, usize) {
    let mut parts = guide.split("<!-- ");
    let mut out = parts.next().unwrap_or_default().to_owned();
    let mut quotations = 0;
    for part in parts {
        let (marker, rest) = part.split_once(" -->\n```text\n").expect("a block follows the marker");
        let (_, rest) = rest.split_once("```\n").expect("the block ends");
        out += &format!("<!-- {marker} -->\n```text\n{}```\n{rest}", quoted(marker));
        quotations += 1;
    }
    (out, quotations)
}

#[test]
fn the_guide_quotes_the_compiler() {
    let guide = read(GUIDE);
    let (expected, quotations) = with_quotations(&guide);
    assert_eq!(guide.matches("```text").count(), quotations, "a block has no marker");
    if std::env::var_os("TRYBUILD").is_some_and(|wish| wish == "overwrite") {
        // The other test reads the guide at the same time.
        let written = path("../target/guide.md");
        fs::write(&written, expected)
            .and_then(|()| fs::rename(&written, path(GUIDE)))
            .expect("the guide can be written");
        return;
    }
    for (is, must_be) in guide.lines().zip(expected.lines()) {
        assert_eq!(is, must_be, "the guide is out of date: `make bless`");
    }
    assert_eq!(guide.lines().count(), expected.lines().count(), "the guide is out of date: `make bless`");
}
