//! What the tree stores: nodes of one cache line, edges of 16 bytes, and the steps that were never
//! tried, 4 bytes each.
//!
//! A step becomes an edge when it is first visited. The edges carry all that the selection scan
//! reads, so it runs through one block of memory; the steps wait sorted by prior, so that of all
//! the untried ones only the first is ever a candidate.

use bytemuck::{Pod, Zeroable};

use super::pool::{Block, UNIT};
use crate::game::{Colour, Outcome, Proof, Value};

/// Values are summed as integers, in units of 2^-30, so that a sum does not depend on its order.
const VALUE_ONE: f32 = (1u32 << 30) as f32;

/// A position in the tree.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Node {
    /// The sum of all values backed up, for the side to move, in units of 2^-30.
    value_sum: i64,
    /// How many values were backed up.
    pub visits: u32,
    /// The sum of the priors of the steps that have become edges, in `[0, 1]`.
    pub visited_prior: f32,
    /// The steps of this node with their priors, highest first.
    pub steps: Block,
    /// The steps that were visited: an edge for each of the first `edge_count` steps.
    pub edges: Block,
    /// The number of steps; 0 until the node is expanded.
    pub step_count: u16,
    /// The number of edges.
    pub edge_count: u16,
    /// The room for edges in the block.
    pub edge_capacity: u16,
    /// The bound on the turns to the end, when the result is proven.
    proof_turns: u16,
    /// 0 while nothing is proven, else what [`Node::set_proof`] says.
    proof: u8,
    /// Colour of the side to move.
    side: u8,
    /// 1 where a turn begins.
    turn_start: u8,
    _padding: [u8; 29],
}

const _: () = assert!(size_of::<Node>() == UNIT);

const PROVEN_WIN: u8 = 1;
const PROVEN_LOSS: u8 = 2;
const PROVEN_DRAW: u8 = 3;

impl Node {
    /// A node that was never visited.
    pub fn new(side_to_move: Colour, at_turn_start: bool) -> Node {
        Node { side: side_to_move as u8, turn_start: u8::from(at_turn_start), ..Node::zeroed() }
    }

    /// The side that moves here.
    #[inline]
    pub fn side_to_move(&self) -> Colour {
        if self.side == Colour::White as u8 { Colour::White } else { Colour::Black }
    }

    /// Whether a turn begins here.
    #[inline]
    pub fn at_turn_start(&self) -> bool {
        self.turn_start != 0
    }

    /// Whether the steps are known.
    #[inline]
    pub fn is_expanded(&self) -> bool {
        self.step_count != 0
    }

    /// Adds a value, given for the side to move here.
    #[inline]
    pub fn add(&mut self, value: Value) {
        self.visits = self.visits.saturating_add(1);
        self.value_sum += (value.get() * VALUE_ONE) as i64;
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
    /// The node it leads to.
    pub child: Block,
    /// How often it was visited: the visits of the child.
    pub visits: u32,
    /// The mean value of the child, for the side to move at the node the edge starts from; minus
    /// infinity once the child is proven, so that it is never visited again.
    mean: f32,
    /// The step and its prior.
    pub step: PriorStep,
}

const _: () = assert!(size_of::<Edge>() == 16);

impl Edge {
    /// An edge to a child that was never visited.
    pub fn new(child: Block, step: PriorStep) -> Edge {
        Edge { child, visits: 0, mean: 0.0, step }
    }

    /// Takes over visits and mean of the child, for this side.
    #[inline]
    pub fn update(&mut self, child: &Node, side: Colour) {
        self.visits = child.visits;
        let mean = child.mean();
        self.mean = if child.side_to_move() == side { mean } else { -mean }.get();
    }

    /// Marks the child as proven: there is nothing left to find below it.
    pub fn close(&mut self) {
        self.mean = f32::NEG_INFINITY;
    }

    /// What selection maximises besides exploration: the mean, or minus infinity.
    #[inline]
    pub fn mean_or_closed(&self) -> f32 {
        self.mean
    }
}

/// A step's code and its prior, in 32 bits.
#[derive(Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(transparent)]
pub(super) struct PriorStep(u32);

/// Priors are kept as 16 bits: a share of this.
const PRIOR_ONE: f32 = 65535.0;

impl PriorStep {
    /// A step with a prior in `[0, 1]`, which is kept as at least 1/65535.
    #[inline]
    pub fn new(code: u16, prior: f32) -> PriorStep {
        let prior = (prior * PRIOR_ONE + 0.5).clamp(1.0, PRIOR_ONE) as u32;
        PriorStep(prior << 16 | u32::from(code))
    }

    /// The code of the step.
    #[inline]
    pub fn code(self) -> u16 {
        self.0 as u16
    }

    /// The prior, in `[0, 1]`.
    #[inline]
    pub fn prior(self) -> f32 {
        (self.0 >> 16) as f32 / PRIOR_ONE
    }

    /// Orders by falling prior, then by rising code.
    #[inline]
    pub fn sort_key(self) -> u32 {
        !self.0 ^ 0xffff
    }
}
