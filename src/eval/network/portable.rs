//! The layers in plain loops: what runs where there are no vector instructions, and the reference
//! for the paths that use them.

use super::layers::place_of_sum;
use super::{Bytes, HIDDEN, Layers, SQUARES, UNITS, rays};
use crate::amazons::Bitboard;

/// The bits of a byte, one in each of eight bytes.
static SPREAD: [u64; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            table[byte] |= ((byte as u64 >> bit) & 1) << (8 * bit);
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// For each square the sum of the amounts of the sets it is in, which fits a byte.
#[inline(always)]
pub(super) fn sums(sets: &[(u128, u8)], sums: &mut Bytes) {
    for (place, eight) in sums.0.chunks_exact_mut(8).enumerate() {
        let mut word = 0;
        for &(set, amount) in sets {
            let byte = (set >> (8 * place)) as u8;
            word += SPREAD[usize::from(byte)] * u64::from(amount);
        }
        eight.copy_from_slice(&word.to_le_bytes());
    }
}

/// For each empty square what is counted by [`rays::gains`].
#[inline(always)]
pub(super) fn gains(empty: Bitboard, fresh: Bitboard, counts: &mut Bytes) {
    sums(rays::gains(empty, fresh).sets(), counts);
}

/// For each empty square what is counted by [`rays::cuts`], for the amazons of either side.
#[inline(always)]
pub(super) fn cuts(empty: Bitboard, amazons: [Bitboard; 2], counts: &mut [Bytes; 2]) {
    for (amazons, counts) in amazons.into_iter().zip(counts) {
        sums(rays::cuts(empty, amazons).sets(), counts);
    }
}

/// The first layer before it is cut, in the order of sums, begun with `sums`.
#[inline(always)]
pub(super) fn first(
    layers: &Layers,
    empty: u128,
    queen: &Bytes,
    king: &Bytes,
    sums: &mut [i16; UNITS],
) {
    let mut all = *sums;
    for (half, mut left) in [empty as u64, (empty >> 64) as u64].into_iter().enumerate() {
        while left != 0 {
            let square = 64 * half + left.trailing_zeros() as usize;
            left &= left - 1;

            let [one, other] = layers.rows(square, queen, king);
            // Eight units at a time, which is as far as their order and that of the sums agree.
            for eight in 0..UNITS / 8 {
                let (units, sums) = (eight * 8, place_of_sum(eight * 8));
                for i in 0..8 {
                    let both = i16::from(one[units + i]) + i16::from(other[units + i]);
                    all[sums + i] = all[sums + i].wrapping_add(both);
                }
            }
        }
    }
    *sums = all;
}

/// The first layer cut to 0 to 127, in the order of units.
#[inline(always)]
pub(super) fn cut(sums: &[i16; UNITS], units: &mut [u8; UNITS]) {
    for eight in 0..UNITS / 8 {
        for i in 0..8 {
            units[eight * 8 + i] = (sums[place_of_sum(eight * 8) + i] >> 3).clamp(0, 127) as u8;
        }
    }
}

/// Adds to each of `N` sums the products of its weights with the inputs. The weights of four inputs
/// stand side by side, sum after sum, then those of the next four inputs.
#[inline(always)]
fn add_products<const N: usize>(inputs: &[u8], weights: &[i8], sums: &mut [i32; N]) {
    for (four, weights) in inputs.as_chunks::<4>().0.iter().zip(weights.chunks_exact(4 * N)) {
        let four = four.map(i32::from);
        for (sum, weights) in sums.iter_mut().zip(weights.as_chunks::<4>().0) {
            let [a, b, c, d] = weights.map(i32::from);
            *sum += four[0] * a + four[1] * b + four[2] * c + four[3] * d;
        }
    }
}

/// The sums of the hidden layer.
#[inline(always)]
pub(super) fn hidden(units: &[u8; UNITS], weights: &[i8], sums: &mut [i32; HIDDEN]) {
    add_products(units, weights, sums);
}

/// The product of every square's vector with the hidden layer.
#[inline(always)]
pub(super) fn squares(hidden: &[u8; HIDDEN], vectors: &[i8], products: &mut [i32; SQUARES]) {
    add_products(hidden, vectors, products);
}
