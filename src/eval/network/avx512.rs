//! The layers with AVX-512: half of a board is a mask of 64 bits, a row of the first layer is one
//! register, and four products are summed by one instruction (`vpdpbusd`).

use std::arch::x86_64::*;

use super::{BLOCK, BLOCKS, Bytes, HIDDEN, Layers, SQUARES, UNITS};
use crate::amazons::Bitboard;
use crate::eval::fields::avx512::Boards;

/// For each square the sum of the amounts of the sets it is in.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn sums(sets: &[(u128, u8)], sums: &mut Bytes) {
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

/// For each square of eight boards a number below 16, bit by bit.
#[derive(Clone, Copy)]
struct Counter([Boards; 4]);

/// Truth tables for ternary logic: parity, and what two of three agree on.
const PARITY: i32 = 0x96;
const MAJORITY: i32 = 0xE8;

impl Counter {
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn zero() -> Counter {
        let zero = _mm512_setzero_si512();
        Counter([Boards { low: zero, high: zero }; 4])
    }

    /// Counts the squares of two sets.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn add(&mut self, one: Boards, other: Boards) {
        let ones = self.0[0];
        let mut carry = Boards {
            low: _mm512_ternarylogic_epi64::<MAJORITY>(ones.low, one.low, other.low),
            high: _mm512_ternarylogic_epi64::<MAJORITY>(ones.high, one.high, other.high),
        };
        self.0[0] = Boards {
            low: _mm512_ternarylogic_epi64::<PARITY>(ones.low, one.low, other.low),
            high: _mm512_ternarylogic_epi64::<PARITY>(ones.high, one.high, other.high),
        };
        for bits in &mut self.0[1..] {
            let next = bits.and(carry);
            bits.low = _mm512_xor_si512(bits.low, carry.low);
            bits.high = _mm512_xor_si512(bits.high, carry.high);
            carry = next;
        }
    }

    /// Writes for each square the sum of its numbers on four boards: on the first four for the first
    /// of `counts`, on the last four for the second.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn write<const N: usize>(self, counts: &mut [Bytes; N]) {
        let mut sums = [[_mm512_setzero_si512(); 2]; N];
        for (place, bits) in self.0.into_iter().enumerate() {
            let amount = _mm512_set1_epi8(1 << place);
            for (half, bits) in [bits.low, bits.high].into_iter().enumerate() {
                let mut masks = [0_u64; 8];
                // SAFETY: the target is 64 bytes long, and need not be aligned.
                unsafe { _mm512_storeu_si512(masks.as_mut_ptr().cast(), bits) }
                for (sums, masks) in sums.iter_mut().zip(masks.as_chunks::<4>().0) {
                    for &mask in masks {
                        sums[half] = _mm512_mask_add_epi8(sums[half], mask, sums[half], amount);
                    }
                }
            }
        }
        for (counts, sums) in counts.iter_mut().zip(sums) {
            for (out, sum) in counts.0.as_chunks_mut::<64>().0.iter_mut().zip(sums) {
                // SAFETY: the target is 64 bytes long, and need not be aligned.
                unsafe { _mm512_storeu_si512(out.as_mut_ptr().cast(), sum) }
            }
        }
    }
}

/// How far one step goes on each of eight boards: the four directions up the bits, twice. Down the
/// bits it is the same.
#[inline]
#[target_feature(enable = "avx512f")]
fn distances() -> __m512i {
    _mm512_setr_epi64(1, 11, 12, 10, 1, 11, 12, 10)
}

/// Four boards with one set and four with another.
#[inline]
#[target_feature(enable = "avx512f")]
fn boards(one: Bitboard, other: Bitboard) -> Boards {
    let half = |shift: u32| {
        let [one, other] = [one, other].map(|set| (set.bits() >> shift) as i64);
        _mm512_setr_epi64(one, one, one, one, other, other, other, other)
    };
    Boards { low: half(0), high: half(64) }
}

/// Whether there is any square on any of these boards.
#[inline]
#[target_feature(enable = "avx512f")]
fn any(one: Boards, other: Boards) -> bool {
    let low = _mm512_or_si512(one.low, other.low);
    let all = _mm512_ternarylogic_epi64::<0xFE>(low, one.high, other.high);
    _mm512_test_epi64_mask(all, all) != 0
}

/// For each empty square what is counted by [`rays::gains`](super::rays::gains).
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2")]
pub(super) fn gains(empty: Bitboard, fresh: Bitboard, counts: &mut Bytes) {
    let distances = distances();
    let fresh = boards(fresh, Bitboard::EMPTY);
    let empty = boards(empty, Bitboard::EMPTY);
    let mut counter = Counter::zero();
    let mut up = fresh.up(distances).and(empty);
    let mut down = fresh.down(distances).and(empty);
    while any(up, down) {
        counter.add(up, down);
        up = up.up(distances).and(empty);
        down = down.down(distances).and(empty);
    }
    counter.write(std::array::from_mut(counts));
}

/// For each empty square what is counted by [`rays::cuts`](super::rays::cuts), for the amazons of
/// either side.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2")]
pub(super) fn cuts(empty: Bitboard, amazons: [Bitboard; 2], counts: &mut [Bytes; 2]) {
    let distances = distances();
    let amazons = boards(amazons[0], amazons[1]);
    let empty = boards(empty, empty);
    let mut up = amazons.up(distances).and(empty);
    let mut down = amazons.down(distances).and(empty);
    let (mut rays_up, mut rays_down) = (up, down);
    while any(up, down) {
        up = up.up(distances).and(empty);
        down = down.down(distances).and(empty);
        rays_up = rays_up.or_and(up, up);
        rays_down = rays_down.or_and(down, down);
    }
    let mut counter = Counter::zero();
    (up, down) = (rays_up, rays_down);
    while any(up, down) {
        counter.add(up, down);
        up = up.down(distances).and(rays_up);
        down = down.up(distances).and(rays_down);
    }
    counter.write(counts);
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
