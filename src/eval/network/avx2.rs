//! The layers with AVX2: bytes times bytes, summed in pairs (`vpmaddubsw`). No pair overflows 16
//! bits, since inputs are at most 127.

use std::arch::x86_64::*;

use super::{BLOCK, BLOCKS, Bytes, HIDDEN, Layers, SQUARES, UNITS, rays};
use crate::amazons::Bitboard;

/// For each square the sum of the amounts of the sets it is in: 32 squares at a time, each byte
/// finds the byte that holds its bit, and its bit in it.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn sums(sets: &[(u128, u8)], sums: &mut Bytes) {
    let byte = _mm256_setr_epi8(
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3,
        3, 3,
    );
    let bit = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
    for (place, out) in sums.0.chunks_exact_mut(32).enumerate() {
        let mut sum = _mm256_setzero_si256();
        for &(set, amount) in sets {
            let bits = _mm256_set1_epi32((set >> (32 * place)) as i32);
            let found = _mm256_and_si256(_mm256_shuffle_epi8(bits, byte), bit);
            let here = _mm256_cmpeq_epi8(found, bit);
            sum = _mm256_add_epi8(sum, _mm256_and_si256(here, _mm256_set1_epi8(amount as i8)));
        }
        // SAFETY: `out` is 32 bytes long, and need not be aligned.
        unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), sum) }
    }
}

/// For each empty square what is counted by [`rays::gains`].
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn gains(empty: Bitboard, fresh: Bitboard, counts: &mut Bytes) {
    sums(rays::gains(empty, fresh).sets(), counts);
}

/// For each empty square what is counted by [`rays::cuts`], for the amazons of either side.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn cuts(empty: Bitboard, amazons: [Bitboard; 2], counts: &mut [Bytes; 2]) {
    for (amazons, counts) in amazons.into_iter().zip(counts) {
        sums(rays::cuts(empty, amazons).sets(), counts);
    }
}

/// The first layer before it is cut, in the order of sums.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2")]
pub(super) fn first(
    layers: &Layers,
    empty: u128,
    queen: &Bytes,
    king: &Bytes,
    sums: &mut [i16; UNITS],
) {
    let ones = _mm256_set1_epi8(1);
    // Each block: its sums at 0, 16, 32 and 48.
    let mut all = [[_mm256_setzero_si256(); 4]; BLOCKS];
    for (four, sums) in all.iter_mut().zip(sums.as_chunks::<BLOCK>().0) {
        for (sum, sixteen) in four.iter_mut().zip(sums.as_chunks::<16>().0) {
            *sum = load_words(sixteen);
        }
    }
    for (half, mut left) in [empty as u64, (empty >> 64) as u64].into_iter().enumerate() {
        while left != 0 {
            let square = 64 * half + left.trailing_zeros() as usize;
            left &= left - 1;

            let [one, other] = layers.rows(square, queen, king);
            for (block, four) in all.iter_mut().enumerate() {
                for half in 0..2 {
                    let at = block * 2 + half;
                    let one = load(&one.as_chunks::<32>().0[at]);
                    let other = load(&other.as_chunks::<32>().0[at]);
                    let low = _mm256_maddubs_epi16(ones, _mm256_unpacklo_epi8(one, other));
                    let high = _mm256_maddubs_epi16(ones, _mm256_unpackhi_epi8(one, other));
                    four[half] = _mm256_add_epi16(four[half], low);
                    four[2 + half] = _mm256_add_epi16(four[2 + half], high);
                }
            }
        }
    }
    for (four, sums) in all.iter().zip(sums.as_chunks_mut::<BLOCK>().0) {
        for (&sum, sixteen) in four.iter().zip(sums.as_chunks_mut::<16>().0) {
            // SAFETY: the target is 32 bytes long, and need not be aligned.
            unsafe { _mm256_storeu_si256(sixteen.as_mut_ptr().cast(), sum) }
        }
    }
}

/// The first layer cut to 0 to 127, in the order of units.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn cut(sums: &[i16; UNITS], units: &mut [u8; UNITS]) {
    let most = _mm256_set1_epi8(127);
    for (sums, units) in sums.as_chunks::<BLOCK>().0.iter().zip(units.as_chunks_mut::<BLOCK>().0) {
        let sums = sums.as_chunks::<16>().0;
        for (half, units) in units.as_chunks_mut::<32>().0.iter_mut().enumerate() {
            let low = _mm256_srai_epi16::<3>(load_words(&sums[half]));
            let high = _mm256_srai_epi16::<3>(load_words(&sums[2 + half]));
            let cut = _mm256_min_epu8(_mm256_packus_epi16(low, high), most);
            // SAFETY: the target is 32 bytes long, and need not be aligned.
            unsafe { _mm256_storeu_si256(units.as_mut_ptr().cast(), cut) }
        }
    }
}

/// Adds to each of `N` sums, a multiple of eight, the products of its weights with the inputs.
#[inline]
#[target_feature(enable = "avx2")]
fn add_products<const N: usize>(inputs: &[u8], weights: &[i8], sums: &mut [i32; N]) {
    let ones = _mm256_set1_epi16(1);
    for (place, eight) in sums.as_chunks_mut::<8>().0.iter_mut().enumerate() {
        // SAFETY: the source is 32 bytes long, and need not be aligned.
        let mut sum = unsafe { _mm256_loadu_si256(eight.as_ptr().cast()) };
        for (four, weights) in inputs.as_chunks::<4>().0.iter().zip(weights.chunks_exact(4 * N)) {
            let four = _mm256_set1_epi32(i32::from_le_bytes(*four));
            let weights = load(&weights.as_chunks::<32>().0[place]);
            let pairs = _mm256_maddubs_epi16(four, weights);
            sum = _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, ones));
        }
        // SAFETY: the target is 32 bytes long, and need not be aligned.
        unsafe { _mm256_storeu_si256(eight.as_mut_ptr().cast(), sum) }
    }
}

/// The sums of the hidden layer.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn hidden(units: &[u8; UNITS], weights: &[i8], sums: &mut [i32; HIDDEN]) {
    add_products(units, weights, sums);
}

/// The product of every square's vector with the hidden layer.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn squares(hidden: &[u8; HIDDEN], vectors: &[i8], products: &mut [i32; SQUARES]) {
    add_products(hidden, vectors, products);
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(bytes: &[i8; 32]) -> __m256i {
    // SAFETY: the source is 32 bytes long, and need not be aligned.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn load_words(words: &[i16; 16]) -> __m256i {
    // SAFETY: the source is 32 bytes long, and need not be aligned.
    unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
}
