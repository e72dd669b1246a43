mod games;
mod gradients;
mod pieces;
mod reference;
mod runs;
