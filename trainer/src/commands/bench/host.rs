//! The machine and this process, as Linux tells; elsewhere the values are null.

use std::{fs, time::Instant};

use guard_core::no_retain;
use serde_json::{Map, Value, json};
use tch::Device;

/// Kernel ticks per second that `/proc` counts processor time in.
const TICKS_PER_SECOND: f64 = 100.0;

/// The state of the machine when a measurement began.
#[no_retain]
pub struct Watch {
    start: Instant,
    busy: Option<f64>,
}

impl Watch {
    /// Begins now.
    pub fn start() -> Self {
        Self { start: Instant::now(), busy: busy_elsewhere() }
    }

    /// One line of JSON: `facts` of the measurement `bench`, and how quiet the machine was meanwhile.
    pub fn line(&self, bench: &str, config: &str, facts: Value) -> Value {
        let mut line = Map::new();
        line.insert("bench".into(), bench.into());
        line.insert("implementation".into(), "trainer".into());
        line.insert("threads".into(), tch::get_num_threads().into());
        line.insert("config".into(), config.into());
        line.insert("loadavg".into(), json!(load_average()));
        line.insert("other_cores_busy".into(), json!(self.other_cores_busy()));
        line.insert("cpu".into(), json!(cpu()));
        if let Value::Object(facts) = facts {
            line.extend(facts);
        }
        line.into()
    }

    /// Cores that other programs used on average.
    fn other_cores_busy(&self) -> Option<f64> {
        let busy = busy_elsewhere()? - self.busy?;
        let cores = (busy / self.start.elapsed().as_secs_f64()).max(0.0);
        Some((cores * 100.0).round() / 100.0)
    }
}

/// Waits for the device.
pub fn synchronize(device: Device) {
    if let Device::Cuda(index) = device {
        tch::Cuda::synchronize(index as i64);
    }
}

/// Most memory that the process ever had, in MiB.
pub fn peak_rss_mb() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes / 1024.0)
}

/// Memory of the process now, in MiB.
pub fn rss_mb() -> Option<f64> {
    guard_core::memory::resident_bytes().map(|bytes| bytes as f64 / f64::from(1 << 20))
}

/// Processor seconds since the start of the machine that were not ours.
fn busy_elsewhere() -> Option<f64> {
    let machine = busy_ticks(&fs::read_to_string("/proc/stat").ok()?)?;
    let own = own_ticks(&fs::read_to_string("/proc/self/stat").ok()?)?;
    Some((machine - own) / TICKS_PER_SECOND)
}

/// All ticks of the first line but those of idling and of waiting for disks.
fn busy_ticks(stat: &str) -> Option<f64> {
    let ticks: Vec<f64> =
        stat.lines().next()?.split_whitespace().skip(1).map_while(|n| n.parse().ok()).collect();
    Some(ticks.iter().sum::<f64>() - ticks.get(3)? - ticks.get(4)?)
}

/// The fields `utime` and `stime`; the name in parentheses before them may hold spaces.
fn own_ticks(stat: &str) -> Option<f64> {
    let (_, fields) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    Some(fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?)
}

fn load_average() -> Option<Vec<f64>> {
    let text = fs::read_to_string("/proc/loadavg").ok()?;
    text.split_whitespace().take(3).map(|n| n.parse().ok()).collect()
}

fn cpu() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let (_, name) = text.lines().find(|line| line.starts_with("model name"))?.split_once(':')?;
    Some(name.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_of_the_machine_and_of_a_process() {
        assert_eq!(busy_ticks("cpu  10 1 5 1000 50 2 3 0 0 0\ncpu0 5 0 2 500 25 1 1 0 0 0\n"), Some(21.0));
        assert_eq!(busy_ticks(""), None);
        let stat = "7 (a ) name) S 1 7 7 0 -1 4194560 100 0 0 0 37 5 0 0 20 0 1 0 100";
        assert_eq!(own_ticks(stat), Some(42.0));
        assert_eq!(own_ticks("7 (name) S 1"), None);
    }
}
