//! The fields ray by ray: the plain way, for any processor, and the reference for all others.

use super::{Fields, Layers, MAX_DISTANCE};
use crate::amazons::{Bitboard, Square};

/// Computes the fields of amazons of both colours on a board with these empty squares.
pub(super) fn fill(amazons: [Bitboard; 2], empty: Bitboard, fields: &mut Fields) {
    fill_layers(amazons, empty, &mut fields.queen, |front| front.queen_moves(empty));
    fill_layers(amazons, empty, &mut fields.king, Bitboard::grown);
}

/// Breadth first: `moves` gives the squares one move away from a set of squares, and more as long
/// as those belong to the set or are not empty.
fn fill_layers(
    amazons: [Bitboard; 2],
    empty: Bitboard,
    layers: &mut Layers,
    moves: impl Fn(Bitboard) -> Bitboard,
) {
    let mut reached = [Bitboard::EMPTY; 2];
    let mut front = amazons;
    layers.within[0] = [0; 2];
    layers.levels = 0;
    loop {
        for side in 0..2 {
            front[side] = (moves(front[side]) & empty).minus(reached[side]);
            reached[side] |= front[side];
        }
        if front[0].is_empty() && front[1].is_empty() {
            return;
        }
        // Past the last layer, everything joins it.
        layers.levels = (layers.levels + 1).min(MAX_DISTANCE);
        layers.within[layers.levels] = reached.map(Bitboard::bits);
    }
}

/// The queen moves over `open` of each of these squares.
pub(super) fn queen_moves_of_each(
    squares: Bitboard,
    open: Bitboard,
    moves: &mut [Bitboard; Square::INDICES],
) {
    for square in squares {
        moves[square.index()] = Bitboard::from(square).queen_moves(open);
    }
}
