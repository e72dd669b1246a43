//! How much each player may think, and the clocks that watch it.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;

/// A clock for a game: `[moves/][minutes:]seconds[+increment]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeControl {
    /// The number of moves that the time is for, after which it is given again; without it the
    /// time is for the whole game.
    pub moves: Option<u32>,
    /// The time at the start.
    pub time: Duration,
    /// What is added after each move.
    pub increment: Duration,
}

/// Why a text is no time control.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum TimeControlError {
    /// A part is no number of the kind that belongs there.
    #[error("'{part}' in the time control '{text}' is not {wanted}")]
    Part {
        /// The whole text.
        text: String,
        /// The part that is wrong.
        part: String,
        /// What is wanted.
        wanted: &'static str,
    },
    /// No time at all.
    #[error("the time control '{0}' gives no time")]
    NoTime(String),
}

/// The longest time that makes sense, in seconds: ten weeks.
const LONGEST: f64 = 6e6;

/// Reads a number of seconds, which may have a fraction.
pub fn read_seconds(text: &str) -> Option<Duration> {
    let plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let seconds: f64 = text.parse().ok().filter(|_| plain)?;
    (seconds <= LONGEST).then(|| Duration::from_secs_f64(seconds))
}

impl FromStr for TimeControl {
    type Err = TimeControlError;

    fn from_str(text: &str) -> Result<TimeControl, TimeControlError> {
        let wrong = |part: &str, wanted| TimeControlError::Part {
            text: text.to_owned(),
            part: part.to_owned(),
            wanted,
        };
        let (moves, rest) = match text.split_once('/') {
            None => (None, text),
            Some((moves, rest)) => {
                let count = moves.parse().ok().filter(|count| *count > 0);
                (Some(count.ok_or_else(|| wrong(moves, "a number of moves"))?), rest)
            }
        };
        let (base, increment) = match rest.split_once('+') {
            None => (rest, Duration::ZERO),
            Some((base, increment)) => {
                let read = read_seconds(increment);
                (base, read.ok_or_else(|| wrong(increment, "an increment in seconds"))?)
            }
        };
        let (minutes, seconds) = match base.split_once(':') {
            None => (Duration::ZERO, base),
            Some((minutes, seconds)) => {
                let read = read_seconds(minutes).map(|seconds| seconds * 60);
                (read.ok_or_else(|| wrong(minutes, "a number of minutes"))?, seconds)
            }
        };
        let seconds = read_seconds(seconds).ok_or_else(|| wrong(seconds, "a number of seconds"))?;
        let time = minutes + seconds;
        if time.is_zero() && increment.is_zero() {
            return Err(TimeControlError::NoTime(text.to_owned()));
        }
        Ok(TimeControl { moves, time, increment })
    }
}

/// `40/60+0.6`, in seconds.
impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(moves) = self.moves {
            write!(f, "{moves}/")?;
        }
        write!(f, "{}", self.time.as_secs_f64())?;
        if !self.increment.is_zero() {
            write!(f, "+{}", self.increment.as_secs_f64())?;
        }
        Ok(())
    }
}

/// All that limits a player's thinking. Everything that is set holds together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Allowance {
    /// The clock for the game.
    pub clock: Option<TimeControl>,
    /// The time for each move.
    pub move_time: Option<Duration>,
    /// The positions that may be evaluated for each move.
    pub nodes: Option<u64>,
    /// The depth of each search, in turns.
    pub depth: Option<u32>,
    /// By how much clock and move time may be overrun.
    pub margin: Duration,
}

impl Allowance {
    /// Whether anything limits the thinking at all.
    pub fn is_limited(&self) -> bool {
        self.clock.is_some()
            || self.move_time.is_some()
            || self.nodes.is_some()
            || self.depth.is_some()
    }
}

/// As the tag `TimeControl` of a record: `10+0.1`, `0.5/move`, `nodes 1000`, `depth 3`.
impl fmt::Display for Allowance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let clock = self.clock.map(|clock| clock.to_string());
        let move_time = self.move_time.map(|time| format!("{}/move", time.as_secs_f64()));
        let nodes = self.nodes.map(|nodes| format!("nodes {nodes}"));
        let depth = self.depth.map(|depth| format!("depth {depth}"));
        let parts: Vec<String> = [clock, move_time, nodes, depth].into_iter().flatten().collect();
        f.write_str(if parts.is_empty() { "-" } else { "" })?;
        f.write_str(&parts.join(" "))
    }
}

/// The clock of one player in one game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock {
    allowance: Allowance,
    left: Duration,
    moves_to_go: Option<u32>,
}

/// The time has run out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Overrun {
    /// By how much, beside the margin.
    pub by: Duration,
}

impl Clock {
    /// The clock at the start of a game.
    pub fn new(allowance: Allowance) -> Clock {
        let left = allowance.clock.map_or(Duration::ZERO, |clock| clock.time);
        let moves_to_go = allowance.clock.and_then(|clock| clock.moves);
        Clock { allowance, left, moves_to_go }
    }

    /// What limits the player.
    pub fn allowance(&self) -> &Allowance {
        &self.allowance
    }

    /// The time on the clock, if there is one for the game.
    pub fn left(&self) -> Option<Duration> {
        self.allowance.clock.map(|_| self.left)
    }

    /// The number of moves that the time on the clock is for, if not the rest of the game.
    pub fn moves_to_go(&self) -> Option<u32> {
        self.moves_to_go
    }

    /// The time after which the next move is late, without the margin; `None` if time does not
    /// matter.
    pub fn limit(&self) -> Option<Duration> {
        self.left().into_iter().chain(self.allowance.move_time).min()
    }

    /// Takes the time of a move off the clock, and adds what a move earns.
    ///
    /// # Errors
    /// When the move was late, even with the margin.
    pub fn spend(&mut self, used: Duration) -> Result<(), Overrun> {
        if let Some(limit) = self.limit()
            && used > limit + self.allowance.margin
        {
            return Err(Overrun { by: used - limit });
        }
        if let Some(control) = self.allowance.clock {
            self.left = self.left.saturating_sub(used) + control.increment;
            if let Some(moves) = &mut self.moves_to_go {
                *moves -= 1;
                if *moves == 0 {
                    self.left += control.time;
                    self.moves_to_go = control.moves;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn time_controls_are_read_and_written() {
        let read = |text: &str| text.parse::<TimeControl>();
        let control = |moves, time, increment| TimeControl {
            moves,
            time: millis(time),
            increment: millis(increment),
        };
        assert_eq!(read("10"), Ok(control(None, 10_000, 0)));
        assert_eq!(read("0.1+0.001"), Ok(control(None, 100, 1)));
        assert_eq!(read("40/1:30.5+0.25"), Ok(control(Some(40), 90_500, 250)));
        assert_eq!(read("40/1:30.5+0.25").unwrap().to_string(), "40/90.5+0.25");
        assert_eq!(read("0+1"), Ok(control(None, 0, 1000)));
        for (text, part) in [
            ("", ""),
            ("x", "x"),
            ("0/10", "0"),
            ("10+", ""),
            ("1:2:3", "2:3"),
            ("-5", "-5"),
            ("1e9", "1e9"),
            ("nan", "nan"),
        ] {
            let Err(TimeControlError::Part { part: found, .. }) = read(text) else {
                panic!("{text}: {:?}", read(text));
            };
            assert_eq!(found, part, "{text}");
        }
        assert_eq!(read("0"), Err(TimeControlError::NoTime("0".into())));
    }

    #[test]
    fn a_clock_runs_down_and_earns_increments() {
        let clock = "1+0.1".parse().ok();
        let mut clock = Clock::new(Allowance { clock, ..Allowance::default() });
        assert_eq!(clock.limit(), Some(millis(1000)));
        assert_eq!(clock.spend(millis(400)), Ok(()));
        assert_eq!(clock.left(), Some(millis(700)));
        assert_eq!(clock.spend(millis(700)), Ok(()));
        assert_eq!(clock.left(), Some(millis(100)));
        assert_eq!(clock.spend(millis(130)), Err(Overrun { by: millis(30) }));
    }

    #[test]
    fn the_margin_is_free() {
        let clock = "1+0.1".parse().ok();
        let allowance = Allowance { clock, margin: millis(50), ..Allowance::default() };
        let mut clock = Clock::new(allowance);
        assert_eq!(clock.spend(millis(1050)), Ok(()));
        assert_eq!(clock.left(), Some(millis(100)));
    }

    #[test]
    fn time_is_given_again_after_so_many_moves() {
        let mut clock = Clock::new(Allowance { clock: "2/1".parse().ok(), ..Allowance::default() });
        assert_eq!(clock.moves_to_go(), Some(2));
        assert_eq!(clock.spend(millis(600)), Ok(()));
        assert_eq!((clock.left(), clock.moves_to_go()), (Some(millis(400)), Some(1)));
        assert_eq!(clock.spend(millis(100)), Ok(()));
        assert_eq!((clock.left(), clock.moves_to_go()), (Some(millis(1300)), Some(2)));
    }

    #[test]
    fn the_shorter_of_clock_and_move_time_counts() {
        let allowance = Allowance {
            clock: "1".parse().ok(),
            move_time: Some(millis(300)),
            ..Allowance::default()
        };
        let mut clock = Clock::new(allowance);
        assert_eq!(clock.limit(), Some(millis(300)));
        assert_eq!(clock.spend(millis(301)), Err(Overrun { by: millis(1) }));
        for _ in 0..3 {
            assert_eq!(clock.spend(millis(290)), Ok(()));
        }
        assert_eq!(clock.limit(), Some(millis(130)));
        assert_eq!(Clock::new(Allowance::default()).limit(), None);
    }
}
