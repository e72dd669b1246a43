//! A position: who stands where, who moves, and whether an arrow is pending.

use std::fmt;

use thiserror::Error;

use super::bitboard::Bitboard;
use super::square::{MAX_SIZE, Square};
use super::step::{Move, Step};
use super::zobrist;
use crate::game::Colour;

/// A position of the Game of the Amazons, between two steps.
///
/// Boards are rectangles of up to 10x10 squares; a smaller one is the full board with its outer
/// squares closed. A side may have any number of amazons, none included. Positions are equal when
/// board, side to move and pending shooter are; the turn counters do not count.
#[derive(Clone)]
pub struct Position {
    amazons: [Bitboard; 2],
    empty: Bitboard,
    hash: u64,
    turns: u16,
    full_turn: u16,
    side_to_move: Colour,
    shooter: Option<Square>,
    /// Files in the lower four bits, ranks in the upper four.
    size: u8,
}

// One cache line, since the search copies a position for every visit.
const _: () = assert!(size_of::<Position>() == 64);

/// Why a set of pieces is no position.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PositionError {
    /// The board has no squares or more than ten files or ranks.
    #[error("a board of {files} files and {ranks} ranks: 1 to 10 of each are possible")]
    Size {
        /// The number of files asked for.
        files: u8,
        /// The number of ranks asked for.
        ranks: u8,
    },
    /// A piece stands outside the board.
    #[error("a piece on {0}, which is outside the board")]
    Outside(Square),
    /// Two pieces stand on one square.
    #[error("two pieces on {0}")]
    Shared(Square),
}

/// Why a move cannot be played.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum IllegalMove {
    /// The square that the move starts from holds no amazon of the side to move.
    #[error("no {side} amazon stands on {from}")]
    NoAmazon {
        /// The side to move.
        side: Colour,
        /// The square named.
        from: Square,
    },
    /// The amazon cannot go there.
    #[error("the amazon on {from} cannot reach {to}")]
    NoWay {
        /// Where it stands.
        from: Square,
        /// Where it was to go.
        to: Square,
    },
    /// The arrow cannot land there.
    #[error("an arrow from {to} cannot reach {arrow}")]
    NoShot {
        /// Where the amazon shoots from.
        to: Square,
        /// Where the arrow was to land.
        arrow: Square,
    },
    /// The turn has begun: its arrow is pending.
    #[error("the amazon on {0} has yet to shoot")]
    ArrowPending(Square),
}

impl Position {
    /// The start: White on a4 d1 g1 j4, Black on a7 d10 g10 j7.
    pub fn start() -> Position {
        let squares = |list: [(u8, u8); 4]| {
            list.into_iter().map(|(file, rank)| Square::new(file, rank)).collect()
        };
        let white = squares([(0, 3), (3, 0), (6, 0), (9, 3)]);
        let black = squares([(0, 6), (3, 9), (6, 9), (9, 6)]);
        Position::assemble(MAX_SIZE, MAX_SIZE, [white, black], Bitboard::EMPTY, Colour::White)
    }

    /// A position at the start of a turn, on a board of `files` x `ranks` with its lower left
    /// corner on a1.
    ///
    /// # Errors
    /// When the size is impossible, a piece is outside the board, or two share a square.
    pub fn new(
        files: u8,
        ranks: u8,
        amazons: [Bitboard; 2],
        arrows: Bitboard,
        side_to_move: Colour,
    ) -> Result<Position, PositionError> {
        let possible = 1..=MAX_SIZE;
        if !possible.contains(&files) || !possible.contains(&ranks) {
            return Err(PositionError::Size { files, ranks });
        }
        let [white, black] = amazons;
        let pieces = white | black | arrows;
        if let Some(square) = pieces.minus(Bitboard::rectangle(files, ranks)).first() {
            return Err(PositionError::Outside(square));
        }
        let shared = white & black | white & arrows | black & arrows;
        if let Some(square) = shared.first() {
            return Err(PositionError::Shared(square));
        }
        Ok(Position::assemble(files, ranks, amazons, arrows, side_to_move))
    }

    /// [`new`](Position::new) for pieces that are known to stand inside the board, one a square.
    pub(super) fn assemble(
        files: u8,
        ranks: u8,
        amazons: [Bitboard; 2],
        arrows: Bitboard,
        side_to_move: Colour,
    ) -> Position {
        let pieces = amazons[0] | amazons[1] | arrows;
        let mut position = Position {
            amazons,
            empty: Bitboard::rectangle(files, ranks).minus(pieces),
            hash: 0,
            turns: 0,
            full_turn: 1,
            side_to_move,
            shooter: None,
            size: ranks << 4 | files,
        };
        position.hash = position.hash_from_scratch();
        position
    }

    /// The same position with other counters: `turns` since the start, and the number of the full
    /// turn (both sides once), counted from 1.
    #[must_use]
    pub fn with_counters(mut self, turns: u16, full_turn: u16) -> Position {
        self.turns = turns;
        self.full_turn = full_turn;
        self
    }

    /// The same position after the queen step of the turn: the amazon on this square must shoot.
    /// `None` if it cannot have moved, being no amazon of the side to move or having no empty
    /// square next to it, for the one it left is empty.
    pub(super) fn with_shooter(mut self, square: Square) -> Option<Position> {
        self.shooter = Some(square);
        if !self.amazons(self.side_to_move).contains(square) || !self.has_step() {
            return None;
        }
        self.hash = self.hash_from_scratch();
        Some(self)
    }

    /// The side that plays the next step; with an arrow pending, the shooter's.
    #[inline]
    pub const fn side_to_move(&self) -> Colour {
        self.side_to_move
    }

    /// The squares of this side's amazons.
    #[inline]
    pub const fn amazons(&self, colour: Colour) -> Bitboard {
        self.amazons[colour.index()]
    }

    /// The squares that hold nothing.
    #[inline]
    pub const fn empty(&self) -> Bitboard {
        self.empty
    }

    /// The squares of the board: a rectangle from a1.
    #[inline]
    pub const fn board(&self) -> Bitboard {
        Bitboard::rectangle(self.files(), self.ranks())
    }

    /// The squares that hold an arrow. Closed squares outside the board do not count.
    #[inline]
    pub fn arrows(&self) -> Bitboard {
        self.board().minus(self.empty | self.amazons[0] | self.amazons[1])
    }

    /// The number of files, 1 to 10.
    #[inline]
    pub const fn files(&self) -> u8 {
        self.size & 15
    }

    /// The number of ranks, 1 to 10.
    #[inline]
    pub const fn ranks(&self) -> u8 {
        self.size >> 4
    }

    /// The amazon that has moved in this turn and must shoot, if the turn has begun.
    #[inline]
    pub const fn shooter(&self) -> Option<Square> {
        self.shooter
    }

    /// The number of complete turns of both sides since the start.
    #[inline]
    pub const fn turns(&self) -> u16 {
        self.turns
    }

    /// The number of the full turn, counted from 1; it grows after Black's turn.
    #[inline]
    pub const fn full_turn(&self) -> u16 {
        self.full_turn
    }

    /// The hash of board, side to move and pending shooter, kept up to date step by step.
    #[inline]
    pub const fn hash(&self) -> u64 {
        self.hash
    }

    /// [`hash`](Position::hash), computed anew. Closed squares count as arrows, since they play
    /// as arrows.
    pub fn hash_from_scratch(&self) -> u64 {
        let mut hash = 0;
        for colour in Colour::BOTH {
            for square in self.amazons(colour) {
                hash ^= zobrist::amazon(colour, square);
            }
        }
        for square in !(self.empty | self.amazons[0] | self.amazons[1]) {
            hash ^= zobrist::arrow(square);
        }
        if let Some(square) = self.shooter {
            hash ^= zobrist::shooter(square);
        }
        if self.side_to_move == Colour::Black {
            hash ^= zobrist::black_to_move();
        }
        hash
    }

    /// Plays a legal step.
    #[inline]
    pub fn play(&mut self, step: Step) {
        debug_assert!(self.is_legal_step(step), "{step:?} in {self:?}");
        match step {
            Step::Queen { from, to } => {
                let side = self.side_to_move;
                let both = Bitboard::from(from) | Bitboard::from(to);
                self.amazons[side.index()] ^= both;
                self.empty ^= both;
                self.shooter = Some(to);
                self.hash ^=
                    zobrist::amazon(side, from) ^ zobrist::amazon(side, to) ^ zobrist::shooter(to);
            }
            Step::Arrow(square) => {
                if let Some(shooter) = self.shooter.take() {
                    self.hash ^= zobrist::shooter(shooter);
                }
                self.empty ^= Bitboard::from(square);
                self.turns = self.turns.saturating_add(1);
                if self.side_to_move == Colour::Black {
                    self.full_turn = self.full_turn.saturating_add(1);
                }
                self.side_to_move = !self.side_to_move;
                self.hash ^= zobrist::arrow(square) ^ zobrist::black_to_move();
            }
        }
    }

    /// Plays a legal move.
    #[inline]
    pub fn play_move(&mut self, mv: Move) {
        for step in mv.steps() {
            self.play(step);
        }
    }

    /// Plays a move if it is legal; otherwise the position stays as it was.
    ///
    /// # Errors
    /// What forbids the move.
    pub fn try_move(&mut self, mv: Move) -> Result<(), IllegalMove> {
        self.check_move(mv)?;
        self.play_move(mv);
        Ok(())
    }

    /// The same position with the other side to move. `None` while an arrow is pending.
    pub fn with_side_flipped(&self) -> Option<Position> {
        if self.shooter.is_some() {
            return None;
        }
        let mut flipped = self.clone();
        flipped.side_to_move = !self.side_to_move;
        flipped.hash ^= zobrist::black_to_move();
        Some(flipped)
    }

    /// The position that `map` makes of this one, on a board of `files` x `ranks`. The map must be
    /// one to one from the squares of the board to those of the new one.
    pub(super) fn mapped(&self, files: u8, ranks: u8, map: impl Fn(Square) -> Square) -> Position {
        let mapped = |set: Bitboard| set.into_iter().map(&map).collect::<Bitboard>();
        let amazons = self.amazons.map(mapped);
        let mut position =
            Position::assemble(files, ranks, amazons, mapped(self.arrows()), self.side_to_move)
                .with_counters(self.turns, self.full_turn);
        position.shooter = self.shooter.map(&map);
        position.hash = position.hash_from_scratch();
        position
    }
}

impl PartialEq for Position {
    fn eq(&self, other: &Position) -> bool {
        self.amazons == other.amazons
            && self.empty == other.empty
            && self.side_to_move == other.side_to_move
            && self.shooter == other.shooter
            && self.size == other.size
    }
}

impl Eq for Position {}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} to move, shooter {:?}", self.side_to_move, self.shooter)?;
        fmt::Display::fmt(self, f)
    }
}

/// The board alone, top rank first: `W` and `B` for amazons, `X` for arrows, `.` for empty squares.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in (0..self.ranks()).rev() {
            for file in 0..self.files() {
                write!(f, "{}", self.sign(Square::new(file, rank)))?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
