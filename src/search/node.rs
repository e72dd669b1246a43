//! What the tree stores, in units of one cache line: nodes; edges, three to a unit; and the next
//! twenty steps that were never tried.
//!
//! A step becomes an edge when it is first visited, and the edge gets a node of its own at the
//! second visit or when its result is proven: most are never visited again, so most visits cost 21
//! bytes. The edges carry all that the selection scan reads. The steps wait sorted by prior, so
//! that of all the untried ones only the first is ever a candidate; the few nodes that use up
//! twenty have theirs listed once more.
//!
//! The latch of a node guards the node, its steps and its edges.

use std::ops::{Add, Neg};
use std::sync::atomic::{AtomicU32, Ordering, fence};

use super::constants::Constants;
use super::latch::Latch;
use super::number::{F32, I64, U8, U16, U32, U64};
use super::pool::{Record, UNIT, Unit};
use crate::game::{Colour, Outcome, Proof, Value};

/// Values are summed as integers, in units of 2^-30, so that a sum does not depend on its order.
const VALUE_ONE: f32 = (1u32 << 30) as f32;

/// The number of a unit, in the tree.
///
/// Who follows it without the latch sees the unit as it was when it was linked, or later: therefore
/// the order.
#[derive(Debug, Default)]
#[repr(transparent)]
pub(super) struct Link(AtomicU32);

impl Link {
    #[inline]
    pub fn get(&self) -> Unit {
        Unit(self.0.load(Ordering::Acquire))
    }

    #[inline]
    pub fn set(&self, unit: Unit) {
        self.0.store(unit.0, Ordering::Release);
    }
}

/// A position in the tree that was visited more than once, or whose result is proven.
#[derive(Default)]
#[repr(C)]
pub(super) struct Node {
    /// The sum of all values backed up, for the side to move, in units of 2^-30.
    value_sum: I64,
    /// The sum of their squares, in the same units.
    square_sum: U64,
    /// How many values were backed up.
    pub visits: U32,
    /// The sum of the priors of the steps that have become edges, in `[0, 1]`.
    pub visited_prior: F32,
    /// The next untried steps: a [`Steps`] unit, of which the first `edge_count % 20` have become
    /// edges; none when all in it have.
    pub steps: Link,
    /// The first and the last [`Edges`] unit.
    pub edges: Link,
    pub last_edges: Link,
    /// The number of steps; 0 until the node is expanded.
    pub step_count: U16,
    /// The number of edges.
    pub edge_count: U16,
    /// What is derived from the sums whenever they change, because each selection asks for it: the
    /// mean value for the side to move, and what the weight of an edge is multiplied with.
    mean: F32,
    pub explore: F32,
    /// The node that the last visit went on to, which the next one will probably go to as well, and
    /// the first [`Edges`] unit of that.
    pub last_child: Link,
    pub last_child_edges: Link,
    /// 0 while nothing is proven; else what is, as [`Node::set_proof`] says, and the bound on the
    /// turns to the end.
    proof: U16,
    /// The untried step with the highest prior, of those that are listed, and that prior; none with
    /// a prior of 0.
    next_step: U16,
    next_prior: U8,
    pub latch: Latch,
    /// Colour of the side to move.
    side: U8,
    _left_over: [U8; 1],
}

const _: () = assert!(size_of::<Node>() == UNIT);

// SAFETY: atomics in the order of C that fill the size without gaps.
unsafe impl Record for Node {}

const PROVEN_WIN: u16 = 1;
const PROVEN_LOSS: u16 = 2;
const PROVEN_DRAW: u16 = 3;
/// The bits of a proof below the turns, and the most turns that there is room for above.
const PROOF_BITS: u32 = 2;
const MOST_TURNS: u16 = u16::MAX >> PROOF_BITS;

/// Where nodes and edges stop counting, after hours: far enough below the end of the numbers for all
/// visits that are on their way.
const MOST_VISITS: u32 = 1 << 31;

/// The values of some visits, for one side.
#[derive(Clone, Copy)]
pub(super) struct Sum {
    pub visits: u32,
    /// Their sum and that of their squares, in units of 2^-30.
    values: i64,
    squares: u64,
}

impl Sum {
    /// One value.
    #[inline]
    pub fn of(value: Value) -> Sum {
        let value = value.get();
        let (values, squares) = ((value * VALUE_ONE) as i64, (value * value * VALUE_ONE) as u64);
        Sum { visits: 1, values, squares }
    }

    /// The same value so often.
    #[inline]
    pub fn times(self, visits: u32) -> Sum {
        let times = u64::from(visits);
        Sum { visits, values: self.values * times as i64, squares: self.squares * times }
    }
}

impl Add for Sum {
    type Output = Sum;

    #[inline]
    fn add(self, other: Sum) -> Sum {
        Sum {
            visits: self.visits + other.visits,
            values: self.values + other.values,
            squares: self.squares + other.squares,
        }
    }
}

impl Neg for Sum {
    type Output = Sum;

    /// The same for the other side.
    #[inline]
    fn neg(self) -> Sum {
        Sum { values: -self.values, ..self }
    }
}

/// What a visit leaves behind at a node, for the edge that leads to it.
#[derive(Clone, Copy)]
pub(super) struct Summary {
    /// The side to move at the node.
    pub side: Colour,
    /// The mean value, for that side.
    pub mean: Value,
    pub is_proven: bool,
}

impl Node {
    /// Makes of a unit with any contents a node that was visited so often, each time with this value
    /// for its side to move.
    pub fn begin(&self, constants: &Constants, side_to_move: Colour, visits: u32, value: Value) {
        let units = f64::from(VALUE_ONE) * f64::from(visits);
        let value = f64::from(value.get());
        self.value_sum.set((value * units) as i64);
        self.square_sum.set((value * value * units) as u64);
        self.visits.set(visits);
        self.derive(constants);
        self.last_child.set(Unit::NONE);
        self.last_child_edges.set(Unit::NONE);
        self.proof.set(0);
        self.latch.open();
        self.side.set(side_to_move as u8);
        self.forget_steps();
    }

    /// The side that moves here.
    #[inline]
    pub fn side_to_move(&self) -> Colour {
        if self.side.get() == Colour::White as u8 { Colour::White } else { Colour::Black }
    }

    /// Whether the steps are known.
    #[inline]
    pub fn is_expanded(&self) -> bool {
        self.step_count.get() != 0
    }

    /// Makes a leaf of a node whose steps and edges were released.
    pub fn forget_steps(&self) {
        for link in [&self.steps, &self.edges, &self.last_edges] {
            link.set(Unit::NONE);
        }
        self.step_count.set(0);
        self.edge_count.set(0);
        self.visited_prior.set(0.0);
        self.set_next_step(None);
    }

    /// The untried step with the highest prior, and that prior; `None` where all were tried, or none
    /// are listed.
    #[inline]
    pub fn next_step(&self) -> Option<(u16, Prior)> {
        let prior = self.next_prior.get();
        (prior != 0).then(|| (self.next_step.get(), Prior(prior)))
    }

    /// Names the untried step with the highest prior.
    #[inline]
    pub fn set_next_step(&self, next: Option<(u16, Prior)>) {
        if let Some((step, _)) = next {
            self.next_step.set(step);
        }
        self.next_prior.set(next.map_or(0, |(_, prior)| prior.0));
    }

    /// Adds values, given for the side to move here.
    #[inline]
    pub fn add(&self, constants: &Constants, sum: Sum) {
        let visits = self.visits.get();
        if visits >= MOST_VISITS {
            return;
        }
        self.visits.set(visits + sum.visits);
        self.value_sum.set(self.value_sum.get() + sum.values);
        self.square_sum.set(self.square_sum.get() + sum.squares);
        self.derive(constants);
    }

    #[inline]
    fn derive(&self, constants: &Constants) {
        self.mean.set((self.value_sum.get() as f64 * self.share()) as f32);
        let visits = self.visits.get();
        let exploration = constants.exploration(self.variance(), visits);
        self.explore.set(exploration * (visits as f32).sqrt());
    }

    /// What a sum is multiplied with for the mean.
    #[inline]
    fn share(&self) -> f64 {
        1.0 / (f64::from(VALUE_ONE) * f64::from(self.visits.get().max(1)))
    }

    /// The variance of the values, in `[0, 1]`.
    #[inline]
    fn variance(&self) -> f32 {
        let mean = self.mean.get();
        let square = (self.square_sum.get() as f64 * self.share()) as f32;
        (square - mean * mean).max(0.0)
    }

    /// The mean of all values, for the side to move; even before the first visit.
    #[inline]
    pub fn mean(&self) -> Value {
        Value::new(self.mean.get())
    }

    /// How far the mean of the values may be from what more visits would show: their standard
    /// deviation over the square root of their number, in `[0, 1]`.
    pub fn standard_error(&self) -> f32 {
        (self.variance() / self.visits.get().max(1) as f32).sqrt()
    }

    /// Takes note of where the last visit went on.
    #[inline]
    pub fn expect_child(&self, unit: Unit, child: &Node) {
        // Written only if it is news, for other workers may be looking at this node.
        if self.last_child.get() != unit {
            self.last_child.set(unit);
        }
        let edges = child.edges.get();
        if self.last_child_edges.get() != edges {
            self.last_child_edges.set(edges);
        }
    }

    /// What the edge to this node must know.
    #[inline]
    pub fn summary(&self) -> Summary {
        let is_proven = self.proof.get() != 0;
        Summary { side: self.side_to_move(), mean: self.mean(), is_proven }
    }

    /// The proven result, if there is one. May be asked without the latch.
    #[inline]
    pub fn proof(&self) -> Option<Proof> {
        let proof = self.proof.get();
        let outcome = match proof & ((1 << PROOF_BITS) - 1) {
            PROVEN_WIN => Outcome::Win(self.side_to_move()),
            PROVEN_LOSS => Outcome::Win(!self.side_to_move()),
            PROVEN_DRAW => Outcome::Draw,
            _ => return None,
        };
        Some(Proof { outcome, turns: proof >> PROOF_BITS })
    }

    /// Records a proven result, or that there is none.
    pub fn set_proof(&self, proof: Option<Proof>) {
        self.proof.set(proof.map_or(0, |Proof { outcome, turns }| {
            let what = match outcome {
                Outcome::Draw => PROVEN_DRAW,
                Outcome::Win(winner) if winner == self.side_to_move() => PROVEN_WIN,
                Outcome::Win(_) => PROVEN_LOSS,
            };
            turns.min(MOST_TURNS) << PROOF_BITS | what
        }));
    }
}

/// A step that was visited, seen from the node it starts from.
#[derive(Default)]
#[repr(C)]
pub(super) struct Edge {
    /// The node it leads to, once it has one.
    pub child: Link,
    /// How often it was visited, the visits on their way among them.
    pub visits: U32,
    /// The mean value of the visits, for the side to move at the node the edge starts from.
    mean: F32,
    /// Prior over visits plus one, what exploration is in proportion to; infinitely low where no
    /// visit may go.
    weight: F32,
    /// The code of the step.
    step: U16,
    /// The prior of the step.
    prior: U8,
    /// What is known of the position the step leads to: [`ENDS_TURN`], [`PROVEN`], [`PENDING`].
    flags: U8,
}

const _: () = assert!(size_of::<Edge>() == 20);

/// The step completes a turn.
const ENDS_TURN: u8 = 1;
/// The result of the child is proven, so there is nothing left to find below it.
const PROVEN: u8 = 2;
/// The first visit is on its way: the value is a guess, and nobody else goes there now.
const PENDING: u8 = 4;

impl Edge {
    /// Makes of this place an edge whose first visit is on its way; until it is back the edge has
    /// this value for the side to move where it starts.
    #[inline]
    pub fn begin(&self, step: u16, prior: Prior, ends_turn: bool, value: Value) {
        self.child.set(Unit::NONE);
        self.visits.set(1);
        self.mean.set(value.get());
        self.weight.set(f32::NEG_INFINITY);
        self.step.set(step);
        self.prior.set(prior.0);
        self.flags.set(PENDING | if ends_turn { ENDS_TURN } else { 0 });
    }

    /// A place where no edge is yet, as the selection scan wants it.
    #[inline]
    pub fn leave_empty(&self) {
        self.weight.set(f32::NEG_INFINITY);
    }

    /// Replaces the mean value, for the side to move where the edge starts.
    #[inline]
    pub fn set_mean(&self, value: Value) {
        self.mean.set(value.get());
    }

    /// The first visit is back, and others may go there from now on.
    #[inline]
    pub fn arrive(&self) {
        self.flags.set(self.flags.get() & !PENDING);
        // Who chooses an edge by its weight, without the latch, must find the rest complete.
        fence(Ordering::Release);
        self.weigh();
    }

    /// So many visits more are on their way there, or have been, or fewer than were announced. With
    /// `others` there may be more at the same time, without the latch.
    #[inline]
    pub fn count(&self, visits: i32, others: bool) {
        let before = self.visits.get();
        if before >= MOST_VISITS {
            return;
        }
        if others {
            self.visits.add(visits);
        } else {
            self.visits.set(before.wrapping_add_signed(visits));
        }
        self.weigh();
    }

    #[inline]
    fn weigh(&self) {
        let weight = self.prior() / (1.0 + self.visits.get() as f32);
        self.weight.set(if self.is_open() { weight } else { f32::NEG_INFINITY });
    }

    /// What a visit there is worth: the mean value and, in proportion to `explore`, what may be
    /// found. Infinitely low, or no number, where no visit may go.
    #[inline]
    pub fn score(&self, explore: f32) -> f32 {
        self.mean.get() + explore * self.weight.get()
    }

    /// The code of the step. May be asked without the latch.
    #[inline]
    pub fn step(&self) -> u16 {
        self.step.get()
    }

    /// Whether the step completes a turn.
    #[inline]
    pub fn ends_turn(&self) -> bool {
        self.flags.get() & ENDS_TURN != 0
    }

    /// Whether the result of the child is proven.
    #[inline]
    pub fn is_proven(&self) -> bool {
        self.flags.get() & PROVEN != 0
    }

    /// Whether a visit may go there.
    #[inline]
    pub fn is_open(&self) -> bool {
        self.flags.get() & (PROVEN | PENDING) == 0
    }

    /// The prior of the step, in `[0, 1]`.
    #[inline]
    pub fn prior(&self) -> f32 {
        Prior(self.prior.get()).get()
    }

    /// The mean value of the visits, for the side to move where the edge starts.
    #[inline]
    pub fn mean(&self) -> Value {
        Value::new(self.mean.get())
    }

    /// The result of the child is no longer known.
    pub fn forget_proof(&self) {
        self.flags.set(self.flags.get() & !PROVEN);
        self.weigh();
    }

    /// Takes over what its child has become, for this side.
    #[inline]
    pub fn update(&self, child: Summary, side: Colour) {
        self.mean.set(if child.side == side { child.mean } else { -child.mean }.get());
        // What is proven stays so: who comes late may not have seen it yet.
        if child.is_proven && !self.is_proven() {
            self.flags.set(self.flags.get() | PROVEN);
            self.weigh();
        }
    }
}

/// Edges in a unit.
pub(super) const EDGES: usize = 3;

/// Some of the edges of a node, in the order of their first visits.
#[repr(C)]
pub(super) struct Edges {
    pub edges: [Edge; EDGES],
    /// The unit with the edges that follow.
    pub next: Link,
}

// SAFETY: atomics in the order of C that fill the size without gaps.
unsafe impl Record for Edges {}

/// Where an edge is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct EdgeRef {
    pub unit: Unit,
    pub slot: usize,
}

/// Steps listed at a time.
pub(super) const STEPS: usize = 20;

/// The next untried steps of a node with their priors, best first.
#[repr(C)]
pub(super) struct Steps {
    codes: [U16; STEPS],
    priors: [U8; STEPS],
    _left_over: [U32; 1],
}

// SAFETY: atomics in the order of C that fill the size without gaps.
unsafe impl Record for Steps {}

impl Steps {
    /// The code and the prior of a step.
    #[inline]
    pub fn get(&self, slot: usize) -> (u16, Prior) {
        (self.codes[slot].get(), Prior(self.priors[slot].get()))
    }

    /// Lists these steps, at most twenty of them.
    pub fn list(&self, steps: &[(u16, Prior)]) {
        let places = self.codes.iter().zip(&self.priors);
        for ((code, prior), step) in places.zip(steps) {
            code.set(step.0);
            prior.set(step.1.0);
        }
    }
}

/// A prior in eight bits: its square root in units of 1/255, which keeps a tenth to within three
/// percent of itself and tells a prior of 1/65025 from none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Prior(u8);

impl Prior {
    /// The nearest of the priors above zero.
    #[inline]
    pub fn new(prior: f32) -> Prior {
        Prior((prior.sqrt() * 255.0 + 0.5).clamp(1.0, 255.0) as u8)
    }

    /// The prior, in `[0, 1]`.
    #[inline]
    pub fn get(self) -> f32 {
        let root = f32::from(self.0) * (1.0 / 255.0);
        root * root
    }
}
