//! What the tree stores, in units of one cache line: nodes; edges, three to a unit; and the next
//! twenty steps that were never tried.
//!
//! A step becomes an edge when it is first visited, and the edge gets a node of its own at the
//! second visit or when its result is proven: most are never visited again, so most visits cost 16
//! bytes. The edges carry all that the selection scan reads. The steps wait sorted by prior, so
//! that of all the untried ones only the first is ever a candidate; the few nodes that use up
//! twenty have theirs listed once more.

use bytemuck::{Pod, Zeroable};

use super::pool::{UNIT, Unit};
use crate::game::{Colour, Outcome, Proof, Value};

/// Values are summed as integers, in units of 2^-30, so that a sum does not depend on its order.
const VALUE_ONE: f32 = (1u32 << 30) as f32;

/// A position in the tree that was visited more than once, or whose result is proven.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Node {
    /// The sum of all values backed up, for the side to move, in units of 2^-30.
    value_sum: i64,
    /// The sum of their squares, in the same units.
    square_sum: u64,
    /// How many values were backed up.
    pub visits: u32,
    /// The sum of the priors of the steps that have become edges, in `[0, 1]`.
    pub visited_prior: f32,
    /// The next untried steps: a [`Steps`] unit, of which the first `edge_count % 20` have become
    /// edges; none when all in it have.
    pub steps: Unit,
    /// The first and the last [`Edges`] unit.
    pub edges: Unit,
    pub last_edges: Unit,
    /// The number of steps; 0 until the node is expanded.
    pub step_count: u16,
    /// The number of edges.
    pub edge_count: u16,
    /// The bound on the turns to the end, when the result is proven.
    proof_turns: u16,
    /// 0 while nothing is proven, else what [`Node::set_proof`] says.
    proof: u8,
    /// Colour of the side to move.
    side: u8,
    _padding: [u8; 20],
}

const _: () = assert!(size_of::<Node>() == UNIT);

const PROVEN_WIN: u8 = 1;
const PROVEN_LOSS: u8 = 2;
const PROVEN_DRAW: u8 = 3;

impl Node {
    /// A node that was visited so often, each time with this value for its side to move.
    pub fn new(side_to_move: Colour, visits: u32, value: Value) -> Node {
        let units = f64::from(VALUE_ONE) * f64::from(visits);
        let value = f64::from(value.get());
        Node {
            side: side_to_move as u8,
            visits,
            value_sum: (value * units) as i64,
            square_sum: (value * value * units) as u64,
            ..Node::zeroed()
        }
    }

    /// The side that moves here.
    #[inline]
    pub fn side_to_move(&self) -> Colour {
        if self.side == Colour::White as u8 { Colour::White } else { Colour::Black }
    }

    /// Whether the steps are known.
    #[inline]
    pub fn is_expanded(&self) -> bool {
        self.step_count != 0
    }

    /// Makes a leaf of a node whose steps and edges were released.
    pub fn forget_steps(&mut self) {
        (self.steps, self.edges, self.last_edges) = (Unit::NONE, Unit::NONE, Unit::NONE);
        (self.step_count, self.edge_count) = (0, 0);
        self.visited_prior = 0.0;
    }

    /// Adds a value, given for the side to move here.
    #[inline]
    pub fn add(&mut self, value: Value) {
        self.visits = self.visits.saturating_add(1);
        self.value_sum += (value.get() * VALUE_ONE) as i64;
        self.square_sum += (value.get() * value.get() * VALUE_ONE) as u64;
    }

    /// The variance of all values backed up, in `[0, 1]`; 0 before the first visit.
    #[inline]
    pub fn variance(&self) -> f32 {
        if self.visits == 0 {
            return 0.0;
        }
        let square = self.square_sum as f64 / f64::from(VALUE_ONE) / f64::from(self.visits);
        let mean = self.mean().get();
        (square as f32 - mean * mean).max(0.0)
    }

    /// How far the mean of the values may be from what more visits would show: their standard
    /// deviation over the square root of their number, in `[0, 1]`.
    pub fn standard_error(&self) -> f32 {
        (self.variance() / self.visits.max(1) as f32).sqrt()
    }

    /// The mean of all values, for the side to move; even before the first visit.
    #[inline]
    pub fn mean(&self) -> Value {
        if self.visits == 0 {
            return Value::EVEN;
        }
        Value::new((self.value_sum as f64 / f64::from(VALUE_ONE) / f64::from(self.visits)) as f32)
    }

    /// The proven result, if there is one.
    #[inline]
    pub fn proof(&self) -> Option<Proof> {
        let outcome = match self.proof {
            PROVEN_WIN => Outcome::Win(self.side_to_move()),
            PROVEN_LOSS => Outcome::Win(!self.side_to_move()),
            PROVEN_DRAW => Outcome::Draw,
            _ => return None,
        };
        Some(Proof { outcome, turns: self.proof_turns })
    }

    /// Records a proven result, or that there is none.
    pub fn set_proof(&mut self, proof: Option<Proof>) {
        self.proof = match proof.map(|proof| proof.outcome) {
            None => 0,
            Some(Outcome::Draw) => PROVEN_DRAW,
            Some(Outcome::Win(winner)) if winner == self.side_to_move() => PROVEN_WIN,
            Some(Outcome::Win(_)) => PROVEN_LOSS,
        };
        self.proof_turns = proof.map_or(0, |proof| proof.turns);
    }
}

/// A step that was visited, seen from the node it starts from.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Edge {
    /// The node it leads to, once it has one.
    pub child: Unit,
    /// How often it was visited.
    pub visits: u32,
    /// The mean value of the visits, for the side to move at the node the edge starts from.
    mean: f32,
    /// The code of the step.
    pub step: u16,
    /// The prior of the step.
    prior: Prior,
    /// What is known of the position the step leads to: [`ENDS_TURN`], [`PROVEN`].
    flags: u8,
}

const _: () = assert!(size_of::<Edge>() == 16);

/// The step completes a turn.
const ENDS_TURN: u8 = 1;
/// The result of the child is proven, so there is nothing left to find below it.
const PROVEN: u8 = 2;

impl Edge {
    /// An edge visited once, with this value for the side to move where it starts.
    pub fn new(step: u16, prior: Prior, ends_turn: bool, value: Value) -> Edge {
        let flags = if ends_turn { ENDS_TURN } else { 0 };
        Edge { child: Unit::NONE, visits: 1, mean: value.get(), step, prior, flags }
    }

    /// Whether the step completes a turn.
    #[inline]
    pub fn ends_turn(&self) -> bool {
        self.flags & ENDS_TURN != 0
    }

    /// Whether the result of the child is proven.
    #[inline]
    pub fn is_proven(&self) -> bool {
        self.flags & PROVEN != 0
    }

    /// The prior of the step, in `[0, 1]`.
    #[inline]
    pub fn prior(&self) -> f32 {
        self.prior.get()
    }

    /// The mean value of the visits, for the side to move where the edge starts.
    #[inline]
    pub fn mean(&self) -> Value {
        Value::new(self.mean)
    }

    /// Takes over what its child has become, for this side.
    #[inline]
    pub fn update(&mut self, child: &Node, side: Colour) {
        self.visits = child.visits;
        let mean = child.mean();
        self.mean = if child.side_to_move() == side { mean } else { -mean }.get();
        self.flags = self.flags & ENDS_TURN | if child.proof().is_some() { PROVEN } else { 0 };
    }
}

/// Edges in a unit.
pub(super) const EDGES: usize = 3;

/// Some of the edges of a node, in the order of their first visits.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Edges {
    pub edges: [Edge; EDGES],
    /// The unit with the edges that follow.
    pub next: Unit,
    _padding: [u32; 3],
}

/// Where an edge is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct EdgeRef {
    pub unit: Unit,
    pub slot: usize,
}

/// Steps listed at a time.
pub(super) const STEPS: usize = 20;

/// The next untried steps of a node with their priors, best first.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Steps {
    pub codes: [u16; STEPS],
    pub priors: [Prior; STEPS],
    _padding: [u8; 4],
}

const _: () = assert!(size_of::<Steps>() == UNIT);

/// A prior in eight bits: its square root in units of 1/255, which keeps a tenth to within three
/// percent of itself and tells a prior of 1/65025 from none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Pod, Zeroable)]
#[repr(transparent)]
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
