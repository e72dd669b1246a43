//! The layers with AVX-512: half of a board is a mask of 64 bits, a row of the first layer is one
//! register, and four products are summed by one instruction (`vpdpbusd`).

use std::arch::x86_64::*;

use super::{BLOCK, BLOCKS, Bytes, HIDDEN, Layers, SQUARES, UNITS};

/// For each square the sum of the amounts of the sets it is in.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn sums<const N: usize>(sets: &[(u128, u8); N], sums: &mut Bytes) {
    for (place, out) in sums.0.chunks_exact_mut(64).enumerate() {
        let mut sum = _mm512_setzero_si512();
        for &(set, amount) in sets {
            let mask = (set >> (64 * place)) as u64;
            sum = _mm512_mask_add_epi8(sum, mask, sum, _mm512_set1_epi8(amount as i8));
        }
        // SAFETY: `out` is 64 bytes long, and need not be aligned.
        unsafe { _mm512_storeu_si512(out.as_mut_ptr().cast(), sum) }
    }
}

/// The first layer before it is cut, in the order of sums.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi1,bmi2")]
pub(super) fn first(
    layers: &Layers,
    empty: u128,
    queen: &Bytes,
    king: &Bytes,
    sums: &mut [i16; UNITS],
) {
    let ones = _mm512_set1_epi8(1);
    let mut all = [[_mm512_setzero_si512(); 2]; BLOCKS];
    for (two, sums) in all.iter_mut().zip(sums.as_chunks::<BLOCK>().0) {
        for (sum, half) in two.iter_mut().zip(sums.as_chunks::<32>().0) {
            *sum = load_words(half);
        }
    }
    for (half, mut left) in [empty as u64, (empty >> 64) as u64].into_iter().enumerate() {
        while left != 0 {
            let square = 64 * half + left.trailing_zeros() as usize;
            left &= left - 1;

            let [one, other] = layers.rows(square, queen, king);
            for (block, two) in all.iter_mut().enumerate() {
                let one = load(&one.as_chunks::<64>().0[block]);
                let other = load(&other.as_chunks::<64>().0[block]);
                let low = _mm512_maddubs_epi16(ones, _mm512_unpacklo_epi8(one, other));
                let high = _mm512_maddubs_epi16(ones, _mm512_unpackhi_epi8(one, other));
                two[0] = _mm512_add_epi16(two[0], low);
                two[1] = _mm512_add_epi16(two[1], high);
            }
        }
    }
    for (two, sums) in all.iter().zip(sums.as_chunks_mut::<BLOCK>().0) {
        for (&sum, half) in two.iter().zip(sums.as_chunks_mut::<32>().0) {
            // SAFETY: the target is 64 bytes long, and need not be aligned.
            unsafe { _mm512_storeu_si512(half.as_mut_ptr().cast(), sum) }
        }
    }
}

/// The first layer cut to 0 to 127, in the order of units.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn cut(sums: &[i16; UNITS], units: &mut [u8; UNITS]) {
    let most = _mm512_set1_epi8(127);
    for (sums, units) in sums.as_chunks::<BLOCK>().0.iter().zip(units.as_chunks_mut::<BLOCK>().0) {
        let halves = sums.as_chunks::<32>().0;
        let low = _mm512_srai_epi16::<3>(load_words(&halves[0]));
        let high = _mm512_srai_epi16::<3>(load_words(&halves[1]));
        let cut = _mm512_min_epu8(_mm512_packus_epi16(low, high), most);
        // SAFETY: the target is 64 bytes long, and need not be aligned.
        unsafe { _mm512_storeu_si512(units.as_mut_ptr().cast(), cut) }
    }
}

/// Adds to each of `N` sums, a multiple of sixteen, the products of its weights with the inputs.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn add_products<const N: usize>(inputs: &[u8], weights: &[i8], sums: &mut [i32; N]) {
    for (place, sixteen) in sums.as_chunks_mut::<16>().0.iter_mut().enumerate() {
        // SAFETY: the source is 64 bytes long, and need not be aligned.
        let mut sum = unsafe { _mm512_loadu_si512(sixteen.as_ptr().cast()) };
        for (four, weights) in inputs.as_chunks::<4>().0.iter().zip(weights.chunks_exact(4 * N)) {
            let four = _mm512_set1_epi32(i32::from_le_bytes(*four));
            sum = _mm512_dpbusd_epi32(sum, four, load(&weights.as_chunks::<64>().0[place]));
        }
        // SAFETY: the target is 64 bytes long, and need not be aligned.
        unsafe { _mm512_storeu_si512(sixteen.as_mut_ptr().cast(), sum) }
    }
}

/// The sums of the hidden layer.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn hidden(units: &[u8; UNITS], weights: &[i8], sums: &mut [i32; HIDDEN]) {
    add_products(units, weights, sums);
}

/// The product of every square's vector with the hidden layer.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn squares(hidden: &[u8; HIDDEN], vectors: &[i8], products: &mut [i32; SQUARES]) {
    add_products(hidden, vectors, products);
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load(bytes: &[i8; 64]) -> __m512i {
    // SAFETY: the source is 64 bytes long, and need not be aligned.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load_words(words: &[i16; 32]) -> __m512i {
    // SAFETY: the source is 64 bytes long, and need not be aligned.
    unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
}
