//! What a command took.

use std::time::Instant;

use trainer::report::units;

/// Time since `start` and the most memory that the process held, such as `2.3 s, peak memory 310 MB`.
pub fn spent(start: Instant) -> String {
    let time = units::duration(start.elapsed());
    match peak_resident_bytes() {
        Some(bytes) => format!("{time}, peak memory {}", units::bytes(bytes)),
        None => time,
    }
}

/// The most resident memory so far; Linux only.
fn peak_resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}
