//! Exact play: fillings of one-sided regions, the bound that they prove, and the solver, which
//! searches where the bound does not reach.

mod bound;
mod filling;
mod frame;
mod lobe;
mod memory;
mod prover;
mod score;
mod shape;
mod solver;
mod sum;
mod turns;

pub use filling::{Filler, Filling};
pub use prover::{RegionProver, RegionScratch};
pub use score::{RegionScore, Score, score};
pub use shape::Shape;
pub use solver::{Effort, Solver, TableRefused, Verification};
