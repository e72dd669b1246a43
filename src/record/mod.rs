//! Game records: what was played, by whom, with what thoughts, and how it ended.
//!
//! Two written forms: a tag-pair text after the manner of PGN ([`text`]), which holds everything
//! and is what matches write, and SGF with `GM[18]` ([`sgf`]), which other programs for this game
//! read. Both are written exactly and read with tolerance: every notation, comments anywhere,
//! headers that are missing. What the players thought stands in the comments of the moves.

pub mod sgf;
pub mod text;
mod thought;

pub use thought::{Score, Thought};

use thiserror::Error;

use crate::amazons::{FenError, IllegalMove, Move, NotationError, Position, PositionError};
use crate::game::{Colour, Game, Outcome};

/// A finished or unfinished game.
#[derive(Clone, PartialEq, Debug)]
pub struct Record {
    /// What is known about the game beside its moves, in the order of writing. Names are those of
    /// PGN where PGN has one: `Event`, `White` (the first mover), `Date`. `FEN`, `SetUp` and
    /// `Result` are never among them: `start` and `result` say that.
    pub tags: Tags,
    /// Where the moves begin.
    pub start: Position,
    /// A comment before the first move.
    pub preface: Option<String>,
    /// The moves.
    pub plies: Vec<Ply>,
    /// How it ended; `None` when it did not, or nobody knows.
    pub result: Option<Outcome>,
}

/// A move of a record.
#[derive(Clone, PartialEq, Debug)]
pub struct Ply {
    /// What was played; legal in its position.
    pub mv: Move,
    /// What the player said about it.
    pub thought: Thought,
    /// A comment.
    pub remark: Option<String>,
}

impl From<Move> for Ply {
    fn from(mv: Move) -> Ply {
        Ply { mv, thought: Thought::default(), remark: None }
    }
}

/// Names and values in a fixed order, one value a name.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tags(Vec<(String, String)>);

impl Tags {
    /// The value of this name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Gives a name its value, in its old place if it had one. White space within the value
    /// becomes single blanks; an empty one takes the name away.
    pub fn set(&mut self, name: &str, value: &str) {
        let value = single_spaced(value);
        let place = self.0.iter().position(|(known, _)| known == name);
        match place {
            Some(place) if value.is_empty() => drop(self.0.remove(place)),
            Some(place) => self.0[place].1 = value,
            None if value.is_empty() => {}
            None => self.0.push((name.to_owned(), value)),
        }
    }

    /// All names and values in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

/// The words of a text with one blank between them.
fn single_spaced(text: &str) -> String {
    text.split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Why a text is no record.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("line {line}: {kind}")]
pub struct RecordError {
    /// The line of the text, from 1.
    pub line: usize,
    /// What is wrong there.
    pub kind: RecordErrorKind,
}

/// What can be wrong with a record.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum RecordErrorKind {
    /// Something opens and does not close before the text ends.
    #[error("{what} that begins here does not end")]
    Unclosed {
        /// What it is.
        what: &'static str,
    },
    /// A header line of another shape than `[Name "value"]`.
    #[error("a header that is not of the form [Name \"value\"]")]
    Header,
    /// The start position cannot be read.
    #[error("the start position: {0}")]
    Fen(#[from] FenError),
    /// The start position is none.
    #[error("the start position: {0}")]
    Setup(#[from] PositionError),
    /// A move cannot be read.
    #[error("after {plies} moves: {error}")]
    Unreadable {
        /// The number of moves before it.
        plies: usize,
        /// What is wrong with its text.
        error: NotationError,
    },
    /// A move is against the rules.
    #[error("after {plies} moves, {mv} is illegal: {error}")]
    Illegal {
        /// The number of moves before it.
        plies: usize,
        /// The move.
        mv: Move,
        /// What forbids it.
        error: IllegalMove,
    },
    /// SGF of another game, or no SGF.
    #[error("{0}")]
    Sgf(String),
}

impl Record {
    /// A record without moves.
    pub fn new(start: Position) -> Record {
        Record { tags: Tags::default(), start, preface: None, plies: Vec::new(), result: None }
    }

    /// The position after the last move.
    pub fn last_position(&self) -> Position {
        let mut position = self.start.clone();
        self.plies.iter().for_each(|ply| position.play_move(ply.mv));
        position
    }

    /// The position before each move, and the move.
    pub fn walk(&self) -> impl Iterator<Item = (Position, &Ply)> {
        let mut position = self.start.clone();
        self.plies.iter().map(move |ply| {
            let before = position.clone();
            position.play_move(ply.mv);
            (before, ply)
        })
    }

    /// Takes the result from the board where nothing else tells it and the last position does.
    fn conclude(&mut self) {
        if self.result.is_none() {
            self.result = self.last_position().outcome();
        }
    }
}

/// `1-0`, `0-1`, `1/2-1/2`, and `*` for none.
pub fn result_text(result: Option<Outcome>) -> &'static str {
    match result {
        Some(Outcome::Win(Colour::White)) => "1-0",
        Some(Outcome::Win(Colour::Black)) => "0-1",
        Some(Outcome::Draw) => "1/2-1/2",
        None => "*",
    }
}

/// Reads a text that holds records, in either form. The form is told by the first character.
///
/// # Errors
/// What is wrong, and in which line.
pub fn read(text: &str) -> Result<Vec<Record>, RecordError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let beginning = text.trim_start();
    // A variation cannot come first, so a bracket that does opens a tree of SGF.
    let is_sgf = beginning.strip_prefix('(').is_some_and(|rest| rest.trim_start().starts_with(';'));
    if is_sgf { sgf::read(text) } else { text::read(text) }
}
