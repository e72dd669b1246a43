//! What a network is worth on games it has not seen, and what rounding does to it.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::dataset::{Dataset, Place, Sample, Targets};
use super::example::Preparation;
use super::instructions::{self, Work};
use super::model::{Answer, Losses};
use crate::amazons::{Position, Step, Symmetry};
use crate::game::{Evaluator, Game, Value};

/// Records that one thread looks at before it takes more.
const SHARE: usize = 512;

/// The mean losses of a float network on these records.
pub fn losses(data: &Dataset, places: &[Place], weights: &[f32], targets: Targets) -> Losses {
    let shares: Vec<Losses> = places
        .par_chunks(SHARE)
        .map(|places| {
            let mut losses = Losses::default();
            instructions::run(Measure { data, places, weights, targets, losses: &mut losses });
            losses
        })
        .collect();
    let mean = |loss: fn(&Losses) -> f64| {
        shares.iter().map(loss).sum::<f64>() / places.len().max(1) as f64
    };
    Losses { value: mean(|losses| losses.value), policy: mean(|losses| losses.policy) }
}

struct Measure<'a> {
    data: &'a Dataset,
    places: &'a [Place],
    weights: &'a [f32],
    targets: Targets,
    losses: &'a mut Losses,
}

impl Work for Measure<'_> {
    #[inline(always)]
    fn run(self) {
        let mut preparation = Preparation::new();
        let mut answer = Answer::default();
        for &place in self.places {
            let (sample, visits) = self.data.record(place);
            preparation.prepare(sample, visits, Symmetry::Identity, self.targets);
            answer.compute(self.weights, &preparation.example);
            let found = answer.finish(&preparation.example);
            self.losses.value += found.value;
            self.losses.policy += found.policy;
        }
    }
}

/// Win probabilities in one tenth of their range, and what came of them.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Decile {
    /// The records with a predicted win probability in it.
    pub records: u64,
    /// The mean prediction.
    pub predicted: f64,
    /// The share of records whose game was won by the side to move.
    pub observed: f64,
}

/// What was found out about a network on games held out.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Findings {
    /// The records.
    pub records: u64,
    /// Mean losses of the float network.
    pub float: Losses,
    /// Mean losses of the network at play.
    pub rounded: Losses,
    /// The least losses that any network can have: the entropies of what is to be learned.
    pub least: Losses,
    /// The share of records in which both networks think best of the same step.
    pub same_best_step: f64,
    /// The mean difference of their values, which are in `[-1, 1]`.
    pub value_difference: f64,
    /// The share of records in which the network at play thinks best of the step that the search
    /// visited most.
    pub most_visited_step: f64,
    /// Calibration of the network at play, from the least win probabilities to the greatest.
    pub calibration: [Decile; 10],
}

/// Compares a float network with the one at play that was made of it.
pub fn findings<E: Evaluator<Position>>(
    data: &Dataset,
    places: &[Place],
    weights: &[f32],
    rounded: &E,
    targets: Targets,
) -> Findings {
    let shares: Vec<Findings> = places
        .par_chunks(SHARE)
        .map(|places| {
            let mut comparison = Comparison::new(weights, rounded, targets);
            for &place in places {
                let (sample, visits) = data.record(place);
                comparison.look_at(sample, visits);
            }
            comparison.sums
        })
        .collect();
    let mut sums = Findings::default();
    for share in &shares {
        sums.add(share);
    }
    sums.means()
}

impl Losses {
    fn add(&mut self, other: &Losses) {
        self.value += other.value;
        self.policy += other.policy;
    }

    fn divided(self, count: f64) -> Losses {
        Losses { value: self.value / count, policy: self.policy / count }
    }
}

impl Findings {
    fn add(&mut self, other: &Findings) {
        self.records += other.records;
        self.float.add(&other.float);
        self.rounded.add(&other.rounded);
        self.least.add(&other.least);
        self.same_best_step += other.same_best_step;
        self.value_difference += other.value_difference;
        self.most_visited_step += other.most_visited_step;
        for (decile, other) in self.calibration.iter_mut().zip(&other.calibration) {
            decile.records += other.records;
            decile.predicted += other.predicted;
            decile.observed += other.observed;
        }
    }

    /// Sums become means.
    fn means(self) -> Findings {
        let count = self.records.max(1) as f64;
        Findings {
            records: self.records,
            float: self.float.divided(count),
            rounded: self.rounded.divided(count),
            least: self.least.divided(count),
            same_best_step: self.same_best_step / count,
            value_difference: self.value_difference / count,
            most_visited_step: self.most_visited_step / count,
            calibration: self.calibration.map(|decile| {
                let count = decile.records.max(1) as f64;
                Decile {
                    records: decile.records,
                    predicted: decile.predicted / count,
                    observed: decile.observed / count,
                }
            }),
        }
    }
}

/// A comparison at work.
struct Comparison<'a, E: Evaluator<Position>> {
    weights: &'a [f32],
    rounded: &'a E,
    targets: Targets,
    preparation: Preparation,
    answer: Answer,
    scratch: E::Scratch,
    steps: Vec<Step>,
    priors: Vec<f32>,
    sums: Findings,
}

impl<'a, E: Evaluator<Position>> Comparison<'a, E> {
    fn new(weights: &'a [f32], rounded: &'a E, targets: Targets) -> Comparison<'a, E> {
        Comparison {
            weights,
            rounded,
            targets,
            preparation: Preparation::new(),
            answer: Answer::default(),
            scratch: E::Scratch::default(),
            steps: Vec::new(),
            priors: Vec::new(),
            sums: Findings::default(),
        }
    }

    fn look_at(&mut self, sample: &Sample, visits: &[(u16, u16)]) {
        self.preparation.prepare(sample, visits, Symmetry::Identity, self.targets);
        let example = &self.preparation.example;
        self.answer.compute(self.weights, example);
        let float = self.answer.finish(example);
        Game::steps(&sample.position, &mut self.steps);
        let value = self.rounded.value(&sample.position, &mut self.scratch);
        self.rounded.priors(&sample.position, &self.steps, &mut self.scratch, &mut self.priors);

        let win = f64::from(example.win_probability);
        let said = f64::from(value.win_probability());
        let sums = &mut self.sums;
        sums.records += 1;
        sums.float.add(&float);
        sums.rounded.value += cross_entropy(win, said) + cross_entropy(1.0 - win, 1.0 - said);
        sums.least.value += cross_entropy(win, win) + cross_entropy(1.0 - win, 1.0 - win);
        let total: f64 = self.priors.iter().copied().map(f64::from).sum();
        for (&share, &prior) in example.policy.iter().zip(&self.priors) {
            let share = f64::from(share);
            sums.rounded.policy += cross_entropy(share, f64::from(prior) / total);
            sums.least.policy += cross_entropy(share, share);
        }
        let best = best(&self.priors);
        sums.same_best_step += f64::from(u8::from(best == self::best(&self.answer.logits)));
        sums.most_visited_step += f64::from(u8::from(best == self::best(&example.policy)));
        let difference = f64::from(value.get()) - f64::from(self.answer.depth).tanh();
        sums.value_difference += difference.abs();
        let decile = &mut sums.calibration[((said * 10.0) as usize).min(9)];
        decile.records += 1;
        decile.predicted += said;
        decile.observed += f64::from(u8::from(sample.result == Value::WIN));
    }
}

/// What is added to a cross-entropy by something that happens with one probability and was thought
/// to happen with the other.
fn cross_entropy(happens: f64, said: f64) -> f64 {
    if happens > 0.0 { -happens * said.max(1e-12).ln() } else { 0.0 }
}

/// The place of the greatest number; of equal ones the first.
fn best(numbers: &[f32]) -> usize {
    let mut best = 0;
    for (place, number) in numbers.iter().enumerate() {
        if *number > numbers[best] {
            best = place;
        }
    }
    best
}
