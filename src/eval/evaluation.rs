//! The evaluation that was chosen: by formula, or learned.

use super::classical::{self, Classical};
use super::fields::Kernel;
use super::network::file::{NetworkError, checksum, decode};
use super::network::{self, Network};
use super::weights::Weights;
use crate::amazons::{Position, Step};
use crate::game::{Evaluator, Value};

/// The network that the program brings along.
static EMBEDDED: &[u8] = include_bytes!("network.otrera");

/// How much the search flattens the policy of a network, which has learned the visits of searches as
/// short as those of self-play: one that goes on for longer should look further.
const TEMPERATURE: f64 = 1.4;

/// One of the evaluations.
#[derive(Clone, Debug)]
pub enum Evaluation {
    /// By formula: a baseline, and the first teacher.
    Classical(Box<Classical>),
    /// Learned from self-play.
    Network(Network),
}

/// The working memory of one worker, whichever evaluation it is for.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    classical: classical::Scratch,
    network: network::Scratch,
}

impl Evaluation {
    /// The classical evaluation, computed by this kernel.
    pub fn classical(kernel: Kernel) -> Evaluation {
        Evaluation::Classical(Box::new(Classical::new(kernel, Weights::default())))
    }

    /// The network that the program brings along, computed by this kernel.
    pub fn embedded(kernel: Kernel) -> Evaluation {
        let (weights, _) =
            decode(EMBEDDED).expect("the network was checked before it was embedded");
        Evaluation::learned(kernel, weights)
    }

    /// The network in these bytes of a file, computed by this kernel.
    ///
    /// # Errors
    /// When they hold anything but a whole and undamaged network of this program's shape.
    pub fn read(kernel: Kernel, bytes: &[u8]) -> Result<Evaluation, NetworkError> {
        let (weights, _) = decode(bytes)?;
        Ok(Evaluation::learned(kernel, weights))
    }

    fn learned(kernel: Kernel, weights: network::Weights) -> Evaluation {
        Evaluation::Network(Network::new(kernel, weights).at_temperature(TEMPERATURE))
    }

    /// What tells the networks apart; `None` for the classical evaluation.
    pub fn checksum(&self) -> Option<u32> {
        match self {
            Evaluation::Classical(_) => None,
            Evaluation::Network(network) => Some(checksum(network.weights())),
        }
    }
}

impl Default for Evaluation {
    /// What the engine plays with, on the fastest kernel.
    fn default() -> Evaluation {
        Evaluation::embedded(Kernel::best())
    }
}

impl Evaluator<Position> for Evaluation {
    type Scratch = Scratch;

    #[inline]
    fn value(&self, position: &Position, scratch: &mut Scratch) -> Value {
        match self {
            Evaluation::Classical(classical) => classical.value(position, &mut scratch.classical),
            Evaluation::Network(network) => network.value(position, &mut scratch.network),
        }
    }

    fn priors(
        &self,
        position: &Position,
        steps: &[Step],
        scratch: &mut Scratch,
        weights: &mut Vec<f32>,
    ) {
        match self {
            Evaluation::Classical(classical) => {
                classical.priors(position, steps, &mut scratch.classical, weights);
            }
            Evaluation::Network(network) => {
                network.priors(position, steps, &mut scratch.network, weights);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::network::file::encode;
    use super::*;

    #[test]
    fn the_embedded_network_is_sound() {
        let (weights, provenance) = decode(EMBEDDED).expect("a network");
        assert!(!provenance.is_empty());
        assert_eq!(encode(&weights, &provenance), EMBEDDED);
    }
}
