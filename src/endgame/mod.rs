//! Exact play: fillings of one-sided regions, and the bound that they prove.

mod filling;
mod memory;
mod shape;

pub use filling::{Filler, Filling};
pub use shape::Shape;
