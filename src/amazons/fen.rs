//! Positions in a line of text: FEN in the dialect of Fairy-Stockfish's `amazons`.
//!
//! `3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w - - 0 1`: the ranks from the top, with `Q` and `q` for
//! the amazons of White and Black, `*` for an arrow and a number for a run of empty squares; the
//! side to move; two fields that chess needs; the turns of both sides since the start; and the
//! number of the full turn. The line may be cut anywhere after the side to move.
//!
//! That dialect knows whole turns only. Here the second of the two chess fields, a square in chess
//! too, names the amazon that has moved and must shoot, so that every position can be written.

use std::fmt::Write;
use std::str::FromStr;

use thiserror::Error;

use super::bitboard::Bitboard;
use super::excerpt::excerpt;
use super::position::Position;
use super::square::{MAX_SIZE, Square};
use crate::game::Colour;

/// Why a text is no position.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum FenError {
    /// There is nothing to read.
    #[error("the FEN is empty")]
    Empty,
    /// The board has more than ten ranks.
    #[error("the board has {0} ranks: at most 10 are possible")]
    Ranks(usize),
    /// A rank has no squares or more than ten.
    #[error("rank {rank} has {squares} squares: 1 to 10 are possible")]
    Files {
        /// The rank, counted from 1 at the bottom.
        rank: usize,
        /// How many squares it has.
        squares: usize,
    },
    /// A rank is longer or shorter than the top one.
    #[error("rank {rank} has {squares} squares where the top rank has {expected}")]
    Uneven {
        /// The rank, counted from 1 at the bottom.
        rank: usize,
        /// How many squares it has.
        squares: usize,
        /// How many the top rank has.
        expected: usize,
    },
    /// A rank holds a character that means nothing.
    #[error("rank {rank} holds '{found}': only Q, q, * and numbers are possible")]
    Piece {
        /// The rank, counted from 1 at the bottom.
        rank: usize,
        /// The character, escaped where it cannot be printed.
        found: String,
    },
    /// A run of empty squares is no number from 1 to 10.
    #[error("rank {rank} holds the run '{found}': a number from 1 to 10 is expected")]
    Run {
        /// The rank, counted from 1 at the bottom.
        rank: usize,
        /// The digits, or the beginning of them.
        found: String,
    },
    /// The line ends after the board.
    #[error("the side to move is missing: w or b must follow the board")]
    NoSide,
    /// The side to move is neither `w` nor `b`.
    #[error("the side to move is '{0}': w or b is expected")]
    Side(String),
    /// The third field, which means nothing in this game, holds something.
    #[error("the third field is '{0}': - is expected")]
    Unused(String),
    /// The fourth field names no amazon that can have moved.
    #[error(
        "the fourth field is '{0}': - is expected, or the square of an amazon of the side to move \
         that can shoot"
    )]
    Shooter(String),
    /// A counter is no number from 0 to 65535.
    #[error("the {name} is '{found}': a number from 0 to 65535 is expected")]
    Counter {
        /// Which of the two.
        name: &'static str,
        /// What stands in its place.
        found: String,
    },
    /// Something follows the sixth and last field.
    #[error("'{0}' follows the last field")]
    Trailing(String),
}

impl Position {
    /// Reads a FEN, which may be cut anywhere after the side to move: then no arrow is pending, no
    /// turn has been played, and the full turn is the first.
    ///
    /// ```
    /// use otrera::amazons::Position;
    /// let start = "3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w";
    /// assert_eq!(Position::from_fen(start), Ok(Position::start()));
    /// ```
    ///
    /// # Errors
    /// What is wrong with the text, naming the offending part.
    pub fn from_fen(text: &str) -> Result<Position, FenError> {
        let mut fields = text.split_whitespace();
        let board = Board::read(fields.next().ok_or(FenError::Empty)?)?;
        let side_to_move = match fields.next() {
            Some("w") => Colour::White,
            Some("b") => Colour::Black,
            Some(other) => return Err(FenError::Side(excerpt(other))),
            None => return Err(FenError::NoSide),
        };
        let Board { files, ranks, amazons, arrows } = board;
        let position = Position::assemble(files, ranks, amazons, arrows, side_to_move);
        match fields.next() {
            None | Some("-") => {}
            Some(other) => return Err(FenError::Unused(excerpt(other))),
        }
        let position = match fields.next() {
            None | Some("-") => position,
            Some(name) => name
                .parse()
                .ok()
                .and_then(|square| position.with_shooter(square))
                .ok_or_else(|| FenError::Shooter(excerpt(name)))?,
        };
        let turns = counter("number of half-moves", fields.next())?.unwrap_or(0);
        // Some programs count full turns from 0 and mean the first one by it.
        let full_turn = counter("full-move number", fields.next())?.unwrap_or(1).max(1);
        match fields.next() {
            None => Ok(position.with_counters(turns, full_turn)),
            Some(extra) => Err(FenError::Trailing(excerpt(extra))),
        }
    }

    /// The position as a FEN of six fields.
    pub fn fen(&self) -> String {
        let mut fen = String::with_capacity(96);
        for rank in (0..self.ranks()).rev() {
            self.write_rank(rank, &mut fen);
            fen.push(if rank > 0 { '/' } else { ' ' });
        }
        fen.push_str(match self.side_to_move() {
            Colour::White => "w - ",
            Colour::Black => "b - ",
        });
        match self.shooter() {
            Some(square) => push(&mut fen, square),
            None => fen.push('-'),
        }
        push(&mut fen, format_args!(" {} {}", self.turns(), self.full_turn()));
        fen
    }

    fn write_rank(&self, rank: u8, fen: &mut String) {
        let mut empty = 0;
        for file in 0..self.files() {
            let square = Square::new(file, rank);
            if self.empty().contains(square) {
                empty += 1;
                continue;
            }
            if empty > 0 {
                push(fen, empty);
                empty = 0;
            }
            fen.push(if self.amazons(Colour::White).contains(square) {
                'Q'
            } else if self.amazons(Colour::Black).contains(square) {
                'q'
            } else {
                '*'
            });
        }
        if empty > 0 {
            push(fen, empty);
        }
    }
}

impl FromStr for Position {
    type Err = FenError;

    /// Reads a FEN: see [`Position::from_fen`].
    fn from_str(text: &str) -> Result<Position, FenError> {
        Position::from_fen(text)
    }
}

fn push(text: &mut String, what: impl std::fmt::Display) {
    write!(text, "{what}").expect("a String takes everything");
}

/// The first field of a FEN.
struct Board {
    files: u8,
    ranks: u8,
    amazons: [Bitboard; 2],
    arrows: Bitboard,
}

impl Board {
    fn read(text: &str) -> Result<Board, FenError> {
        let ranks = text.split('/').count();
        if ranks > MAX_SIZE as usize {
            return Err(FenError::Ranks(ranks));
        }
        let mut board = Board {
            files: 0,
            ranks: ranks as u8,
            amazons: [Bitboard::EMPTY; 2],
            arrows: Bitboard::EMPTY,
        };
        for (rank, row) in (0..ranks).rev().zip(text.split('/')) {
            let squares = board.read_rank(rank as u8, row)?;
            let (rank, top) = (rank + 1, rank + 1 == ranks);
            if squares == 0 || squares > MAX_SIZE as usize {
                return Err(FenError::Files { rank, squares });
            } else if top {
                board.files = squares as u8;
            } else if squares != board.files as usize {
                return Err(FenError::Uneven { rank, squares, expected: board.files as usize });
            }
        }
        Ok(board)
    }

    /// Places what stands on one rank, as far as it is on the board, and returns how many squares
    /// the text has.
    fn read_rank(&mut self, rank: u8, row: &str) -> Result<usize, FenError> {
        let name = rank as usize + 1;
        let mut squares = 0;
        let mut rest = row;
        while let Some(character) = rest.chars().next() {
            let after_digits = rest.trim_start_matches(|c: char| c.is_ascii_digit());
            if after_digits.len() < rest.len() {
                let digits = &rest[..rest.len() - after_digits.len()];
                squares += run(digits)
                    .ok_or_else(|| FenError::Run { rank: name, found: excerpt(digits) })?;
                rest = after_digits;
                continue;
            }
            let pieces = match character {
                'Q' => &mut self.amazons[Colour::White.index()],
                'q' => &mut self.amazons[Colour::Black.index()],
                '*' => &mut self.arrows,
                _ => {
                    let found = excerpt(character.encode_utf8(&mut [0; 4]));
                    return Err(FenError::Piece { rank: name, found });
                }
            };
            if squares < MAX_SIZE as usize {
                *pieces = pieces.with(Square::new(squares as u8, rank));
            }
            squares += 1;
            rest = &rest[character.len_utf8()..];
        }
        Ok(squares)
    }
}

/// The length of a run of empty squares.
fn run(digits: &str) -> Option<usize> {
    match digits.as_bytes() {
        [digit @ b'1'..=b'9'] => Some((digit - b'0').into()),
        b"10" => Some(10),
        _ => None,
    }
}

fn counter(name: &'static str, field: Option<&str>) -> Result<Option<u16>, FenError> {
    let Some(text) = field else { return Ok(None) };
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse() {
        Ok(number) if digits => Ok(Some(number)),
        _ => Err(FenError::Counter { name, found: excerpt(text) }),
    }
}
