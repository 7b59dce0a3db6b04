//! `README.md` is true: every case is in it once, under the rule that refuses it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// How many ids there are of each kind.
const LEAKS: usize = 95;
const LOOK_ALIKES: usize = 40;

/// Which rule asks for the bound that a refusal names.
const RULES: [(&str, &str); 7] = [
    ("field_of_a_no_retain_type", "1, a field"),
    ("kept_after_the_step", "2, changed by a step"),
    ("read_by_every_step", "2, read by a step"),
    ("written_in_place", "2, written in place by a step"),
    ("stored", "3, stored"),
    ("sent_to_a_thread", "3, taken along by a thread"),
    ("kept_in_a_static", "4, a static"),
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The rows of every table, cell by cell, without heads and rules.
fn rows() -> Vec<Vec<String>> {
    let page = read("README.md");
    let lines: Vec<&str> = page.lines().collect();
    let is_row = |i: usize| lines[i].starts_with("| ") && !lines[i].starts_with("| ---");
    let is_head = |i: usize| lines.get(i + 1).is_some_and(|next| next.starts_with("| ---"));
    let cells = |line: &str| line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect();
    (0..lines.len()).filter(|i| is_row(*i) && !is_head(*i)).map(|i| cells(lines[i])).collect()
}

/// The cases named between backticks in `cell`.
fn files(cell: &str) -> impl Iterator<Item = &str> {
    let folders = ["ui/", "pass/", "out_of_reach/"];
    let is_case = move |name: &&str| {
        folders.iter().any(|folder| name.starts_with(folder))
            && name.ends_with(".rs")
            && !name.contains(['*', '<'])
    };
    cell.split('`').skip(1).step_by(2).filter(is_case)
}

fn is_id(cell: &str) -> bool {
    let letters = cell.trim_end_matches(|c: char| c.is_ascii_digit());
    cell.len() == letters.len() + 2 && !letters.is_empty() && letters.chars().all(|c| c.is_ascii_uppercase())
}

/// The rows that open with an id, by id.
fn by_id() -> BTreeMap<String, Vec<String>> {
    let mut found = BTreeMap::new();
    for row in rows().into_iter().filter(|row| is_id(&row[0])) {
        let before = found.insert(row[0].clone(), row);
        assert!(before.is_none(), "twice in README.md: {before:?}");
    }
    found
}

fn is_look_alike(id: &str) -> bool {
    id.len() == 3 && id.starts_with('L')
}

/// Every `.rs` file right in `folder`, relative to this crate.
fn sources(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(root().join(folder)).expect("the folder of a suite exists");
    let names =
        entries.map(|entry| entry.expect("a readable entry").file_name().into_string().expect("UTF-8"));
    names.filter(|name| name.ends_with(".rs")).map(|name| format!("{folder}/{name}")).collect()
}

fn groups() -> Vec<String> {
    let entries = fs::read_dir(root().join("ui")).expect("ui exists");
    entries.map(|entry| format!("ui/{}", entry.expect("a readable entry").file_name().display())).collect()
}

#[test]
fn every_id_is_there_once() {
    let (look_alikes, leaks): (Vec<_>, Vec<_>) = by_id().into_keys().partition(|id| is_look_alike(id));
    assert_eq!((leaks.len(), look_alikes.len()), (LEAKS, LOOK_ALIKES));
}

#[test]
fn every_id_names_a_case_that_names_the_id() {
    for (id, row) in by_id() {
        let folder = if is_look_alike(&id) { "pass/" } else { "ui/" };
        let cases: Vec<&str> = files(&row[3]).collect();
        let [case] = cases[..] else { panic!("{id} has {} cases", cases.len()) };
        assert!(case.starts_with(folder), "{id}: {case}");
        let first = read(case).lines().next().unwrap_or_default().to_owned();
        assert!(
            first.contains(&format!(" {id}: {}", row[1])),
            "{case} opens with `{first}`, not with {row:?}"
        );
    }
}

#[test]
fn every_leak_is_refused_by_the_rule_of_its_row() {
    for (id, row) in by_id().into_iter().filter(|(id, _)| !is_look_alike(id)) {
        let case = files(&row[3]).next().expect("a case");
        let message = read(case.replace(".rs", ".stderr"));
        let mut rules: Vec<&str> = Vec::new();
        for bound in message.split("required by a bound in `guard_core::__private::").skip(1) {
            let name: String = bound.chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect();
            let rule = RULES.iter().find(|(known, _)| *known == name);
            let (_, rule) = rule.unwrap_or_else(|| panic!("which rule asks for `{name}`? Add it to RULES"));
            if !rules.contains(rule) {
                rules.push(rule);
            }
        }
        assert_eq!(rules.join("; "), row[2], "the rule of {id}, by {case}");
    }
}

#[test]
fn every_case_has_a_row() {
    let listed: Vec<String> =
        rows().iter().flat_map(|row| row.iter().flat_map(|cell| files(cell))).map(String::from).collect();
    let unique: BTreeSet<&String> = listed.iter().collect();
    assert_eq!(unique.len(), listed.len(), "a case stands in two rows");
    let folders = groups().into_iter().chain(["pass".to_owned(), "out_of_reach".to_owned()]);
    let there: BTreeSet<String> = folders.flat_map(|folder| sources(&folder)).collect();
    let listed: BTreeSet<String> = listed.into_iter().collect();
    let rows_to_add =
        |case: &String| format!("| `{case}` | {} |", read(case).lines().next().unwrap_or_default());
    let missing: Vec<String> = there.difference(&listed).map(rows_to_add).collect();
    assert!(missing.is_empty(), "add to README.md, in words:\n{}", missing.join("\n"));
    let gone: Vec<&String> = listed.difference(&there).collect();
    assert!(gone.is_empty(), "in README.md, but not there: {gone:?}");
}

#[test]
fn every_case_is_run() {
    let policy = read("tests/policy.rs");
    for group in groups() {
        let name = group.trim_start_matches("ui/");
        assert!(policy.contains(&format!("\"{name}\"")), "tests/policy.rs does not run {group}");
    }
    let suites = ["pass", "flat", "out_of_reach"].map(|suite| read(format!("tests/{suite}.rs"))).concat();
    for case in ["pass", "out_of_reach"].into_iter().flat_map(sources) {
        assert!(suites.contains(&format!("\"../{case}\"")), "no suite includes {case}");
    }
    for case in sources("out_of_reach") {
        assert!(read(&case).contains("noticed("), "{case} does not ask what the guard notices");
    }
}

/// The list under "What it does not catch" in the documentation of a crate, without links.
fn documented_holes(path: &str) -> Vec<String> {
    let page = read(path);
    let (_, list) = page.split_once("# What it does not catch").expect("a list of what is out of reach");
    let list = list.split("\n//! # ").next().unwrap_or_default();
    let lines = list.lines().map_while(|line| line.strip_prefix("//!").or(line.is_empty().then_some("")));
    let mut holes: Vec<String> = Vec::new();
    for line in lines {
        match (line.strip_prefix(" - "), line.strip_prefix("   "), holes.last_mut()) {
            (Some(hole), _, _) => holes.push(hole.to_owned()),
            (None, Some(more), Some(hole)) => *hole = format!("{hole} {more}"),
            _ => {}
        }
    }
    holes.iter().map(|hole| hole.replace("[`", "`").replace("`]", "`")).collect()
}

#[test]
fn every_documented_hole_has_a_row() {
    let shown: BTreeSet<String> = rows()
        .into_iter()
        .filter(|row| files(&row[1]).any(|case| case.starts_with("out_of_reach/")))
        .map(|row| row[0].clone())
        .collect();
    let holes = ["../guard-macros/src/lib.rs", "../guard-core/src/lib.rs"].map(documented_holes).concat();
    assert!(holes.len() >= 10, "{holes:?}");
    assert_eq!(shown, holes.into_iter().collect());
}
