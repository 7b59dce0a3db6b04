//! The binary from start to end: what a run leaves, how it is interrupted and resumed.

mod support;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Command;

use support::cli::{Outcome, Place, command};
use trainer::report::Record;
use trainer::report::metrics::{self, EpochRecord, RunStatus, StepRecord};

const FILES: [&str; 7] = [
    "config.toml",
    "metrics.jsonl",
    "last.safetensors",
    "best.safetensors",
    "loss.png",
    "memory.png",
    "predictions.png",
];

const TRAIN: &str = "train --config tiny.toml --threads 1 --device cpu --run";

fn statuses(records: &[Record]) -> Vec<RunStatus> {
    let status = |record: &Record| if let Record::Run(run) = record { Some(run.status) } else { None };
    records.iter().filter_map(status).collect()
}

/// The records without what the clock and the rest of the machine decide.
fn results(records: Vec<Record>) -> Vec<Record> {
    let timeless = |record| match record {
        Record::Step(step) => Some(Record::Step(StepRecord {
            images_per_second: 0.0,
            live_bytes: 0,
            peak_bytes: 0,
            rss_bytes: 0,
            seconds: 0.0,
            ..step
        })),
        Record::Epoch(epoch) => {
            Some(Record::Epoch(EpochRecord { live_bytes: 0, rss_bytes: 0, seconds: 0.0, ..epoch }))
        }
        Record::Run(_) => None,
    };
    records.into_iter().filter_map(timeless).collect()
}

fn log(run: &Path) -> Vec<Record> {
    metrics::read(&run.join("metrics.jsonl")).expect("a whole log")
}

fn assert_whole_run(run: &Path) {
    for name in FILES {
        assert!(run.join(name).metadata().is_ok_and(|file| file.len() > 0), "{name} is missing or empty");
    }
    assert_eq!(
        std::fs::read_dir(run).expect("a folder").count(),
        FILES.len(),
        "a file that help does not name"
    );
    for name in FILES.iter().filter(|name| name.ends_with(".png")) {
        let picture = image::open(run.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(picture.width() >= 300 && picture.height() >= 200, "{name} is tiny");
    }
}

fn assert_whole_log(run: &Path) {
    let records = log(run);
    assert_eq!(statuses(&records), [RunStatus::Started, RunStatus::Finished]);
    let steps: Vec<u64> = records.iter().filter(|r| matches!(r, Record::Step(_))).map(Record::step).collect();
    assert_eq!(steps, (1..=8).collect::<Vec<_>>());
    let live = |r: &Record| if let Record::Epoch(epoch) = r { Some(epoch.live_bytes) } else { None };
    let live: Vec<u64> = records.iter().filter_map(live).collect();
    assert!(live.len() == 2 && live[0] == live[1] && live[0] > 0, "live bytes {live:?}");
}

/// The last line on standard output: `AP 0.012  AP50 …`.
fn ap(outcome: &Outcome) -> &str {
    let line = outcome.stdout.lines().last().expect("a final line");
    assert!(line.starts_with("AP 0.") && line.contains("AP50 0."), "{line}");
    assert!(line.contains("look at ") && line.contains("{predictions,loss,memory}.png"), "{line}");
    line.split('|').next().expect("a first part")
}

/// Starts a run, interrupts it when the log has `steps` steps, and returns what it said.
fn interrupt(place: &Place, run: &str, steps: usize) -> Outcome {
    let args = format!("{TRAIN} {run}");
    let child = command(place.folder(), args.split(' ')).spawn().expect("the binary starts");
    let written = || {
        let log = std::fs::read_to_string(place.path(run).join("metrics.jsonl")).unwrap_or_default();
        log.matches(r#""record":"step""#).count()
    };
    let start = std::time::Instant::now();
    while written() < steps {
        assert!(start.elapsed().as_secs() < 120, "no step {steps} within two minutes");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let pid = child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &pid]).status().expect("kill runs");
    assert!(sent.success());
    child.wait_with_output().expect("the process ends").into()
}

#[test]
fn a_run_from_start_to_end_and_again_after_an_interruption() {
    let place = Place::new();
    let whole = place.run(&format!("{TRAIN} whole")).succeeded();
    let final_ap = ap(&whole).to_owned();
    assert_whole_run(&place.path("whole"));
    assert_whole_log(&place.path("whole"));
    let last = std::fs::read(place.path("whole/last.safetensors")).expect("a checkpoint");

    place.run(&format!("{TRAIN} whole")).failed_saying(&["whole", "finished run", "--overwrite"]);
    // No fault of a new run may cost the old one.
    place.run(&format!("{TRAIN} whole --overwrite --data nowhere")).failed_saying(&["nowhere", "missing"]);
    place.run(&format!("{TRAIN} whole --overwrite --batch-size 99")).failed_saying(&["batch_size", "99"]);
    assert_whole_run(&place.path("whole"));

    let stopped = interrupt(&place, "parts", 2);
    assert_eq!(stopped.code, Some(130), "{}", stopped.stderr);
    stopped.says(&["stopping after this step", "trainer train --run parts --resume"]);
    assert!(!place.path("parts/predictions.png").exists(), "the run was over before the signal came");
    place.run(&format!("{TRAIN} parts")).failed_saying(&[
        "parts",
        "unfinished run",
        "--resume",
        "--overwrite",
    ]);
    let resumed = place.run("train --run parts --resume --threads 1 --device cpu").succeeded();
    assert_whole_run(&place.path("parts"));
    assert_eq!(ap(&resumed), final_ap);
    use RunStatus::{Finished, Interrupted, Resumed, Started};
    let records = log(&place.path("parts"));
    assert_eq!(statuses(&records), [Started, Interrupted, Resumed, Finished]);
    assert_eq!(results(records), results(log(&place.path("whole"))));
    assert!(
        std::fs::read(place.path("parts/last.safetensors")).expect("a checkpoint") == last,
        "other weights"
    );
}

/// Stopped before the first epoch has ended: what is there is enough to go on.
#[test]
fn an_interruption_in_the_first_steps_can_be_resumed() {
    let place = Place::new();
    let stopped = interrupt(&place, "run", 1);
    assert_eq!(stopped.code, Some(130), "{}", stopped.stderr);
    let more = place.run("train --run run --resume --epochs 1 --threads 1").succeeded();
    ap(&more);
    assert_whole_run(&place.path("run"));
    place.run("train --run run --resume --data shapes").failed_saying(&[
        "--resume",
        "cannot be used with",
        "--data",
    ]);
}

#[test]
fn help_names_every_file_and_flag_that_matters() {
    let place = Place::new();
    let help = place.run("train --help").succeeded().stdout;
    for file in FILES {
        assert!(help.contains(file), "{file} is not in the help");
    }
    for words in ["--resume", "--overwrite", "Ctrl-C", "Examples:", "Pascal VOC", "last.safetensors"] {
        assert!(help.contains(words), "{words} is not in the help");
    }
    let help = place.run("leak-demo --help").succeeded().stdout;
    for words in ["runs/leak-demo.png", "--steps", "autograd nodes", "heap"] {
        assert!(help.contains(words), "{words} is not in the help");
    }
}

#[test]
fn progress_goes_to_standard_error_line_by_line() {
    let place = Place::new();
    let args = format!("{TRAIN} run --epochs 1");
    let mut child = command(place.folder(), args.split(' ')).spawn().expect("the binary starts");
    let stderr = BufReader::new(child.stderr.take().expect("a pipe"));
    let lines: Vec<String> = stderr.lines().map(|line| line.expect("UTF-8")).collect();
    let stdout = child.wait_with_output().expect("the process ends").stdout;
    assert_eq!(String::from_utf8(stdout).expect("UTF-8").lines().count(), 1, "only the result is on stdout");
    assert!(lines.iter().any(|line| line.contains("AP50") && line.contains("best so far")), "{lines:#?}");
    assert!(
        lines.iter().all(|line| !line.contains('\u{1b}')),
        "control codes without a terminal: {lines:#?}"
    );
}

/// The last three columns: tensor bytes, autograd nodes and heap bytes a step.
fn growth(row: &str) -> [i64; 3] {
    let mut cells = row.split_whitespace().rev().map(|cell| cell.replace(',', "").parse().expect("a number"));
    let [heap, nodes, bytes] = std::array::from_fn(|_| cells.next().expect("a column"));
    [bytes, nodes, heap]
}

#[test]
fn leak_demo_draws_both_curves() {
    let place = Place::new();
    let outcome = place.run("leak-demo --steps 4 --out pictures/leak.png").succeeded();
    let rows: Vec<&str> = outcome.stdout.lines().filter(|line| line.starts_with("kept ")).collect();
    assert_eq!(rows.len(), 2, "{}", outcome.stdout);
    let [bytes, nodes, _heap] = growth(rows[0]);
    // A step keeps its coarsest map, [2, 128, 4, 4], and its loss; the graph behind them is freed but for its nodes.
    assert!(bytes >= 2 * 128 * 4 * 4 * 4 && nodes > 100, "keeping graphs costs too little: {}", rows[0]);
    assert_eq!(growth(rows[1])[..2], [0, 0], "the policy's way grows: {}", rows[1]);
    let picture = image::open(place.path("pictures/leak.png")).expect("a picture");
    assert!(picture.width() >= 300 && picture.height() >= 200);
}
