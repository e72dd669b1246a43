//! Fillings: how many moves one side's amazons can still make on ground that is theirs alone.
//!
//! The filling of a shape is the greatest number of moves (queen step and arrow) that its amazons
//! can make in it, all of them together. It is usually the number of empty squares, sometimes less
//! (the defective territories of Müller and Tegos, "Experiments in computer Amazons", 2002), and
//! finding it is NP-hard in general (Buro, "Simple Amazons endgames and their connection to
//! Hamilton circuits in cubic subgrid graphs", 2000).
//!
//! The search asks yes-no questions, "are there `target` moves in this?", starting from the number
//! of empty squares and going down. It is a depth-first search with memory. Three things keep it
//! small:
//!
//! - Each arrow takes one square, so a question leaves only `empty - target` squares that may be
//!   lost. A part of the ground that is cut off without an amazon is lost at once.
//! - Arrows are chosen before queen steps, squares with the fewest neighbours first: these are the
//!   ones that would be cut off later. So most perfect fillings are found without a single step
//!   back, and the sequence found is the proof.
//! - More open squares never hurt: every sequence of moves remains possible. So an arrow that cuts
//!   squares off is pointless where one could shoot at such a square instead.

use std::ops::{Add, ControlFlow};

use super::memory::{Known, Memory};
use super::shape::{Outline, Shape};
use crate::amazons::{Bitboard, Move, Square};

/// Proven bounds on the number of moves that can still be made.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Filling {
    /// So many moves can be made.
    pub lower: u8,
    /// More than this cannot.
    pub upper: u8,
}

impl Filling {
    /// A filling of which all is known.
    #[inline]
    pub const fn exactly(moves: u8) -> Filling {
        Filling { lower: moves, upper: moves }
    }

    /// Whether the bounds meet.
    #[inline]
    pub const fn is_exact(self) -> bool {
        self.lower == self.upper
    }

    /// The number of moves, if it is known exactly.
    #[inline]
    pub const fn exact(self) -> Option<u8> {
        if self.is_exact() { Some(self.lower) } else { None }
    }
}

impl Add for Filling {
    type Output = Filling;

    /// The bounds of two shapes that cannot touch each other.
    #[inline]
    fn add(self, other: Filling) -> Filling {
        Filling { lower: self.lower + other.lower, upper: self.upper + other.upper }
    }
}

impl std::iter::Sum for Filling {
    fn sum<I: Iterator<Item = Filling>>(fillings: I) -> Filling {
        fillings.fold(Filling::default(), Add::add)
    }
}

/// Finds fillings, and remembers the shapes it has met.
pub struct Filler {
    memory: Memory,
    nodes_left: u64,
    nodes: u64,
}

impl Filler {
    /// A filler that remembers up to `2 << bits` shapes, 32 bytes each.
    pub fn new(bits: u32) -> Filler {
        Filler { memory: Memory::new(bits), nodes_left: 0, nodes: 0 }
    }

    /// The number of shapes expanded so far.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The number of moves that can be made in a shape. Expands at most `budget` shapes; bounds
    /// that do not meet by then are still proven. With an arrow pending, the moves after it.
    pub fn filling(&mut self, shape: Shape, budget: u64) -> Filling {
        self.nodes_left = budget;
        shape.parts().map(|part| self.part(part)).sum()
    }

    fn part(&mut self, part: Shape) -> Filling {
        let mut bounds = self.quick(&part);
        while !bounds.is_exact() && self.nodes_left > 0 {
            bounds = self.search(&part, bounds.upper);
        }
        bounds
    }

    /// Bounds of a connected shape without a search.
    #[inline]
    fn quick(&self, part: &Shape) -> Filling {
        let empty = part.empty().count() as u8;
        if empty <= 1 {
            return Filling::exactly(empty);
        }
        let blank = Filling { lower: 1, upper: empty };
        self.memory.find(part).map_or(blank, |known| known.filling)
    }

    /// Narrows the bounds of a connected shape until they tell whether it has `target` moves, or
    /// the nodes are used up.
    fn search(&mut self, part: &Shape, target: u8) -> Filling {
        let mut bounds = self.quick(part);
        if bounds.lower >= target || bounds.upper < target || self.nodes_left == 0 {
            return bounds;
        }
        self.nodes_left -= 1;
        self.nodes += 1;
        let spare = part.empty().count() as u8 - target;
        let mut cut_short = false;
        let met = for_each_turn(part, spare, |_, parts| {
            let after = self.search_parts(parts, target - 1);
            bounds.lower = bounds.lower.max(after.lower + 1);
            if bounds.lower >= target {
                return ControlFlow::Break(());
            }
            cut_short |= after.upper + 1 >= target;
            ControlFlow::Continue(())
        });
        if met.is_continue() && !cut_short {
            bounds.upper = target - 1;
        }
        self.memory.keep(part, Known { filling: bounds, effort: 0 });
        bounds
    }

    /// The same for several connected shapes together.
    fn search_parts(&mut self, parts: &[Shape], target: u8) -> Filling {
        if let [part] = parts {
            return self.search(part, target);
        }
        let mut bounds = [Filling::default(); 4];
        for (bounds, part) in bounds.iter_mut().zip(parts) {
            *bounds = self.quick(part);
        }
        loop {
            let sum: Filling = bounds.iter().copied().sum();
            if sum.lower >= target || sum.upper < target {
                return sum;
            }
            let open = (0..parts.len()).filter(|&i| !bounds[i].is_exact());
            let Some(i) = open.min_by_key(|&i| bounds[i].upper) else { return sum };
            let others = sum.upper - bounds[i].upper;
            let wanted = (bounds[i].lower + 1).max(target.saturating_sub(others));
            let found = self.search(&parts[i], wanted);
            if found == bounds[i] {
                return sum;
            }
            bounds[i] = found;
        }
    }
}

/// Calls `visit` with the moves of a connected shape that lose at most `spare` squares, and with
/// the connected shapes that each leaves; first the moves that lose nothing, and among them those
/// whose arrow takes a square with few neighbours. Moves that another one certainly equals may be
/// left out.
fn for_each_turn(
    part: &Shape,
    spare: u8,
    mut visit: impl FnMut(Move, &[Shape]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let (squares, amazons, empty) = (part.squares(), part.amazons(), part.empty());
    let outline = Outline::of(squares);
    for lossy in [false, true] {
        if lossy && spare == 0 {
            break;
        }
        let candidates = if lossy { squares.minus(outline.simple) } else { squares };
        for number in 1..=7 {
            for arrow in outline.with_neighbours(candidates, number) {
                let mut pieces = [squares.without(arrow), Bitboard::EMPTY, Bitboard::EMPTY, Bitboard::EMPTY];
                let mut pieces_count = 1;
                if !outline.simple.contains(arrow) {
                    let mut rest = squares.without(arrow);
                    pieces_count = 0;
                    while let Some(first) = rest.first() {
                        let piece = Bitboard::from(first).flood(rest);
                        pieces[pieces_count] = piece;
                        pieces_count += 1;
                        rest = rest.minus(piece);
                    }
                }
                if lossy && pieces_count == 1 {
                    continue;
                }
                for from in amazons {
                    if from != arrow && amazons.contains(arrow) {
                        continue;
                    }
                    let reach = Bitboard::from(from).queen_moves(empty);
                    let tos = if from == arrow {
                        reach
                    } else {
                        reach & Bitboard::from(arrow).queen_moves(empty.with(from))
                    };
                    for to in tos {
                        let moved = amazons.without(from).with(to);
                        let mut lost = Bitboard::EMPTY;
                        let mut parts = [Shape::connected(Bitboard::EMPTY, Bitboard::EMPTY); 4];
                        let mut n = 0;
                        for piece in &pieces[..pieces_count] {
                            if moved.intersects(*piece) {
                                parts[n] = Shape::connected(*piece, moved & *piece);
                                n += 1;
                            } else {
                                lost = lost | *piece;
                            }
                        }
                        if lossy == lost.is_empty() || lost.count() > u32::from(spare) {
                            continue;
                        }
                        if lossy
                            && Bitboard::from(to)
                                .queen_moves(empty.with(from).without(to))
                                .intersects(lost)
                        {
                            continue;
                        }
                        visit(Move::new(from, to, arrow), &parts[..n])?;
                    }
                }
            }
        }
    }
    ControlFlow::Continue(())
}
