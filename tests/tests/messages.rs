//! Every message that a user can meet at compile time is shown by a case in `ui`.

use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};

/// Where the strings of a source are looked for.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// Anywhere but in attributes: what a macro says.
    Code,
    /// In `#[diagnostic::…]`: what rustc says about a trait.
    Diagnostics,
}

/// Every file below `folder` that ends in `extension`, without the macro's own tests.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths =
        entries.map(|entry| entry.expect("a readable entry").path()).filter(|path| !path.ends_with("tests"));
    let below = |path: PathBuf| match path.is_dir() {
        true => files(&path, extension),
        false => vec![path],
    };
    let wanted = |path: &PathBuf| path.extension().is_some_and(|e| e == extension);
    paths.flat_map(below).filter(wanted).collect()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The sentences in `tokens`, of those places that are looked for.
fn sentences(tokens: TokenStream, place: Place, found: &mut Vec<String>) {
    let mut after_hash = false;
    for token in tokens {
        match &token {
            TokenTree::Group(group) if after_hash => {
                let is_diagnostic = group.stream().to_string().starts_with("diagnostic");
                if is_diagnostic && place == Place::Diagnostics {
                    sentences(group.stream(), Place::Code, found);
                }
            }
            TokenTree::Group(group) => sentences(group.stream(), place, found),
            TokenTree::Literal(literal) if place == Place::Code => {
                found.extend(sentence(&literal.to_string()))
            }
            _ => {}
        }
        // `#[…]` and `#![…]`.
        after_hash = match &token {
            TokenTree::Punct(punct) => punct.as_char() == '#' || after_hash && punct.as_char() == '!',
            _ => false,
        };
    }
}

/// A string of some words with punctuation; the tables of names are strings too, but have none.
fn sentence(literal: &str) -> Option<String> {
    let text = literal.strip_prefix('"')?.strip_suffix('"')?.replace("\\\"", "\"");
    let text = text.split("\\\n").map(str::trim_start).collect::<String>();
    (text.split_whitespace().count() >= 4 && (text.contains('`') || text.contains(", "))).then_some(text)
}

fn messages() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for (folder, place) in [("../guard-macros/src", Place::Code), ("../guard-core/src", Place::Diagnostics)] {
        for path in files(&root.join(folder), "rs") {
            sentences(read(&path).parse().expect("Rust"), place, &mut found);
        }
    }
    found
}

/// The longest part of a message that is not filled in (`{name}`).
fn fixed_part(message: &str) -> &str {
    message.split(['{', '}']).step_by(2).max_by_key(|part| part.len()).unwrap_or(message)
}

#[test]
fn every_message_has_a_case() {
    let ui = Path::new(env!("CARGO_MANIFEST_DIR")).join("ui");
    let shown: String = files(&ui, "stderr").iter().map(|path| read(path)).collect();
    let messages = messages();
    assert!(messages.len() >= 20, "only {} messages found", messages.len());
    println!("{} messages", messages.len());
    let unseen: Vec<&String> =
        messages.iter().filter(|message| !shown.contains(fixed_part(message))).collect();
    assert!(unseen.is_empty(), "no case in ui/ shows: {unseen:#?}");
}
