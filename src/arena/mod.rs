//! Matches between engine processes: schedule, clocks, referee, statistics, reports.
//!
//! To a referee every engine is a process that is spoken to through a protocol, our own included;
//! nothing here knows how an engine thinks.

pub mod cause;
pub mod interrupt;
pub mod journal;
pub mod log;
pub mod openings;
pub mod page;
pub mod player;
pub mod process;
pub mod referee;
pub mod report;
pub mod schedule;
pub mod standing;
pub mod statistics;
pub mod time_control;
pub mod tournament;
pub mod watchdog;
