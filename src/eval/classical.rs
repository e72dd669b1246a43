//! The classical evaluation: territory, closeness and mobility, weighted by phase.
//!
//! The terms are Lieberum's ("An evaluation function for the game of Amazons", 2005), the phase is
//! his w: large in the opening, 0 when the sides share no square any more and counting territory
//! is all that is left. What is ours: the squashing to a value, the form of the mobility penalty,
//! weights of their own for positions with an arrow pending (where the side to move has spent half
//! its turn, so that being to move is worth something else), and all numbers in [`Weights`].

use std::fmt;

use super::fields::{Fields, Kernel, Work};
use super::functions::tanh;
use super::mobility::{MOBILITY_UNIT, PENALTY_UNIT};
use super::priors::PriorsOf;
use super::terms::{Counts, HALVINGS};
use super::weights::{PhaseWeights, Weights};
use crate::amazons::{Position, Step};
use crate::game::{Evaluator, Value};

/// The evaluation by formula.
#[derive(Clone, Debug)]
pub struct Classical {
    kernel: Kernel,
    weights: Weights,
    /// `weights.free_mobility` in units of 1 / [`MOBILITY_UNIT`].
    free_mobility: u32,
}

/// The working memory of one worker: the distance fields of the position last looked at.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    fields: Fields,
    hash: Option<u64>,
}

/// The classical evaluation of a position, term by term, from the view of its side to move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terms {
    /// t1: squares nearer to the mover in queen moves, less those nearer to the opponent; ties
    /// count [`PhaseWeights::tie`].
    pub queen_territory: f32,
    /// t2: the same in king steps.
    pub king_territory: f32,
    /// c1: twice the sum of `2^-D` of the mover's queen distances less that of the opponent's.
    pub queen_closeness: f32,
    /// c2: the sum over squares of a sixth of the difference in king distance, cut to -1 .. 1.
    pub king_closeness: f32,
    /// w: the sum over shared squares of `2^-difference` in queen distance, which tells the phase.
    pub phase: f32,
    /// m: the penalties of the opponent's amazons for lack of mobility less those of the mover's;
    /// 1 is an amazon that is shut in.
    pub mobility: f32,
    /// What the terms are multiplied with in this phase.
    pub weights: PhaseWeights,
    /// The weighted sum of the terms, in squares.
    pub squares: f32,
    /// The result.
    pub value: Value,
}

impl Classical {
    /// The evaluation with these weights, computed by this kernel. The values do not depend on the
    /// kernel.
    pub fn new(kernel: Kernel, weights: Weights) -> Classical {
        let free_mobility = weights.free_mobility.clamp(0.1, 100.0) * MOBILITY_UNIT as f32;
        Classical { kernel, weights, free_mobility: free_mobility as u32 }
    }

    /// The evaluation of a position, term by term.
    pub fn explain(&self, position: &Position) -> Terms {
        let mut fields = Fields::default();
        self.kernel.fill(position, &mut fields);
        self.terms(position, &fields)
    }

    #[inline(always)]
    fn terms(&self, position: &Position, fields: &Fields) -> Terms {
        let counts = Counts::of(self.kernel, position, fields, self.free_mobility);
        let phase = counts.shared as f32 / HALVINGS as f32;
        let weights = self.weights.at(phase, position.shooter().is_some());
        let queen_territory = counts.queen_lead as f32 + weights.tie * counts.queen_ties as f32;
        let king_territory = counts.king_lead as f32 + weights.tie * counts.king_ties as f32;
        let queen_closeness = 2.0 * counts.queen_closeness as f32 / HALVINGS as f32;
        let king_closeness = counts.king_closeness as f32 / 6.0;
        let mobility = counts.mobility as f32 / PENALTY_UNIT as f32;
        let squares = weights.queen_territory * queen_territory
            + weights.queen_closeness * queen_closeness
            + weights.king_closeness * king_closeness
            + weights.king_territory * king_territory
            + weights.mobility * mobility
            + weights.tempo;
        Terms {
            queen_territory,
            king_territory,
            queen_closeness,
            king_closeness,
            phase,
            mobility,
            weights,
            squares,
            value: Value::new(tanh(weights.scale * squares)),
        }
    }

    /// The fields of the position, computed unless they are there already.
    #[inline]
    fn fields<'a>(&self, position: &Position, scratch: &'a mut Scratch) -> &'a Fields {
        if scratch.hash != Some(position.hash()) {
            self.kernel.fill(position, &mut scratch.fields);
            scratch.hash = Some(position.hash());
        }
        &scratch.fields
    }
}

impl Default for Classical {
    /// The weights that the engine plays with, and the fastest kernel.
    fn default() -> Classical {
        Classical::new(Kernel::best(), Weights::default())
    }
}

impl Evaluator<Position> for Classical {
    type Scratch = Scratch;

    #[inline]
    fn value(&self, position: &Position, scratch: &mut Scratch) -> Value {
        let fields = self.fields(position, scratch);
        self.kernel.run(ValueOf { classical: self, position, fields })
    }

    fn priors(
        &self,
        position: &Position,
        steps: &[Step],
        scratch: &mut Scratch,
        weights: &mut Vec<f32>,
    ) {
        let fields = self.fields(position, scratch);
        self.kernel.run(PriorsOf { kernel: self.kernel, position, fields, steps, weights });
    }
}

struct ValueOf<'a> {
    classical: &'a Classical,
    position: &'a Position,
    fields: &'a Fields,
}

impl Work for ValueOf<'_> {
    type Output = Value;

    #[inline(always)]
    fn run(self) -> Value {
        self.classical.terms(self.position, self.fields).value
    }
}

impl fmt::Display for Terms {
    /// A line for each term: its name, the number, its weight, and what it adds in squares.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let weights = &self.weights;
        let lines = [
            ("queen territory", self.queen_territory, weights.queen_territory),
            ("queen closeness", self.queen_closeness, weights.queen_closeness),
            ("king closeness", self.king_closeness, weights.king_closeness),
            ("king territory", self.king_territory, weights.king_territory),
            ("mobility", self.mobility, weights.mobility),
            ("tempo", 1.0, weights.tempo),
        ];
        for (name, number, weight) in lines {
            writeln!(f, "{name:<16}{number:>8.2} x {weight:>6.3} = {:>7.2}", number * weight)?;
        }
        writeln!(f, "{:<16}{:>8.2}", "phase", self.phase)?;
        writeln!(f, "{:<16}{:>8.2} x {:>6.3}", "squares", self.squares, weights.scale)?;
        write!(f, "{:<16}{:>+8.4}", "value", self.value.get())
    }
}

#[cfg(test)]
mod tests;
