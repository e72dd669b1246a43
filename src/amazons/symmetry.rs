//! The eight symmetries of the board, and the one position that stands for all eight images.
//!
//! Queens move alike in all directions, so mirroring or turning the board changes nothing about a
//! game. On a board that is not a square, those symmetries that exchange files and ranks lead from
//! a board of `files` x `ranks` to one of `ranks` x `files`.

use std::cmp::Ordering;

use super::position::Position;
use super::square::Square;
use super::step::{Move, Step};
use crate::game::Colour;

/// One of the eight symmetries of a square board.
///
/// Each is a mirroring of files, of ranks, of both or of neither, and after that an exchange of
/// files and ranks or none: those are the three bits of its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Symmetry {
    /// Nothing changes.
    Identity = 0,
    /// Left becomes right.
    MirrorFiles = 1,
    /// Bottom becomes top.
    MirrorRanks = 2,
    /// The board turns by 180 degrees.
    HalfTurn = 3,
    /// Files and ranks are exchanged: the corner a1 stays.
    Transpose = 4,
    /// The board turns by 90 degrees, so that the left edge becomes the top one.
    ClockwiseTurn = 5,
    /// The board turns by 90 degrees, so that the left edge becomes the bottom one.
    AnticlockwiseTurn = 6,
    /// Files and ranks are exchanged and both mirrored: the corner a1 changes places with the one
    /// opposite, and the upper left corner stays.
    AntiTranspose = 7,
}

const MIRROR_FILES: u8 = 1;
const MIRROR_RANKS: u8 = 2;
const TRANSPOSE: u8 = 4;

impl Symmetry {
    /// All eight, the identity first.
    pub const ALL: [Symmetry; 8] = [
        Symmetry::Identity,
        Symmetry::MirrorFiles,
        Symmetry::MirrorRanks,
        Symmetry::HalfTurn,
        Symmetry::Transpose,
        Symmetry::ClockwiseTurn,
        Symmetry::AnticlockwiseTurn,
        Symmetry::AntiTranspose,
    ];

    const fn has(self, bit: u8) -> bool {
        self as u8 & bit != 0
    }

    const fn from_bits(bits: u8) -> Symmetry {
        Symmetry::ALL[(bits & 7) as usize]
    }

    /// The bits of the mirrorings with the roles of files and ranks exchanged.
    const fn swapped(mirrors: u8) -> u8 {
        (mirrors & MIRROR_FILES) << 1 | (mirrors & MIRROR_RANKS) >> 1
    }

    /// Whether files become ranks.
    pub const fn exchanges_files_and_ranks(self) -> bool {
        self.has(TRANSPOSE)
    }

    /// The symmetry that does this one and then the other.
    #[must_use]
    pub const fn then(self, next: Symmetry) -> Symmetry {
        let mirrors = next as u8 & (MIRROR_FILES | MIRROR_RANKS);
        let mirrors = if self.has(TRANSPOSE) { Symmetry::swapped(mirrors) } else { mirrors };
        Symmetry::from_bits(self as u8 ^ mirrors ^ next as u8 & TRANSPOSE)
    }

    /// The symmetry that undoes this one.
    #[must_use]
    pub const fn inverse(self) -> Symmetry {
        let mirrors = self as u8 & (MIRROR_FILES | MIRROR_RANKS);
        if self.has(TRANSPOSE) {
            Symmetry::from_bits(Symmetry::swapped(mirrors) | TRANSPOSE)
        } else {
            self
        }
    }

    /// The files and ranks of the image of a board.
    pub const fn size(self, files: u8, ranks: u8) -> (u8, u8) {
        if self.has(TRANSPOSE) { (ranks, files) } else { (files, ranks) }
    }

    /// Where a square of a board of `files` x `ranks` goes. The square must be on that board.
    pub const fn square(self, square: Square, files: u8, ranks: u8) -> Square {
        let (file, rank) = (square.file(), square.rank());
        let file = if self.has(MIRROR_FILES) { files - 1 - file } else { file };
        let rank = if self.has(MIRROR_RANKS) { ranks - 1 - rank } else { rank };
        if self.has(TRANSPOSE) { Square::new(rank, file) } else { Square::new(file, rank) }
    }

    /// The image of a step on a board of `files` x `ranks`.
    pub const fn step(self, step: Step, files: u8, ranks: u8) -> Step {
        match step {
            Step::Queen { from, to } => Step::Queen {
                from: self.square(from, files, ranks),
                to: self.square(to, files, ranks),
            },
            Step::Arrow(square) => Step::Arrow(self.square(square, files, ranks)),
        }
    }

    /// The image of a move on a board of `files` x `ranks`.
    pub const fn mv(self, mv: Move, files: u8, ranks: u8) -> Move {
        Move {
            from: self.square(mv.from, files, ranks),
            to: self.square(mv.to, files, ranks),
            arrow: self.square(mv.arrow, files, ranks),
        }
    }

    /// The image of a position. Sides, side to move and counters stay as they are.
    pub fn position(self, position: &Position) -> Position {
        let (files, ranks) = (position.files(), position.ranks());
        let (new_files, new_ranks) = self.size(files, ranks);
        position.mapped(new_files, new_ranks, |square| self.square(square, files, ranks))
    }
}

impl Position {
    /// The one among the eight images that stands for all of them, and a symmetry that leads to
    /// it. Positions that are images of each other, and only those, have equal canonical ones.
    pub fn canonical(&self) -> (Position, Symmetry) {
        Symmetry::ALL
            .into_iter()
            .map(|symmetry| (symmetry.position(self), symmetry))
            .min_by(|(one, _), (other, _)| one.image_order(other))
            .expect("there are eight")
    }

    /// The hash of the [`canonical`](Position::canonical) position.
    pub fn canonical_hash(&self) -> u64 {
        self.canonical().0.hash()
    }

    /// Any total order of the images of one position does; this one compares boards only, so that
    /// it stays the same whatever becomes of the hash.
    fn image_order(&self, other: &Position) -> Ordering {
        let key = |position: &Position| {
            let sets = Colour::BOTH.map(|side| position.amazons(side).bits());
            (position.files(), sets, position.empty().bits(), position.shooter())
        };
        key(self).cmp(&key(other))
    }
}
