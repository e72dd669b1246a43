//! The turns that one side can play on its own ground, in the order that finds fillings soonest.

use std::ops::ControlFlow;

use super::shape::{Outline, Shape};
use crate::amazons::{Bitboard, Move, Square};

/// The most parts that one arrow can cut a connected shape into: the neighbours of a square fall
/// into four groups at most.
pub(super) const MOST_PARTS: usize = 4;

/// The connected shapes that a turn leaves, those without an amazon left out.
pub(super) struct Left {
    parts: [Shape; MOST_PARTS],
    number: usize,
}

impl Left {
    const NOTHING: Left = Left { parts: [Shape::NOTHING; MOST_PARTS], number: 0 };

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

    /// Puts into `left` what is left with the amazons on these squares; returns what is lost.
    #[inline]
    fn with_amazons(&self, amazons: Bitboard, left: &mut Left) -> Bitboard {
        let mut lost = Bitboard::EMPTY;
        left.number = 0;
        for &piece in &self.pieces[..self.number] {
            if amazons.intersects(piece) {
                left.parts[left.number] = Shape::connected(piece, amazons & piece);
                left.number += 1;
            } else {
                lost |= piece;
            }
        }
        lost
    }
}

/// Where each amazon of a shape can go, found once for all arrows.
struct Reaches {
    first: [(Bitboard, Bitboard); Reaches::KEPT],
    empty: Bitboard,
}

impl Reaches {
    const KEPT: usize = 4;

    #[inline]
    fn of_all(amazons: Bitboard, empty: Bitboard) -> Reaches {
        let mut first = [(Bitboard::EMPTY, Bitboard::EMPTY); Reaches::KEPT];
        for (kept, from) in first.iter_mut().zip(amazons) {
            *kept = (from.into(), empty.queen_targets(from));
        }
        Reaches { first, empty }
    }

    #[inline]
    fn of(&self, from: Square) -> Bitboard {
        let kept = self.first.iter().find(|(square, _)| *square == from.into());
        kept.map_or_else(|| self.empty.queen_targets(from), |&(_, reach)| reach)
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
    let reaches = Reaches::of_all(amazons, empty);
    let mut left = Left::NOTHING;
    for lossy in [false, true] {
        let candidates = if lossy { squares.minus(outline.simple) } else { squares };
        if lossy && (spare == 0 || candidates.is_empty()) {
            break;
        }
        for neighbours in 1..=7 {
            for arrow in outline.with_neighbours(candidates, neighbours) {
                let pieces = Pieces::after(arrow, squares, &outline);
                let seen = empty.queen_targets(arrow);
                let shooters = if amazons.contains(arrow) { arrow.into() } else { amazons };
                for from in shooters {
                    let vacated = empty.with(from);
                    let reach = reaches.of(from);
                    let stands = if from == arrow {
                        reach
                    } else if reach.contains(arrow) {
                        // The shot may cross the square just left.
                        reach & vacated.queen_targets(arrow)
                    } else {
                        reach & seen
                    };
                    for to in stands {
                        let lost = pieces.with_amazons(amazons.without(from).with(to), &mut left);
                        if lossy == lost.is_empty() || lost.count() > u32::from(spare) {
                            continue;
                        }
                        let sees = || vacated.without(to).queen_targets(to);
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
    let targets = part.empty().queen_targets(shooter);
    let mut left = Left::NOTHING;
    for neighbours in 1..=7 {
        for arrow in outline.with_neighbours(targets, neighbours) {
            let pieces = Pieces::after(arrow, part.squares(), &outline);
            pieces.with_amazons(part.amazons(), &mut left);
            visit(arrow, &left)?;
        }
    }
    ControlFlow::Continue(())
}
