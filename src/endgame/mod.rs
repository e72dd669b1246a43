//! Exact play: fillings of one-sided regions, and the bound that they prove.

mod filling;
mod frame;
mod lobe;
mod memory;
mod prover;
mod score;
mod shape;
mod turns;

pub use filling::{Filler, Filling};
pub use prover::{RegionProver, RegionScratch};
pub use score::{RegionScore, Score, score};
pub use shape::Shape;
