//! The debug log: every line read and written, each with its time.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A log file that is appended to.
pub(super) struct Journal {
    file: File,
}

/// Which way a line went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    /// From the GUI to the engine.
    In,
    /// From the engine to the GUI.
    Out,
}

impl Journal {
    /// Opens the file, or makes it.
    pub(super) fn open(path: &str) -> io::Result<Journal> {
        Ok(Journal { file: OpenOptions::new().create(true).append(true).open(path)? })
    }

    /// Adds a line.
    pub(super) fn line(&mut self, way: Way, line: &str) -> io::Result<()> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let arrow = match way {
            Way::In => ">>",
            Way::Out => "<<",
        };
        // One write a line, so that two engines can share a file.
        self.file.write_all(format!("{} {arrow} {line}\n", utc(now)).as_bytes())
    }
}

/// A time since 1970 as `2026-01-31T12:34:56.789Z`.
fn utc(since_epoch: Duration) -> String {
    let seconds = since_epoch.as_secs();
    let (year, month, day) = civil(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    let millis = since_epoch.subsec_millis();
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

/// Year, month and day of a day counted from 1970-01-01, by Howard Hinnant's `civil_from_days`
/// ("chrono-Compatible Low-Level Date Algorithms"): years begin in March, so that the leap day is
/// the last.
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        // Counted by hand: 1972 is the first leap year after 1970, and 2000 was one too.
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(58), (1970, 2, 28));
        assert_eq!(civil(59), (1970, 3, 1));
        assert_eq!(civil(2 * 365 + 59), (1972, 2, 29));
        assert_eq!(civil(30 * 365 + 7), (2000, 1, 1));
        assert_eq!(civil(30 * 365 + 7 + 59), (2000, 2, 29));
        assert_eq!(utc(Duration::from_millis(86_399_007)), "1970-01-01T23:59:59.007Z");
    }

    #[test]
    fn days_follow_each_other() {
        let mut last = civil(0);
        for days in 1..60_000 {
            let (year, month, day) = civil(days);
            let next_day = (year, month) == (last.0, last.1) && day == last.2 + 1;
            let next_month = day == 1
                && (28..=31).contains(&last.2)
                && ((year, month) == (last.0, last.1 + 1)
                    || (year, month, last.1) == (last.0 + 1, 1, 12));
            assert!(next_day || next_month, "{days}");
            last = (year, month, day);
        }
    }
}
