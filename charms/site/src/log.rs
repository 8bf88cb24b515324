//! A log file for the subordinates: one line per file rendered.
//!
//! The directory outlives hooks and is not rolled back with them, like any log. It is kept
//! small: once the file is full it becomes `site.log.1`, and the one before that goes.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use periapt_charm::Result;

#[cfg(test)]
mod tests;

/// The directory's name in `capabilities.yaml`.
pub const DIRECTORY: &str = "logs";
/// The file, and what it becomes when it is full.
pub const FILE: &str = "site.log";
pub const ROTATED: &str = "site.log.1";
/// Bytes after which a file is full.
pub const FULL: u64 = 16 << 10;

/// Appends lines, each with the time in front.
pub fn append(directory: &Path, lines: &[String], now: SystemTime) -> Result<()> {
    let path = directory.join(FILE);
    if fs::metadata(&path).is_ok_and(|file| file.len() >= FULL) {
        fs::rename(&path, directory.join(ROTATED))?;
    }
    let time = rfc3339(now);
    let text: String = lines
        .iter()
        .map(|line| format!("{time} {line}\n"))
        .collect();
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    Ok(file.write_all(text.as_bytes())?)
}

/// `2026-01-31T08:05:09Z`.
fn rfc3339(time: SystemTime) -> String {
    let seconds = time
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    let (year, month, day) = date(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// The date of a day since 1970-01-01. Years are counted from March, so that the leap day is
/// the last of its year, in eras of 400 years.
fn date(days: u64) -> (u64, u64, u64) {
    const DAYS_TO_1970: u64 = 719_468;
    const ERA: u64 = 146_097;
    let days = days + DAYS_TO_1970;
    let (era, day_of_era) = (days / ERA, days % ERA);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    (year, month, day)
}
