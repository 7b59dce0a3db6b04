//! A whole run: epochs of training and evaluation, with everything that they leave in the run directory.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use guard_core::{Warning, memory, no_retain};

use super::{EpochEnd, Session, StepObserver, StepReport, TrainError, evaluate, train_one_epoch};
use crate::{
    data::Loader,
    eval::{CocoStats, PostProcessor},
    report::{
        MetricsLog, Progress, Record, RunDir, StepStatus,
        metrics::{EpochRecord, RunRecord, RunStatus, StepRecord},
    },
};

/// The parts of a run; [`Run::fit`] sets them to work.
#[no_retain]
pub struct Run {
    /// Model, optimiser, counters.
    pub session: Session,
    /// Shuffled training batches.
    pub train: Loader,
    /// Validation batches, in order.
    pub val: Loader,
    /// Turns predictions into detections.
    pub postprocessor: PostProcessor,
    /// Where the run is kept.
    pub dir: RunDir,
    /// The log in it.
    pub log: MetricsLog,
    /// What the user sees meanwhile.
    pub progress: Progress,
    /// Ends the run after the epoch in which this much time has passed.
    pub time_limit: Option<Duration>,
    /// Time that earlier parts of a resumed run took.
    pub seconds_before: f64,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[no_retain]
pub enum RunEnd {
    /// All epochs are done.
    Finished,
    /// The time limit came first; the last epoch is whole.
    TimeLimit,
    /// The stop flag was raised; `last` stands after the last whole step.
    Interrupted,
}

/// Shows and logs the steps of one epoch.
#[no_retain]
struct StepLog<'a> {
    log: &'a mut MetricsLog,
    progress: &'a mut Progress,
    epoch: u64,
    start: Instant,
    seconds_before: f64,
    /// What the memory guard found suspicious after the last step.
    warnings: Vec<Warning>,
}

impl Run {
    /// Trains to the last epoch, the time limit or the stop flag, whichever comes first.
    #[no_retain]
    pub fn fit(&mut self, stop: &AtomicBool) -> Result<RunEnd, TrainError> {
        let start = Instant::now();
        let status = if self.session.counters().step == 0 { RunStatus::Started } else { RunStatus::Resumed };
        self.log_run(status)?;
        while self.session.counters().epoch < self.session.epochs() {
            if self.train_epoch(start, stop)? == EpochEnd::Stopped {
                return self.interrupted();
            }
            self.finish_epoch(start)?;
            if stop.load(Ordering::Relaxed) {
                return self.interrupted();
            }
            if self.time_limit.is_some_and(|limit| start.elapsed() >= limit) {
                return self.ended(RunEnd::TimeLimit);
            }
        }
        self.ended(RunEnd::Finished)
    }

    fn train_epoch(&mut self, start: Instant, stop: &AtomicBool) -> Result<EpochEnd, TrainError> {
        let epoch = self.session.counters().epoch;
        self.progress.start_epoch(epoch, self.train.batches_per_epoch() as u64);
        self.progress.skip(self.session.counters().step_in_epoch);
        let Self { session, train, log, progress, seconds_before, .. } = self;
        let seconds_before = *seconds_before;
        let mut steps = StepLog { log, progress, epoch, start, seconds_before, warnings: Vec::new() };
        let end = train_one_epoch(session, train, stop, &mut steps)?;
        steps.warnings.iter().for_each(|warning| steps.progress.println(&format!("warning: {warning}")));
        Ok(end)
    }

    fn finish_epoch(&mut self, start: Instant) -> Result<(), TrainError> {
        self.progress.note("evaluating");
        let stats = self.evaluate()?;
        let (epoch, loss) = (self.session.counters().epoch, self.session.counters().mean_loss());
        let best = self.session.finish_epoch(stats.ap);
        // `last` comes last: a run that is killed in between repeats the epoch instead of missing what it left.
        if best {
            self.session.release().save(&self.dir.best_checkpoint())?;
        }
        let record = self.epoch_record(epoch, start, loss, &stats);
        self.progress.finish_epoch(&summary(&record, best));
        self.log.append(&Record::Epoch(record))?;
        self.session.checkpoint().save(&self.dir.last_checkpoint())
    }

    fn evaluate(&self) -> Result<CocoStats, TrainError> {
        let device = self.session.device();
        evaluate(self.session.averaged(), &self.val, &self.postprocessor, device)
    }

    fn epoch_record(&self, epoch: u64, start: Instant, loss: f64, stats: &CocoStats) -> EpochRecord {
        EpochRecord {
            epoch,
            step: self.session.counters().step,
            loss,
            ap: stats.ap,
            ap50: stats.ap50,
            ap75: stats.ap75,
            live_bytes: memory::live_bytes(),
            rss_bytes: memory::resident_bytes().unwrap_or(0),
            seconds: self.seconds_before + start.elapsed().as_secs_f64(),
        }
    }

    fn interrupted(&mut self) -> Result<RunEnd, TrainError> {
        self.session.checkpoint().save(&self.dir.last_checkpoint())?;
        self.log_run(RunStatus::Interrupted)?;
        Ok(RunEnd::Interrupted)
    }

    fn ended(&mut self, end: RunEnd) -> Result<RunEnd, TrainError> {
        self.log_run(RunStatus::Finished)?;
        Ok(end)
    }

    fn log_run(&mut self, status: RunStatus) -> Result<(), TrainError> {
        let step = self.session.counters().step;
        Ok(self.log.append(&Record::Run(RunRecord { status, step, facts: Default::default() }))?)
    }
}

impl StepLog<'_> {
    fn record(&self, report: &StepReport) -> Record {
        Record::Step(StepRecord {
            epoch: self.epoch,
            step: report.step + 1,
            loss: report.loss,
            losses: report.terms.iter().cloned().collect(),
            lr: report.lr,
            images_per_second: self.progress.images_per_second(),
            live_bytes: report.live_bytes,
            peak_bytes: report.peak_bytes,
            rss_bytes: memory::resident_bytes().unwrap_or(0),
            seconds: self.seconds_before + self.start.elapsed().as_secs_f64(),
        })
    }
}

impl StepObserver for StepLog<'_> {
    fn step(&mut self, report: &StepReport) -> Result<(), TrainError> {
        self.warnings.clone_from(&report.warnings);
        let StepReport { loss, lr, images, live_bytes, .. } = *report;
        self.progress.step(&StepStatus { loss, lr, images, live_bytes });
        Ok(self.log.append(&self.record(report))?)
    }
}

fn summary(record: &EpochRecord, best: bool) -> String {
    let mark = if best { "  (best so far)" } else { "" };
    format!(
        "loss {:.3}  AP {:.3}  AP50 {:.3}  AP75 {:.3}  live tensor bytes {}{mark}",
        record.loss,
        record.ap,
        record.ap50,
        record.ap75,
        crate::report::units::grouped(record.live_bytes),
    )
}
