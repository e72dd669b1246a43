//! How networks are made: self-play, its data files, training, and the loop of both.

pub mod contest;
pub mod data;
pub mod generations;
pub mod selfplay;
pub mod train;
