//! Matches between engine processes: schedule, clocks, referee, statistics, reports.
//!
//! To a referee every engine is a process that is spoken to through a protocol, our own included;
//! nothing here knows how an engine thinks.
//!
//! From the bottom: [`statistics`], [`schedule`], [`time_control`] and [`openings`] are pure.
//! [`process`] runs a program that cannot hold the runner up, with [`watchdog`] behind it;
//! [`player`] talks to one in its protocol; [`referee`] lets two of them play a game;
//! [`tournament`] plays a match of many games, counts them in [`standing`] and keeps them in
//! [`journal`]; [`report`] and [`page`] tell of it.

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
