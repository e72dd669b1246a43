//! How free each amazon is to go where the fight is.
//!
//! Lieberum's mobility of an amazon ("An evaluation function for the game of Amazons", 2005): the
//! sum, over the squares one queen move away that the enemy can reach, of their empty neighbours,
//! halved for each king step on the way. An amazon with little of it is about to be shut in, and
//! is penalised.
//!
//! The plain way goes along the rays one by one and loses most of its time to mispredicted ends of
//! rays. With AVX-512 the 64 rays of eight amazons go side by side, a byte each, and look up what
//! they meet in a table of 128 bytes held in two registers.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

use super::fields::{Instructions, Kernel};
use crate::amazons::{Bitboard, Direction, MAX_SIZE, Position, Square};

/// One over the unit of mobilities: a ray has up to nine squares, each counting half as much as
/// the one before.
pub(super) const MOBILITY_UNIT: u32 = 1 << LONGEST_RAY;

/// One over the unit of mobility penalties.
pub(super) const PENALTY_UNIT: u32 = 1 << 16;

const LONGEST_RAY: usize = MAX_SIZE as usize - 1;

/// The mobility penalties of the opponent's amazons less those of the mover's, in units of 1 /
/// [`PENALTY_UNIT`]: for each amazon `(free / (free + mobility))^2`. `shared` are the squares that
/// both sides can reach; `free`, like mobility, is in units of 1 / [`MOBILITY_UNIT`], and below
/// 128 squares, so that nothing overflows.
#[inline(always)]
pub(super) fn mobility(kernel: Kernel, position: &Position, shared: Bitboard, free: u32) -> i32 {
    let mover = position.side_to_move();
    let mut penalties = [0; 2];
    let (mine, theirs) = (position.amazons(mover), position.amazons(!mover));
    let mut left = mine | theirs;
    while !left.is_empty() {
        let mut group = [Square::new(0, 0); GROUP];
        let mut size = 0;
        for (place, square) in group.iter_mut().zip(left) {
            *place = square;
            left = left.without(square);
            size += 1;
        }
        let mobilities = mobilities(kernel, position.empty(), shared, &group);
        for (&square, mobility) in group[..size].iter().zip(mobilities) {
            let share = u64::from(free * PENALTY_UNIT / (free + mobility));
            let penalty = (share * share / u64::from(PENALTY_UNIT)) as i32;
            penalties[usize::from(theirs.contains(square))] += penalty;
        }
    }
    penalties[1] - penalties[0]
}

/// The number of amazons that are looked at together.
const GROUP: usize = 8;

/// The mobility of an amazon on each of these squares.
#[inline(always)]
fn mobilities(
    kernel: Kernel,
    empty: Bitboard,
    shared: Bitboard,
    amazons: &[Square; GROUP],
) -> [u32; GROUP] {
    match kernel.instructions() {
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx512 => {
            // SAFETY: the kernel promises that the processor has the instructions.
            unsafe { mobilities_by_table(empty, shared, amazons) }
        }
        _ => {
            let mut result = [0; GROUP];
            for (sum, &from) in result.iter_mut().zip(amazons) {
                *sum = ray_by_ray(empty, shared, from);
            }
            result
        }
    }
}

#[inline(always)]
fn ray_by_ray(empty: Bitboard, shared: Bitboard, from: Square) -> u32 {
    let mut sum = 0;
    for direction in Direction::ALL {
        let (distance, up) = direction.shift();
        let mut here = 1u128 << from.index();
        let mut index = from.index();
        let mut unit = MOBILITY_UNIT;
        loop {
            here = if up { here << distance } else { here >> distance } & shared.bits();
            if here == 0 {
                break;
            }
            index = if up { index + distance as usize } else { index - distance as usize };
            unit /= 2;
            sum += unit * (neighbours(Square::from_index(index)) & empty).count();
        }
    }
    sum
}

/// The same for all eight: a ray is a byte with the index of the square it has come to, and the
/// table has the empty neighbours of each shared square. A ray ends where it finds none, since a
/// square without empty neighbours leads nowhere; indices beyond the board find none either.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn mobilities_by_table(
    empty: Bitboard,
    shared: Bitboard,
    amazons: &[Square; GROUP],
) -> [u32; GROUP] {
    let halves = |set: Bitboard| [set.bits() as u64, (set.bits() >> 64) as u64];
    let one = _mm512_set1_epi8(1);
    let mut table = [_mm512_setzero_si512(); 2];
    for direction in Direction::ALL {
        for (half, mask) in table.iter_mut().zip(halves(empty.step(direction))) {
            *half = _mm512_mask_add_epi8(*half, mask, *half, one);
        }
    }
    let [low, high] = halves(shared);
    let table = [_mm512_maskz_mov_epi8(low, table[0]), _mm512_maskz_mov_epi8(high, table[1])];

    let every_byte = |byte: u64| (byte * 0x0101_0101_0101_0101) as i64;
    let [a, b, c, d, e, f, g, h] = amazons.map(|square| every_byte(square.index() as u64));
    let mut places = _mm512_setr_epi64(a, b, c, d, e, f, g, h);
    let steps = Direction::ALL.map(|direction| {
        let (distance, up) = direction.shift();
        if up { distance as u8 } else { (distance as u8).wrapping_neg() }
    });
    let steps = _mm512_set1_epi64(i64::from_le_bytes(steps));
    let mut alive = !0;
    let mut sums = _mm512_setzero_si512();
    for _ in 0..LONGEST_RAY {
        places = _mm512_add_epi8(places, steps);
        let found = _mm512_maskz_permutex2var_epi8(alive, table[0], places, table[1]);
        alive = _mm512_test_epi8_mask(found, found);
        // Doubling what was found before leaves each square with half the share of the one before.
        let doubled = _mm512_add_epi64(sums, sums);
        sums = _mm512_add_epi64(doubled, _mm512_sad_epu8(found, _mm512_setzero_si512()));
    }
    let mut result = [0; GROUP];
    let narrow = _mm512_cvtepi64_epi32(sums);
    // SAFETY: the target is 32 bytes long and need not be aligned.
    unsafe { _mm256_storeu_si256(result.as_mut_ptr().cast(), narrow) }
    result
}

/// [`Bitboard::neighbours`], looked up.
#[inline(always)]
pub(super) fn neighbours(square: Square) -> Bitboard {
    static NEIGHBOURS: [Bitboard; Square::INDICES] = {
        let mut table = [Bitboard::EMPTY; Square::INDICES];
        let mut rank = 0;
        while rank < MAX_SIZE {
            let mut file = 0;
            while file < MAX_SIZE {
                let square = Square::new(file, rank);
                table[square.index()] = Bitboard::neighbours(square);
                file += 1;
            }
            rank += 1;
        }
        table
    };
    NEIGHBOURS[square.index()]
}

/// The number of empty squares around a square.
#[inline(always)]
pub(super) fn room(position: &Position, square: Square) -> usize {
    (neighbours(square) & position.empty()).count() as usize
}

/// The number of king steps between two squares of an empty board, less one, as an index.
#[inline(always)]
pub(super) fn length(from: Square, to: Square) -> usize {
    let files = from.file().abs_diff(to.file());
    let ranks = from.rank().abs_diff(to.rank());
    usize::from(files.max(ranks).max(1) - 1)
}
