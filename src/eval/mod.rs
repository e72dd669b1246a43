//! What a position of the Game of the Amazons looks like to the search: a value, and how promising
//! each step is.
//!
//! Everything here is made of [`Fields`], the queen and king distances of both sides. [`Classical`]
//! turns them into the terms of the literature, a [`network::Network`] looks at them square by
//! square; [`Evaluation`] is whichever of the two was chosen.

mod classical;
mod evaluation;
mod fields;
mod functions;
mod mobility;
pub mod network;
mod priors;
mod terms;
mod weights;

pub use classical::{Classical, Scratch, Terms};
pub use evaluation::Evaluation;
pub use fields::{Fields, Kernel, Layers, MAX_DISTANCE};
pub use weights::{PHASES, PhaseWeights, Phases, Weights};

#[cfg(test)]
mod samples;
