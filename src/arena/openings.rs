//! Where games begin: files with a position or a list of moves on each line, or with records.

use std::str::FromStr;

use thiserror::Error;

use crate::amazons::{FenError, IllegalMove, Move, NotationError, Position};
use crate::record::{self, RecordError};

/// Moves that are played for the players, from a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Opening {
    /// Where the moves begin.
    pub start: Position,
    /// The moves.
    pub moves: Vec<Move>,
}

impl Opening {
    /// No move at all from the start of the game.
    pub fn none() -> Opening {
        Opening { start: Position::start(), moves: Vec::new() }
    }

    /// The position in which the players take over.
    pub fn position(&self) -> Position {
        let mut position = self.start.clone();
        self.moves.iter().for_each(|mv| position.play_move(*mv));
        position
    }
}

/// The form of a file of openings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// A position or a list of moves from the start of the game on each line.
    Lines,
    /// Records.
    Records,
}

/// The form is neither `epd` nor `pgn`.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error(
    "'{0}' is no format of openings: epd (positions or moves, one a line) or pgn (records) is expected"
)]
pub struct UnknownForm(pub String);

impl FromStr for Form {
    type Err = UnknownForm;

    fn from_str(text: &str) -> Result<Form, UnknownForm> {
        match text {
            "epd" => Ok(Form::Lines),
            "pgn" => Ok(Form::Records),
            _ => Err(UnknownForm(text.to_owned())),
        }
    }
}

/// Why a file has no openings.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum OpeningError {
    /// A line is no position and begins with no move.
    #[error("line {line} is no position ({fen}), and its first word is no move ({mv})")]
    Neither {
        /// The line, from 1.
        line: usize,
        /// Why it is no position.
        fen: FenError,
        /// Why it is no list of moves.
        mv: NotationError,
    },
    /// A move cannot be read.
    #[error("line {line}: {error}")]
    Unreadable {
        /// The line, from 1.
        line: usize,
        /// What is wrong with the move.
        error: NotationError,
    },
    /// A move is against the rules.
    #[error("line {line}: {mv} is illegal: {error}")]
    Illegal {
        /// The line, from 1.
        line: usize,
        /// The move.
        mv: Move,
        /// What forbids it.
        error: IllegalMove,
    },
    /// The game is over where it should begin.
    #[error("opening {number}: the side to move has no legal move")]
    Over {
        /// Its number in the file, from 1.
        number: usize,
    },
    /// A record cannot be read.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// There is no opening in it.
    #[error("there is no opening in it")]
    Empty,
}

/// Reads a file of openings. `plies` cuts lists of moves and records; positions stay as they are.
///
/// # Errors
/// What is wrong, and in which line.
pub fn read(text: &str, form: Form, plies: Option<usize>) -> Result<Vec<Opening>, OpeningError> {
    let mut openings = match form {
        Form::Lines => read_lines(text)?,
        Form::Records => record::read(text)?
            .into_iter()
            .map(|record| Opening {
                moves: record.plies.iter().map(|ply| ply.mv).collect(),
                start: record.start,
            })
            .collect(),
    };
    for (index, opening) in openings.iter_mut().enumerate() {
        opening.moves.truncate(plies.unwrap_or(usize::MAX));
        if !opening.position().has_step() {
            return Err(OpeningError::Over { number: index + 1 });
        }
    }
    if openings.is_empty() { Err(OpeningError::Empty) } else { Ok(openings) }
}

fn read_lines(text: &str) -> Result<Vec<Opening>, OpeningError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut openings = Vec::new();
    for (index, content) in text.lines().enumerate() {
        let content = content.split('#').next().unwrap_or_default().trim();
        if !content.is_empty() {
            openings.push(read_line(content, index + 1)?);
        }
    }
    Ok(openings)
}

/// Reads a position, of which EPD may tell more after a semicolon, or a list of moves.
fn read_line(content: &str, line: usize) -> Result<Opening, OpeningError> {
    let fen = content.split(';').next().unwrap_or_default().trim();
    let not_a_position = match Position::from_fen(fen) {
        Ok(start) => return Ok(Opening { start, moves: Vec::new() }),
        Err(error) => error,
    };
    let mut opening = Opening::none();
    let mut position = Position::start();
    for word in content.split_whitespace() {
        if word.trim_end_matches(['.', ')']).bytes().all(|byte| byte.is_ascii_digit()) {
            continue;
        }
        let mv = Move::read(word, &position).map_err(|error| {
            if opening.moves.is_empty() {
                OpeningError::Neither { line, fen: not_a_position.clone(), mv: error }
            } else {
                OpeningError::Unreadable { line, error }
            }
        })?;
        position.try_move(mv).map_err(|error| OpeningError::Illegal { line, mv, error })?;
        opening.moves.push(mv);
    }
    Ok(opening)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_and_moves_stand_one_a_line() {
        let text = "# a remark\n3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w - - 0 1 ; from a book\n\n\
                    d1-d7/g7 d10d8,d8d10\n1. d1-d7/g7\n";
        let openings = read(text, Form::Lines, None).unwrap();
        let lengths: Vec<usize> = openings.iter().map(|opening| opening.moves.len()).collect();
        assert_eq!(lengths, [0, 2, 1]);
        assert_eq!(openings[0], Opening::none());
        assert_eq!(openings[1].position().turns(), 2);
        let cut = read(text, Form::Lines, Some(1)).unwrap();
        assert_eq!(cut[1], cut[2]);
    }

    #[test]
    fn records_are_openings_too() {
        let text = "[White \"A\"]\n\n1. d1-d7/g7 d10-d8/d10 *\n\n[White \"B\"]\n\n1. d1-d6/g9 *\n";
        let openings = read(text, Form::Records, Some(1)).unwrap();
        assert_eq!(openings.len(), 2);
        assert_eq!(openings[0].moves.len(), 1);
    }

    #[test]
    fn errors_name_line_and_part() {
        let error = |text: &str| read(text, Form::Lines, None).unwrap_err().to_string();
        assert!(error("\nhello").starts_with("line 2 is no position"), "{}", error("\nhello"));
        assert!(error("d1-d7/g7 e5").starts_with("line 1: "), "{}", error("d1-d7/g7 e5"));
        assert_eq!(
            error("d1-d7/g7 d1-d2/d3"),
            "line 1: d1-d2/d3 is illegal: no black amazon stands on d1"
        );
        assert_eq!(error("Q w\n"), "opening 1: the side to move has no legal move");
        assert_eq!(error("\n# nothing\n"), "there is no opening in it");
    }
}
