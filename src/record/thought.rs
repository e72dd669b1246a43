//! What a player said about its move, as it stands in a comment: `+0.35/12 0.153s n=4000`.

use std::fmt;
use std::time::Duration;

/// A score from the view of the player who moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Score {
    /// An estimate, in hundredths of whatever unit the player counts in.
    Centipawns(i32),
    /// A proven win within this many turns of both sides together.
    WinIn(u16),
    /// A proven loss within this many turns of both sides together.
    LossIn(u16),
}

/// `+0.35`, `+M5` for a win within five turns, `-M4` for a loss.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Score::Centipawns(score) => {
                let sign = if *score < 0 { '-' } else { '+' };
                let size = score.unsigned_abs();
                write!(f, "{sign}{}.{:02}", size / 100, size % 100)
            }
            Score::WinIn(turns) => write!(f, "+M{turns}"),
            Score::LossIn(turns) => write!(f, "-M{turns}"),
        }
    }
}

impl Score {
    /// Reads what [`Display`](fmt::Display) writes; the digits after the point may be missing.
    fn read(text: &str) -> Option<Score> {
        let (negative, size) = match text.strip_prefix('-') {
            Some(size) => (true, size),
            None => (false, text.strip_prefix('+')?),
        };
        if let Some(turns) = size.strip_prefix('M') {
            let turns = turns.parse().ok()?;
            return Some(if negative { Score::LossIn(turns) } else { Score::WinIn(turns) });
        }
        let (whole, part) = size.split_once('.').unwrap_or((size, "0"));
        let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if !all_digits(whole) || !all_digits(part) {
            return None;
        }
        let hundredths: i64 = format!("{part:0<2}").get(..2)?.parse().ok()?;
        let size = whole.parse::<i64>().ok()?.checked_mul(100)?.checked_add(hundredths)?;
        let score = if negative { -size } else { size };
        Some(Score::Centipawns(i32::try_from(score).ok()?))
    }
}

/// The figures of a search. Every part may be missing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Thought {
    /// The score of the move, for the player.
    pub score: Option<Score>,
    /// The depth reached, in turns.
    pub depth: Option<u32>,
    /// Positions evaluated.
    pub nodes: Option<u64>,
    /// Time used, in whole microseconds.
    pub time: Option<Duration>,
}

impl Thought {
    /// Reads the figures at the beginning of a comment, and gives the rest of it.
    pub(super) fn split(comment: &str) -> (Thought, &str) {
        let mut thought = Thought::default();
        let mut rest = comment.trim_start();
        loop {
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            let word = rest[..end].trim_end_matches([',', ';']);
            if !thought.take(word) {
                return (thought, rest.trim_end());
            }
            rest = rest[end..].trim_start();
        }
    }

    fn take(&mut self, word: &str) -> bool {
        if let Some(nodes) = word.strip_prefix("n=") {
            return fill(&mut self.nodes, nodes.parse().ok());
        }
        if let Some(time) = word.strip_suffix('s') {
            return fill(&mut self.time, read_seconds(time));
        }
        let (score, depth) = match word.split_once('/') {
            Some((score, depth)) => (score, Some(depth)),
            None => (word, None),
        };
        if self.depth.is_some() || (!score.is_empty() && self.score.is_some()) {
            return false;
        }
        let read_score = Score::read(score);
        let read_depth = depth.and_then(|depth| depth.parse().ok());
        let whole = (score.is_empty() || read_score.is_some())
            && depth.is_none_or(|_| read_depth.is_some());
        if !whole || word.is_empty() {
            return false;
        }
        self.score = self.score.or(read_score);
        self.depth = read_depth;
        true
    }
}

/// Sets what is not set yet. Whether it did.
fn fill<T>(place: &mut Option<T>, value: Option<T>) -> bool {
    let fits = place.is_none() && value.is_some();
    if fits {
        *place = value;
    }
    fits
}

/// Reads a number of seconds with at most six digits after the point that count.
fn read_seconds(text: &str) -> Option<Duration> {
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let all_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !all_digits(whole) || !all_digits(part) {
        return None;
    }
    let micros: u64 = format!("{part:0<6}").get(..6)?.parse().ok()?;
    Some(Duration::from_secs(whole.parse().ok()?) + Duration::from_micros(micros))
}

impl fmt::Display for Thought {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words: Vec<String> = Vec::new();
        let score = self.score.map(|score| score.to_string()).unwrap_or_default();
        match self.depth {
            Some(depth) => words.push(format!("{score}/{depth}")),
            None if !score.is_empty() => words.push(score),
            None => {}
        }
        if let Some(time) = self.time {
            let micros = format!("{:06}", time.subsec_micros());
            let part = micros.trim_end_matches('0');
            words.push(format!("{}.{part:0<3}s", time.as_secs()));
        }
        if let Some(nodes) = self.nodes {
            words.push(format!("n={nodes}"));
        }
        f.write_str(&words.join(" "))
    }
}
