//! The run directory, the log, and files that are never half-written.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use trainer::report::metrics::{self, EpochRecord, RunRecord, RunStatus, StepRecord};
use trainer::report::{Existing, LossCurves, MemoryCurve, MetricsLog, Record, ReportError, RunDir, atomic};

/// Set for the child process that is killed in the middle of a write.
const VICTIM: &str = "REPORT_TEST_VICTIM";

fn fresh(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if path.exists() {
        fs::remove_dir_all(&path).expect("removable");
    }
    path
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<_> =
        entries.map(|e| e.expect("an entry").file_name().into_string().expect("UTF-8")).collect();
    names.sort();
    names
}

fn run(status: RunStatus, step: u64) -> Record {
    Record::Run(RunRecord { status, step, facts: BTreeMap::from([("seed".to_owned(), "7".to_owned())]) })
}

fn step(step: u64, loss: f64) -> Record {
    let losses = [("loss_vfl", 1.0), ("loss_vfl_aux_0", 0.5), ("loss_bbox", 2.0), ("loss_giou_dn_1", 4.0)];
    Record::Step(StepRecord {
        epoch: 0,
        step,
        loss,
        losses: losses.map(|(name, value)| (name.to_owned(), value)).into(),
        lr: 5e-4,
        images_per_second: 31.25,
        live_bytes: 53_214_004,
        peak_bytes: 311_000_000,
        rss_bytes: 700_000_000,
        seconds: 0.25 * step as f64,
    })
}

fn epoch(epoch: u64, step: u64) -> Record {
    Record::Epoch(EpochRecord {
        epoch,
        step,
        loss: 9.5,
        ap: 0.61,
        ap50: 0.83,
        ap75: 0.66,
        live_bytes: 53_214_004,
        rss_bytes: 700_000_000,
        seconds: 60.0,
    })
}

fn finished_run(name: &str) -> PathBuf {
    let path = fresh(name);
    let dir = RunDir::create(&path, Existing::Refuse).expect("a new folder");
    let mut log = MetricsLog::create(&dir).expect("a new log");
    for record in [run(RunStatus::Started, 0), step(1, 20.0), epoch(0, 1), run(RunStatus::Finished, 1)] {
        log.append(&record).expect("writable");
    }
    fs::write(dir.last_checkpoint(), b"weights").expect("writable");
    path
}

#[test]
fn records_come_back_as_they_were_written() {
    let path = finished_run("round_trip");
    let read = metrics::read(&path.join("metrics.jsonl")).expect("a log");
    assert_eq!(read, [run(RunStatus::Started, 0), step(1, 20.0), epoch(0, 1), run(RunStatus::Finished, 1)]);
    let first = fs::read_to_string(path.join("metrics.jsonl")).expect("text");
    assert!(first.starts_with(r#"{"record":"run","status":"started","step":0,"#), "{first}");
}

#[test]
fn a_loss_that_is_not_a_number_survives_the_log() {
    let dir = RunDir::create(fresh("nan"), Existing::Refuse).expect("a new folder");
    MetricsLog::create(&dir).and_then(|mut log| log.append(&step(1, f64::NAN))).expect("writable");
    let records = metrics::read(&dir.metrics()).expect("a log");
    assert!(matches!(&records[..], [Record::Step(step)] if step.loss.is_nan() && step.lr == 5e-4));
}

#[test]
fn terms_are_summed_per_kind() {
    let curves = LossCurves::from_records(&[step(1, 7.5), epoch(0, 1)]);
    let point = curves.steps[0];
    assert_eq!((point.vfl, point.bbox, point.giou, point.loss), (1.5, 2.0, 4.0, 7.5));
    assert_eq!((curves.epochs[0].ap50, curves.epochs[0].step), (0.83, 1));
    let memory = MemoryCurve::from_records(&[step(1, 7.5), epoch(0, 1)]);
    assert_eq!((memory.steps[0].peak_bytes, memory.epochs[0].live_bytes), (311_000_000, 53_214_004));
}

#[test]
fn a_line_cut_off_by_a_kill_is_dropped() {
    let dir = RunDir::create(fresh("cut"), Existing::Refuse).expect("a new folder");
    let mut log = MetricsLog::create(&dir).expect("a new log");
    log.append(&step(1, 20.0)).expect("writable");
    let mut file = fs::OpenOptions::new().append(true).open(dir.metrics()).expect("the log");
    file.write_all(br#"{"record":"step","epoch":0,"st"#).expect("writable");
    assert_eq!(metrics::read(&dir.metrics()).expect("a log"), [step(1, 20.0)]);
    let mut log = MetricsLog::create(&dir).expect("the log again");
    log.append(&step(2, 19.0)).expect("writable");
    assert_eq!(metrics::read(&dir.metrics()).expect("a log"), [step(1, 20.0), step(2, 19.0)]);
}

#[test]
fn resuming_forgets_steps_after_the_checkpoint() {
    let dir = RunDir::create(fresh("resume"), Existing::Refuse).expect("a new folder");
    let mut log = MetricsLog::create(&dir).expect("a new log");
    [step(10, 9.0), epoch(0, 10), step(15, 8.0)].iter().for_each(|r| log.append(r).expect("writable"));
    let mut log = MetricsLog::resume(&dir, 10).expect("the log again");
    log.append(&run(RunStatus::Resumed, 10)).expect("writable");
    let records = metrics::read(&dir.metrics()).expect("a log");
    assert_eq!(records, [step(10, 9.0), epoch(0, 10), run(RunStatus::Resumed, 10)]);
}

#[test]
fn a_bad_line_is_named() {
    let dir = RunDir::create(fresh("bad_line"), Existing::Refuse).expect("a new folder");
    let mut log = MetricsLog::create(&dir).expect("a new log");
    log.append(&step(1, 20.0)).expect("writable");
    let mut file = fs::OpenOptions::new().append(true).open(dir.metrics()).expect("the log");
    file.write_all(b"{\"record\":\"step\"}\n").expect("writable");
    let error = metrics::read(&dir.metrics()).expect_err("a field is missing").to_string();
    assert!(error.contains("metrics.jsonl, line 2: missing field `epoch`"), "{error}");
}

#[test]
fn an_existing_run_is_not_replaced_unasked() {
    let path = finished_run("existing");
    let finished = RunDir::create(&path, Existing::Refuse).expect_err("a run is there").to_string();
    assert!(
        finished.contains("finished run (metrics.jsonl)") && finished.contains("--overwrite"),
        "{finished}"
    );
    let log = path.join("metrics.jsonl");
    let text = fs::read_to_string(&log).expect("text").replace("finished", "interrupted");
    fs::write(&log, text).expect("writable");
    let unfinished = RunDir::create(&path, Existing::Refuse).expect_err("a run is there");
    assert!(matches!(unfinished, ReportError::UnfinishedRun { .. }));
    assert!(unfinished.to_string().contains("--resume"), "{unfinished}");
}

#[test]
fn overwriting_removes_the_run_and_nothing_else() {
    let path = finished_run("overwrite");
    fs::write(path.join("notes.txt"), b"mine").expect("writable");
    RunDir::create(&path, Existing::Overwrite).expect("overwritten");
    assert_eq!(names(&path), ["notes.txt"]);
    // A folder with foreign files only is as good as new.
    RunDir::create(&path, Existing::Refuse).expect("no run is there");
}

#[test]
fn resuming_needs_a_checkpoint() {
    let path = finished_run("resume_needs");
    RunDir::create(&path, Existing::Resume).expect("a checkpoint is there");
    assert!(path.join("metrics.jsonl").exists());
    fs::remove_file(path.join("last.safetensors")).expect("removable");
    let error = RunDir::create(&path, Existing::Resume).expect_err("no checkpoint");
    assert!(matches!(error, ReportError::NothingToResume { .. }));
}

#[test]
fn a_path_that_cannot_be_a_run_directory_is_explained() {
    let path = fresh("is_a_file");
    fs::create_dir_all(&path).expect("writable");
    let file = path.join("file");
    fs::write(&file, b"").expect("writable");
    assert!(matches!(RunDir::create(&file, Existing::Refuse), Err(ReportError::NotADirectory { .. })));
    let below = RunDir::create(file.join("run"), Existing::Refuse).expect_err("below a file").to_string();
    assert!(below.starts_with("cannot create ") && below.contains("writable"), "{below}");
}

/// The kernel refuses writes below `/proc` even to root, whom a read-only mode would not stop.
#[cfg(target_os = "linux")]
#[test]
fn an_unwritable_directory_is_refused_before_training() {
    let error = RunDir::create("/proc/self", Existing::Refuse).expect_err("not writable").to_string();
    assert!(error.starts_with("cannot write to /proc/self"), "{error}");
}

#[test]
fn a_failed_write_leaves_the_old_file() {
    let folder = fresh("failed_write");
    fs::create_dir_all(&folder).expect("writable");
    let path = folder.join("config.toml");
    atomic::write_file(&path, |file| file.write_all(b"old")).expect("written");
    let error = atomic::write_file(&path, |file| {
        file.write_all(b"half of the n")?;
        Err(io::Error::from(io::ErrorKind::StorageFull))
    });
    assert!(error.expect_err("no space").to_string().contains("config.toml"));
    let panicked = std::panic::catch_unwind(|| {
        atomic::write_file(&path, |file| {
            file.write_all(b"half of the n")?;
            panic!("in the middle of a write")
        })
    });
    assert!(panicked.is_err());
    assert_eq!(fs::read(&path).expect("the file"), b"old");
    assert_eq!(names(&folder), ["config.toml"]);
    atomic::write_file(&path, |file| file.write_all(b"new")).expect("written");
    assert_eq!(fs::read(&path).expect("the file"), b"new");
}

#[test]
fn savers_that_take_a_path_are_atomic_too() {
    let folder = fresh("write_via");
    fs::create_dir_all(&folder).expect("writable");
    let path = folder.join("last.safetensors");
    let save = |bytes: &'static [u8], fails: bool| {
        atomic::write_via(&path, |partial| {
            fs::write(partial, bytes).map_err(|cause| ReportError::Io {
                action: "save",
                path: partial.to_path_buf(),
                cause,
            })?;
            if fails { Err(ReportError::NothingToResume { path: path.clone() }) } else { Ok(()) }
        })
    };
    save(b"first", false).expect("saved");
    assert!(save(b"second", true).is_err());
    assert_eq!(fs::read(&path).expect("the file"), b"first");
    assert_eq!(names(&folder), ["last.safetensors"]);
}

/// Runs this test again in a child process, which aborts in the middle of replacing a checkpoint.
#[test]
fn a_process_killed_while_writing_leaves_the_old_file() {
    if let Ok(path) = std::env::var(VICTIM) {
        let _ = atomic::write_file(Path::new(&path), |file| {
            file.write_all(&[1; 1 << 20])?;
            std::process::abort()
        });
        unreachable!("the process has aborted");
    }
    let run = finished_run("killed");
    let path = run.join("last.safetensors");
    let child = Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", "a_process_killed_while_writing_leaves_the_old_file"])
        .env(VICTIM, &path)
        .output()
        .expect("the test starts");
    assert!(!child.status.success());
    assert_eq!(fs::read(&path).expect("the file"), b"weights");
    assert!(names(&run).iter().any(|name| name.ends_with(".partial")), "the child was killed while writing");
    RunDir::create(&run, Existing::Resume).expect("resumed");
    assert_eq!(names(&run), ["last.safetensors", "metrics.jsonl"]);
}
