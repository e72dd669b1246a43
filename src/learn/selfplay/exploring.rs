//! An evaluator that makes the search look at steps it would not think of.
//!
//! AlphaZero (Silver et al. 2017) mixes a Dirichlet distribution into the priors of the root: a few
//! steps, others each time, get much more than they would have. Drawing from that takes logarithms
//! and powers, which differ between machines; so it is imitated. Of `n` steps each gets
//! `u^(n / 10)` with `u` uniform in `[0, 1)`: a gamma distribution of a small shape `a` is close to
//! `u^(1 / a)`, so this is like a Dirichlet distribution whose parameters, 10 / n each, sum to 10.
//!
//! The tree asks for the priors of a node more than once and must hear the same each time. The
//! noise is therefore a function of a seed and the position.

use crate::amazons::{Position, Step, mix};
use crate::game::{Evaluator, Value};

/// The sum of the parameters of the distribution imitated.
const CONCENTRATION: usize = 10;

/// An evaluator that thinks as another one does, but for noise in the priors of one turn.
pub(super) struct Exploring<E> {
    evaluator: E,
    noise: Option<Noise>,
}

/// Noise in the priors of one turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Noise {
    /// The turns played before it.
    pub turns: u16,
    /// Its part of the priors, below 1.
    pub share: f32,
    /// What it depends on, with the position.
    pub seed: u64,
}

impl<E> Exploring<E> {
    /// An evaluator without noise as yet.
    pub fn new(evaluator: E) -> Exploring<E> {
        Exploring { evaluator, noise: None }
    }

    /// From now on there is this noise, or none.
    pub fn set_noise(&mut self, noise: Option<Noise>) {
        self.noise = noise;
    }
}

impl<E: Evaluator<Position>> Evaluator<Position> for Exploring<E> {
    type Scratch = E::Scratch;

    #[inline]
    fn value(&self, position: &Position, scratch: &mut E::Scratch) -> Value {
        self.evaluator.value(position, scratch)
    }

    fn priors(
        &self,
        position: &Position,
        steps: &[Step],
        scratch: &mut E::Scratch,
        weights: &mut Vec<f32>,
    ) {
        self.evaluator.priors(position, steps, scratch, weights);
        if let Some(noise) = self.noise
            && noise.turns == position.turns()
        {
            noise.add(position.hash(), weights);
        }
    }
}

impl Noise {
    /// Mixes noise into weights, which sum to one afterwards.
    fn add(&self, hash: u64, weights: &mut [f32]) {
        let power = (weights.len() / CONCENTRATION).max(1);
        let noise: Vec<f32> = (0..weights.len() as u64)
            .map(|index| {
                let bits = mix(self.seed ^ mix(hash.wrapping_add(index)));
                // Exact: 24 bits of it, shifted off zero.
                let uniform = ((bits >> 40) as f32 + 0.5) / (1 << 24) as f32;
                (1..power).fold(uniform, |product, _| product * uniform)
            })
            .collect();
        let sums: [f32; 2] = [weights.iter().sum(), noise.iter().sum()];
        for (weight, noise) in weights.iter_mut().zip(noise) {
            let noise = if sums[1] > 0.0 { noise / sums[1] } else { 0.0 };
            *weight = (1.0 - self.share) * (*weight / sums[0]) + self.share * noise;
        }
    }
}
