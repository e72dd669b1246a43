//! A record made ready for the network: its active rows, its steps, and what is to be learned.

use super::dataset::{Sample, Targets, image};
use crate::amazons::{Square, Step, Symmetry};
use crate::eval::network::inputs::{self, Classes, SQUARE_ROWS, StepInputs};
use crate::eval::{Fields, Kernel};

/// What marks a square that is not empty.
pub const NOT_EMPTY: u8 = u8::MAX;

/// What the network sees of a record, and what it is to answer.
#[derive(Clone, Debug, Default)]
pub struct Example {
    /// The set of the position.
    pub set: usize,
    /// Active rows of empty squares.
    pub empty: Vec<u16>,
    /// Active rows of amazons and shooter.
    pub pieces: Vec<u16>,
    /// The legal steps.
    pub steps: Vec<StepInputs>,
    /// The share of the visits of each step.
    pub policy: Vec<f32>,
    /// The win probability.
    pub win_probability: f32,
}

impl Example {
    /// The phase of the position.
    pub const fn phase(&self) -> usize {
        self.set / 2
    }

    /// Whether the steps are arrows.
    pub const fn arrow_pending(&self) -> bool {
        self.set % 2 == 1
    }
}

/// Makes records ready, one after the other in the same memory.
#[derive(Debug)]
pub struct Preparation {
    kernel: Kernel,
    fields: Fields,
    steps: Vec<Step>,
    /// The last record made ready.
    pub example: Example,
}

impl Preparation {
    /// Memory for this, and nothing in it.
    pub fn new() -> Preparation {
        Preparation {
            kernel: Kernel::best(),
            fields: Fields::default(),
            steps: Vec::new(),
            example: Example::default(),
        }
    }

    /// Makes a record ready under a symmetry.
    pub fn prepare(
        &mut self,
        sample: &Sample,
        visits: &[(u16, u16)],
        symmetry: Symmetry,
        targets: Targets,
    ) {
        let Preparation { kernel, fields, steps, example } = self;
        let position = image(&sample.position, symmetry, steps);
        kernel.fill(&position, fields);
        example.set = inputs::set(&position);
        let classes = Classes::of(&position, fields);
        inputs::rows(&position, &classes, &mut example.empty, &mut example.pieces);
        inputs::steps(&position, fields, &classes, steps, &mut example.steps);
        let total: u32 = visits.iter().map(|&(_, visits)| u32::from(visits)).sum();
        example.policy.clear();
        example.policy.resize(steps.len(), 0.0);
        for &(place, visits) in visits {
            example.policy[usize::from(place)] = f32::from(visits) / total as f32;
        }
        example.win_probability = targets.win_probability(sample);
    }
}

/// The active rows of every square, counted from the first one of the square, or [`NOT_EMPTY`].
pub type LocalRows = [[u8; 2]; Square::INDICES];

/// Sorts active rows of empty squares by their squares.
pub fn by_square(empty: &[u16], rows: &mut LocalRows) {
    rows.fill([NOT_EMPTY; 2]);
    for &[queen, king] in empty.as_chunks::<2>().0 {
        let square = usize::from(queen) / SQUARE_ROWS;
        let first = (square * SQUARE_ROWS) as u16;
        rows[square] = [(queen - first) as u8, (king - first) as u8];
    }
}
