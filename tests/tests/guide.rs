//! The migration guide of `guard-core` prints what the compiler says, about the program that it prints.

use std::fs;
use std::path::Path;

const STAGES: [&str; 2] = ["loop_marked", "types_marked"];

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The blocks of the guide that are fenced as `language`, in order.
fn blocks(language: &str) -> Vec<String> {
    let guide = read("../guard-core/docs/guide.md");
    let fenced = guide.split("```").skip(1).step_by(2);
    fenced.filter_map(|block| block.strip_prefix(language)?.strip_prefix('\n').map(str::to_owned)).collect()
}

#[test]
fn the_stages_add_nothing_but_attributes() {
    let plain = &blocks("")[0];
    for stage in STAGES {
        let program = read(&format!("ui/guide/{stage}.rs"));
        let added = |line: &&str| *line == "#[no_retain]" || *line == "use guard_core::no_retain;";
        let without: Vec<&str> = program.lines().filter(|line| !added(line)).collect();
        assert_eq!(without, plain.lines().collect::<Vec<_>>(), "{stage}");
    }
}

/// Whether every line of `excerpt` stands in `whole`, in this order; the first one that does not.
fn first_line_missing<'a>(excerpt: &'a str, whole: &str) -> Option<&'a str> {
    let mut rest = whole.lines();
    excerpt.lines().find(|line| !rest.any(|there| there.trim_end() == line.trim_end()))
}

#[test]
fn every_message_printed_is_one_of_the_compiler() {
    let outputs = STAGES.map(|stage| read(&format!("ui/guide/{stage}.stderr")));
    let excerpts = blocks("text");
    assert!(excerpts.len() >= 3);
    for excerpt in excerpts {
        let missing: Vec<_> =
            outputs.iter().filter_map(|output| first_line_missing(&excerpt, output)).collect();
        assert!(missing.len() < outputs.len(), "the compiler does not say, at this place: {missing:#?}");
    }
}
