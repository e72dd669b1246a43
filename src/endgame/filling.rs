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

use std::fmt;
use std::ops::{Add, ControlFlow};

use super::frame::Frame;
use super::lobe::certainly_lost;
use super::memory::{Known, Memory};
use super::shape::Shape;
use super::turns::{MOST_PARTS, for_each_arrow, for_each_move};
use crate::amazons::{Move, Square};

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

    /// What two proven pairs of bounds of the same shape say together.
    #[inline]
    pub(super) fn and(self, other: Filling) -> Filling {
        Filling { lower: self.lower.max(other.lower), upper: self.upper.min(other.upper) }
    }
}

impl fmt::Display for Filling {
    /// The number of moves, or `8 to 10` while the bounds do not meet.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.exact() {
            Some(moves) => f.pad(&moves.to_string()),
            None => f.pad(&format!("{} to {}", self.lower, self.upper)),
        }
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

/// How many nodes more than its moves a search may use before it begins anew.
const SPARE_NODES: u64 = 20;

/// How many states of lobes take about as long as one node.
const LOBE_STATES_PER_NODE: u64 = 8;

/// Finds fillings, and remembers the shapes it has met, wherever they lie and however they are
/// turned.
pub struct Filler {
    memory: Memory,
    /// Shapes that may still be expanded for the present question.
    nodes_left: u64,
    /// Shapes expanded in its whole life.
    nodes: u64,
    /// Working memory for the parts of the shape in question.
    parts: Vec<(Shape, Filling)>,
}

impl Filler {
    /// A filler that remembers up to `2 << bits` shapes, 32 bytes each.
    pub fn new(bits: u32) -> Filler {
        Filler { memory: Memory::new(bits), nodes_left: 0, nodes: 0, parts: Vec::new() }
    }

    /// The number of shapes expanded so far, over all questions.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The number of moves that can be made in a shape; with an arrow pending, in the turns after
    /// this arrow. Expands at most `budget` shapes; bounds that do not meet by then are proven all
    /// the same.
    pub fn filling(&mut self, shape: &Shape, budget: u64) -> Filling {
        self.nodes_left = budget;
        shape.parts().map(|part| self.part_filling(&part, budget)).sum()
    }

    /// The filling of a connected shape with the nodes left.
    fn part_filling(&mut self, part: &Shape, budget: u64) -> Filling {
        let mut bounds = self.glance(part);
        while !bounds.is_exact() {
            let narrowed =
                bounds.and(self.narrow_with(self.nodes_left / 2, part, bounds.upper, budget));
            if narrowed.upper == bounds.upper && !narrowed.is_exact() {
                return self.close_in(part, narrowed, budget);
            }
            bounds = narrowed;
        }
        bounds
    }

    /// Bounds of a connected shape whose upper one resists: a filling nearly as long is mostly
    /// found at once, and tells more than the way that the failed search came.
    fn close_in(&mut self, part: &Shape, mut bounds: Filling, budget: u64) -> Filling {
        let mut target = bounds.upper.saturating_sub(1);
        while target > bounds.lower && self.nodes_left > 1 {
            bounds = bounds.and(self.narrow_with(self.nodes_left / 2, part, target, budget));
            target -= 1;
        }
        loop {
            let narrowed = bounds.and(self.narrow(part, bounds.upper, budget));
            if narrowed == bounds {
                return bounds;
            }
            bounds = narrowed;
        }
    }

    /// Bounds that tell whether `target` moves can be made in a shape, if `budget` expanded shapes
    /// are enough for that: then `lower >= target` or `upper < target`.
    pub fn decide(&mut self, shape: &Shape, target: u8, budget: u64) -> Filling {
        self.nodes_left = budget;
        let mut parts = std::mem::take(&mut self.parts);
        parts.clear();
        parts.extend(shape.parts().map(|part| (part, self.glance(&part))));
        let bounds =
            narrow_sum(&mut parts, target, |part, target| self.narrow(part, target, budget));
        self.parts = parts;
        bounds
    }

    /// A move that begins a filling as long as the lower bound which [`filling`](Filler::filling)
    /// gives for this budget; none if no amazon can move, or an arrow is pending.
    pub fn best_move(&mut self, shape: &Shape, budget: u64) -> Option<Move> {
        if shape.shooter().is_some() {
            return None;
        }
        // A filling that is known exactly loses nothing, so such a part comes first.
        let mut choice: Option<(Shape, Filling)> = None;
        for part in shape.parts().filter(|part| !part.empty().is_empty()) {
            let bounds = self.filling(&part, budget);
            if choice.is_none() || bounds.is_exact() {
                choice = Some((part, bounds));
            }
            if bounds.is_exact() {
                break;
            }
        }
        let (part, bounds) = choice?;
        let (image, frame) = Frame::canonical(&part);
        let mut best: Option<(Move, u8)> = None;
        self.nodes_left = budget;
        let spare = part.most() - bounds.lower;
        let _ = for_each_move(&image, spare, |mv, left| {
            let after = self.search_all(left.parts(), bounds.lower - 1).lower;
            if best.is_none_or(|(_, most)| after > most) {
                best = Some((mv, after));
            }
            if after + 1 >= bounds.lower {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        let (mv, _) = best?;
        let [from, to, arrow] = [mv.from, mv.to, mv.arrow].map(|square| frame.original(square));
        Some(Move::new(from, to, arrow))
    }

    /// The arrow after which as many moves can be made as the lower bound which
    /// [`filling`](Filler::filling) gives for this budget; none if no arrow is pending or possible.
    pub fn best_arrow(&mut self, shape: &Shape, budget: u64) -> Option<Square> {
        let shooter = shape.shooter()?;
        let part = shape.parts().find(|part| part.shooter().is_some())?;
        let target = self.filling(&part, budget).lower;
        let mut best: Option<(Square, u8)> = None;
        self.nodes_left = budget;
        let _ = for_each_arrow(&part, shooter, |arrow, left| {
            let after = self.narrow_all(left.parts(), target, budget).lower;
            if best.is_none_or(|(_, most)| after > most) {
                best = Some((arrow, after));
            }
            if after >= target { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        best.map(|(arrow, _)| arrow)
    }

    /// What is known of a connected shape without a search.
    #[inline]
    fn glance(&self, part: &Shape) -> Filling {
        let most = part.most();
        if part.shooter().is_some() {
            return Filling { lower: 0, upper: most };
        }
        if most <= 1 {
            return Filling::exactly(most);
        }
        // A connected shape with an empty square has one next to an amazon.
        let blank = Filling { lower: 1, upper: most };
        self.memory.find(part).map_or(blank, |known| known.filling)
    }

    /// Narrows the bounds of a connected shape until they tell whether it has `target` moves, or
    /// the nodes are used up, or are known to be too few. The search goes over the image that all
    /// shapes of this form share.
    fn narrow(&mut self, part: &Shape, target: u8, budget: u64) -> Filling {
        if let Some(shooter) = part.shooter() {
            return self.narrow_shot(part, shooter, target, budget);
        }
        let bounds = self.glance(part);
        if decided(bounds, target) {
            return bounds;
        }
        let (image, _) = Frame::canonical(part);
        let known = self.memory.find(&image);
        let bounds = known.map_or(bounds, |known| bounds.and(known.filling));
        let tried = known.map_or(0, |known| known.effort);
        if decided(bounds, target) || tried > 0 && tried >= effort(budget) {
            self.memory.keep(part, Known { filling: bounds, effort: tried });
            return bounds;
        }
        let before = self.nodes_left;
        let bounds = bounds.and(self.search_image(&image, target));
        if !decided(bounds, target) {
            let tried = tried.max(effort(before - self.nodes_left));
            self.memory.keep(&image, Known { filling: bounds, effort: tried });
        }
        self.memory.keep(part, Known { filling: bounds, effort: 0 });
        bounds
    }

    /// The same with only so many of the nodes left.
    fn narrow_with(&mut self, nodes: u64, part: &Shape, target: u8, budget: u64) -> Filling {
        let others = self.nodes_left.saturating_sub(nodes);
        self.nodes_left -= others;
        let bounds = self.narrow(part, target, budget);
        self.nodes_left += others;
        bounds
    }

    /// The same with an arrow pending: the best of all arrows.
    fn narrow_shot(&mut self, part: &Shape, shooter: Square, target: u8, budget: u64) -> Filling {
        let mut bounds = Filling::default();
        let met = for_each_arrow(part, shooter, |_, left| {
            let after = self.narrow_all(left.parts(), target, budget);
            bounds.lower = bounds.lower.max(after.lower);
            bounds.upper = bounds.upper.max(after.upper);
            if bounds.lower >= target { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if met.is_break() {
            bounds.upper = part.most();
        }
        bounds
    }

    /// The same for the connected shapes that an arrow leaves, together.
    fn narrow_all(&mut self, parts: &[Shape], target: u8, budget: u64) -> Filling {
        if let [part] = parts {
            return self.narrow(part, target, budget);
        }
        let mut bounded = [(Shape::NOTHING, Filling::default()); MOST_PARTS];
        for (bounded, part) in bounded.iter_mut().zip(parts) {
            *bounded = (*part, self.glance(part));
        }
        let narrow = |part: &Shape, target| self.narrow(part, target, budget);
        narrow_sum(&mut bounded[..parts.len()], target, narrow)
    }

    /// The search of a canonical image. One for a perfect filling is begun anew for each of the
    /// eight forms: most shapes give in at once, but a bad choice early on can cost any number of
    /// nodes, and the forms make different choices, since squares are tried in the order of the
    /// board. (Luby, Sinclair and Zuckerman, "Optimal speedup of Las Vegas algorithms", 1993, on
    /// why to begin anew.)
    fn search_image(&mut self, image: &Shape, target: u8) -> Filling {
        if target < image.most() {
            return self.search(image, target);
        }
        let attempt = u64::from(image.most()) + SPARE_NODES;
        let mut bounds = self.search_within(image, target, attempt);
        if !decided(bounds, target) {
            bounds = bounds.and(self.look_at_lobes(image));
        }
        if !decided(bounds, target) && self.nodes_left > 0 {
            for form in &Frame::all(image)[1..] {
                bounds = bounds.and(self.search_within(form, target, attempt));
                if decided(bounds, target) {
                    return bounds;
                }
            }
            bounds = bounds.and(self.search(image, target));
        }
        bounds
    }

    /// An upper bound from what must be lost in lobes, kept as what is known of the shape. States
    /// of lobes are smaller than shapes, so several count as one node.
    fn look_at_lobes(&mut self, image: &Shape) -> Filling {
        let states = self.nodes_left.saturating_mul(LOBE_STATES_PER_NODE);
        let (lost, spent) = certainly_lost(image, states);
        self.nodes_left -= spent / LOBE_STATES_PER_NODE;
        let upper = Filling { lower: 0, upper: image.most() - lost };
        let bounds = self.glance(image).and(upper);
        self.memory.keep(image, Known { filling: bounds, effort: 0 });
        bounds
    }

    /// A search that may use only a part of the nodes left.
    fn search_within(&mut self, part: &Shape, target: u8, nodes: u64) -> Filling {
        let others = self.nodes_left.saturating_sub(nodes);
        self.nodes_left -= others;
        let bounds = self.search(part, target);
        self.nodes_left += others;
        bounds
    }

    /// Depth-first search of a connected shape without a pending arrow.
    fn search(&mut self, part: &Shape, target: u8) -> Filling {
        let mut bounds = self.glance(part);
        if decided(bounds, target) || self.nodes_left == 0 {
            return bounds;
        }
        self.nodes_left -= 1;
        self.nodes += 1;
        let spare = part.most() - target;
        let mut undecided = false;
        let met = for_each_move(part, spare, |_, left| {
            let after = self.search_all(left.parts(), target - 1);
            bounds.lower = bounds.lower.max(after.lower + 1);
            undecided |= after.upper + 1 >= target;
            if bounds.lower >= target { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if met.is_continue() && !undecided {
            bounds.upper = target - 1;
        }
        self.memory.keep(part, Known { filling: bounds, effort: 0 });
        bounds
    }

    /// The same for the connected shapes that an arrow leaves, together.
    fn search_all(&mut self, parts: &[Shape], target: u8) -> Filling {
        if let [part] = parts {
            return self.search(part, target);
        }
        let mut bounded = [(Shape::NOTHING, Filling::default()); MOST_PARTS];
        for (bounded, part) in bounded.iter_mut().zip(parts) {
            *bounded = (*part, self.glance(part));
        }
        narrow_sum(&mut bounded[..parts.len()], target, |part, target| self.search(part, target))
    }
}

/// Whether the bounds tell if there are `target` moves.
#[inline]
fn decided(bounds: Filling, target: u8) -> bool {
    bounds.lower >= target || bounds.upper < target
}

/// The binary magnitude of a number of nodes.
fn effort(nodes: u64) -> u8 {
    (u64::BITS - nodes.leading_zeros()) as u8
}

/// Narrows the bounds of shapes that cannot touch each other, the smallest first, until their sum
/// tells whether there are `target` moves in all of them together, or `narrow` gets no further.
fn narrow_sum(
    parts: &mut [(Shape, Filling)],
    target: u8,
    mut narrow: impl FnMut(&Shape, u8) -> Filling,
) -> Filling {
    loop {
        let sum: Filling = parts.iter().map(|(_, bounds)| *bounds).sum();
        if decided(sum, target) {
            return sum;
        }
        let open = parts.iter_mut().filter(|(_, bounds)| !bounds.is_exact());
        let Some((part, bounds)) = open.min_by_key(|(_, bounds)| bounds.upper) else {
            return sum;
        };
        let others = sum.upper - bounds.upper;
        let wanted = target.saturating_sub(others).max(bounds.lower + 1);
        let narrowed = bounds.and(narrow(part, wanted));
        if narrowed == *bounds {
            return sum;
        }
        *bounds = narrowed;
    }
}
