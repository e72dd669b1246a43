//! Matches between engine processes: schedule, clocks, referee, statistics, reports.
//!
//! To a referee every engine is a process that is spoken to through a protocol, our own included;
//! nothing here knows how an engine thinks.

pub mod interrupt;
pub mod log;
pub mod process;
pub mod schedule;
pub mod statistics;
pub mod watchdog;
