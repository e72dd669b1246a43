//! The turns that one side can play on its own ground, in the order that finds fillings soonest.

use std::ops::ControlFlow;

use super::shape::{Outline, Shape};
use crate::amazons::{Bitboard, Move, Square};

/// The most parts that one arrow can cut a connected shape into: the neighbours of a square fall
/// into four groups at most.
pub(super) const MOST_PARTS: usize = 4;

/// The connected shapes that a turn leaves, those without an amazon left out.
#[derive(Clone, Copy)]
pub(super) struct Left {
    parts: [Shape; MOST_PARTS],
    number: usize,
}

impl Left {
    #[inline]
    pub(super) fn parts(&self) -> &[Shape] {
        &self.parts[..self.number]
    }
}

/// The ground after an arrow, before it is known where the amazons stand.
struct Pieces {
    pieces: [Bitboard; MOST_PARTS],
    number: usize,
}

impl Pieces {
    #[inline]
    fn after(arrow: Square, squares: Bitboard, outline: &Outline) -> Pieces {
        let mut rest = squares.without(arrow);
        let mut pieces = [Bitboard::EMPTY; MOST_PARTS];
        if outline.simple.contains(arrow) {
            pieces[0] = rest;
            return Pieces { pieces, number: 1 };
        }
        let mut number = 0;
        while let Some(first) = rest.first() {
            pieces[number] = Bitboard::from(first).flood(rest);
            rest = rest.minus(pieces[number]);
            number += 1;
        }
        Pieces { pieces, number }
    }

    /// What is left with the amazons on these squares, and which squares are lost.
    #[inline]
    fn with_amazons(&self, amazons: Bitboard) -> (Left, Bitboard) {
        let mut left = Left { parts: [Shape::NOTHING; MOST_PARTS], number: 0 };
        let mut lost = Bitboard::EMPTY;
        for &piece in &self.pieces[..self.number] {
            if amazons.intersects(piece) {
                left.parts[left.number] = Shape::connected(piece, amazons & piece);
                left.number += 1;
            } else {
                lost |= piece;
            }
        }
        (left, lost)
    }
}

/// Calls `visit` with the moves of a connected shape that lose at most `spare` squares, and with
/// what each leaves: first the moves that lose nothing, and among them those whose arrow takes a
/// square with few neighbours. A move that cuts squares off is left out where the amazon could
/// shoot at one of these squares instead: that is never worse, since it leaves more.
pub(super) fn for_each_move(
    part: &Shape,
    spare: u8,
    mut visit: impl FnMut(Move, &Left) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let (squares, amazons, empty) = (part.squares(), part.amazons(), part.empty());
    let outline = Outline::of(squares);
    for lossy in [false, true] {
        let candidates = if lossy { squares.minus(outline.simple) } else { squares };
        if lossy && (spare == 0 || candidates.is_empty()) {
            break;
        }
        for neighbours in 1..=7 {
            for arrow in outline.with_neighbours(candidates, neighbours) {
                let pieces = Pieces::after(arrow, squares, &outline);
                let shooters = if amazons.contains(arrow) { arrow.into() } else { amazons };
                for from in shooters {
                    let vacated = empty.with(from);
                    let mut stands = Bitboard::from(from).queen_moves(empty);
                    if from != arrow {
                        stands &= Bitboard::from(arrow).queen_moves(vacated);
                    }
                    for to in stands {
                        let (left, lost) = pieces.with_amazons(amazons.without(from).with(to));
                        if lossy == lost.is_empty() || lost.count() > u32::from(spare) {
                            continue;
                        }
                        let sees = || Bitboard::from(to).queen_moves(vacated.without(to));
                        if lossy && sees().intersects(lost) {
                            continue;
                        }
                        visit(Move::new(from, to, arrow), &left)?;
                    }
                }
            }
        }
    }
    ControlFlow::Continue(())
}

/// Calls `visit` with every arrow that the shooter of a connected shape can shoot, and with what
/// each leaves; arrows at squares with few neighbours come first.
pub(super) fn for_each_arrow(
    part: &Shape,
    shooter: Square,
    mut visit: impl FnMut(Square, &Left) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let outline = Outline::of(part.squares());
    let targets = Bitboard::from(shooter).queen_moves(part.empty());
    for neighbours in 1..=7 {
        for arrow in outline.with_neighbours(targets, neighbours) {
            let pieces = Pieces::after(arrow, part.squares(), &outline);
            visit(arrow, &pieces.with_amazons(part.amazons()).0)?;
        }
    }
    ControlFlow::Continue(())
}
