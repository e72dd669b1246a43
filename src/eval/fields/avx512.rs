//! The fields with AVX-512: every direction of both sides at once.
//!
//! A queen's move in one direction is an *occluded fill*: the set grows along the direction through
//! the empty squares. Kogge and Stone's parallel prefix does it in a few doubling stages: with
//! `run2` the squares that end a run of two empty squares, and so on,
//!
//! ```text
//! set |= empty & set << shift;  set |= run2 & set << 2 * shift;  set |= run4 & set << 4 * shift;
//! ```
//!
//! reach up to seven squares far, and one more stage with `run2` the nine that a board has. The
//! runs depend on the position alone, so all distances share them; the last stage is left out
//! where no line has eight empty squares in a row.
//!
//! A board of 110 bits is two words. Those of one register all hold the lower word of some board,
//! those of another all the upper, so that carrying bits from one word to the other is one double
//! shift (`vpshldvq`) and no shuffle. Eight boards go side by side: four directions of two sides.
//! King steps are done alongside, in what the ports have left.

use std::arch::x86_64::*;

use super::{Fields, MAX_DISTANCE, Work};
use crate::amazons::{Bitboard, Square};

/// Eight boards: their lower words and their upper words.
#[derive(Clone, Copy)]
pub(in crate::eval) struct Boards {
    pub low: __m512i,
    pub high: __m512i,
}

/// `a | b & c` as a table for `vpternlog`.
const OR_AND: i32 = 0b1111_1000;
/// `(a | b) & c`.
const EITHER_AND: i32 = 0b1010_1000;
/// `a | b | c`.
const OR3: i32 = 0b1111_1110;

/// The empty squares, and those at the end of a run of two and of four of them, for a fill that
/// goes up and for one that goes down in bit order.
struct Runs {
    single: Boards,
    up2: Boards,
    up4: Boards,
    down2: Boards,
    down4: Boards,
    /// One, two and four times the bits from one square to the next. The eight boards are two of
    /// White, two of Black, and again, each two with two directions.
    shift1: __m512i,
    shift2: __m512i,
    shift4: __m512i,
}

/// Runs a piece of work with the instructions of this file and those that came before them.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512vnni")]
pub(super) fn run<W: Work>(work: W) -> W::Output {
    work.run()
}

/// Computes the fields of amazons of both colours on a board with these empty squares.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512vnni")]
pub(super) fn fill(amazons: [Bitboard; 2], empty: Bitboard, fields: &mut Fields) {
    let [white, black] = amazons.map(words);
    let (low, high) = words(empty);
    let runs = Runs::of(Boards { low: _mm512_set1_epi64(low), high: _mm512_set1_epi64(high) });
    let pieces = _mm256_set_epi64x(black.1, black.0, white.1, white.0);
    let open = _mm256_set_epi64x(high, low, high, low);
    if runs.of_eight() {
        fill_layers::<true>(pieces, open, &runs, fields);
    } else {
        fill_layers::<false>(pieces, open, &runs, fields);
    }
}

/// The queen moves over `open` of each of these squares, two at a time.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512vnni")]
pub(super) fn queen_moves_of_each(
    squares: Bitboard,
    open: Bitboard,
    moves: &mut [Bitboard; Square::INDICES],
) {
    let (low, high) = words(open);
    let runs = Runs::of(Boards { low: _mm512_set1_epi64(low), high: _mm512_set1_epi64(high) });
    let open = _mm512_broadcast_i64x4(_mm256_set_epi64x(high, low, high, low));
    let mut squares = squares.into_iter();
    while let Some(first) = squares.next() {
        let second = squares.next().unwrap_or(first);
        let [one, other] = [words(first.into()), words(second.into())];
        let sets = _mm512_broadcast_i64x4(_mm256_set_epi64x(other.1, other.0, one.1, one.0));
        let reached = queen_moves::<true>(sets, open, &runs);
        let mut pair = [0; 2];
        store(&mut pair, _mm512_castsi512_si256(reached));
        moves[first.index()] = Bitboard::from_bits(pair[0]).without(first);
        moves[second.index()] = Bitboard::from_bits(pair[1]).without(second);
    }
}

#[inline]
fn words(board: Bitboard) -> (i64, i64) {
    (board.bits() as i64, (board.bits() >> 64) as i64)
}

/// Breadth first. `LONG` when some line has eight empty squares in a row.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512vbmi2")]
fn fill_layers<const LONG: bool>(pieces: __m256i, open: __m256i, runs: &Runs, fields: &mut Fields) {
    let (queen, king) = (&mut fields.queen, &mut fields.king);
    let open_twice = _mm512_broadcast_i64x4(open);
    let mut queens = _mm512_broadcast_i64x4(pieces);
    let mut kings = pieces;
    let [mut queens_before, mut kings_before] = [_mm256_setzero_si256(); 2];
    store(&mut queen.within[0], queens_before);
    store(&mut king.within[0], kings_before);
    let mut level = 0;
    loop {
        queens = queen_moves::<LONG>(queens, open_twice, runs);
        kings = king_moves(kings, open);
        let reached = _mm512_castsi512_si256(queens);
        if _mm256_cmpneq_epi64_mask(reached, queens_before) == 0 {
            break;
        }
        // Past the last layer, everything joins it.
        level = (level + 1).min(MAX_DISTANCE);
        store(&mut queen.within[level], reached);
        store(&mut king.within[level], kings);
        (queens_before, kings_before) = (reached, kings);
    }
    queen.levels = level;

    // In the end kings reach the same squares as queens; it takes them longer.
    let reachable = queens_before;
    kings = kings_before;
    while level < MAX_DISTANCE && _mm256_cmpneq_epi64_mask(kings, reachable) != 0 {
        level += 1;
        kings = king_moves(kings, open);
        store(&mut king.within[level], kings);
    }
    store(&mut king.within[level], reachable);
    king.levels = level;
}

impl Runs {
    /// The runs of these empty squares, which are the same in all eight boards.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512vbmi2")]
    fn of(single: Boards) -> Runs {
        let shift1 = _mm512_setr_epi64(1, 11, 1, 11, 12, 10, 12, 10);
        let shift2 = _mm512_add_epi64(shift1, shift1);
        let shift4 = _mm512_add_epi64(shift2, shift2);
        let up2 = single.and(single.up(shift1));
        let down2 = single.and(single.down(shift1));
        Runs {
            single,
            up2,
            up4: up2.and(up2.up(shift2)),
            down2,
            down4: down2.and(down2.down(shift2)),
            shift1,
            shift2,
            shift4,
        }
    }

    /// Whether some line has eight empty squares in a row.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512vbmi2")]
    fn of_eight(&self) -> bool {
        let eight = self.up4.and(self.up4.up(self.shift4));
        let any = _mm512_or_si512(eight.low, eight.high);
        _mm512_test_epi64_mask(any, any) != 0
    }
}

impl Boards {
    /// Every board shifted up by its count, which is below 64.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vbmi2")]
    pub fn up(self, counts: __m512i) -> Boards {
        Boards {
            low: _mm512_sllv_epi64(self.low, counts),
            high: _mm512_shldv_epi64(self.high, self.low, counts),
        }
    }

    /// Every board shifted down by its count, which is below 64.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vbmi2")]
    pub fn down(self, counts: __m512i) -> Boards {
        Boards {
            low: _mm512_shrdv_epi64(self.low, self.high, counts),
            high: _mm512_srlv_epi64(self.high, counts),
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub fn and(self, other: Boards) -> Boards {
        Boards {
            low: _mm512_and_si512(self.low, other.low),
            high: _mm512_and_si512(self.high, other.high),
        }
    }

    /// `self | mask & other`.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub fn or_and(self, mask: Boards, other: Boards) -> Boards {
        Boards {
            low: _mm512_ternarylogic_epi64::<OR_AND>(self.low, mask.low, other.low),
            high: _mm512_ternarylogic_epi64::<OR_AND>(self.high, mask.high, other.high),
        }
    }
}

/// The empty squares that queens on the squares of these sets reach in a move, and those of the
/// sets themselves that are empty. Sets come and go as white, black, white, black, each two words
/// side by side.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512vbmi2")]
fn queen_moves<const LONG: bool>(sets: __m512i, open: __m512i, runs: &Runs) -> __m512i {
    let from =
        Boards { low: _mm512_unpacklo_epi64(sets, sets), high: _mm512_unpackhi_epi64(sets, sets) };
    let mut up = from.or_and(runs.single, from.up(runs.shift1));
    let mut down = from.or_and(runs.single, from.down(runs.shift1));
    up = up.or_and(runs.up2, up.up(runs.shift2));
    down = down.or_and(runs.down2, down.down(runs.shift2));
    up = up.or_and(runs.up4, up.up(runs.shift4));
    down = down.or_and(runs.down4, down.down(runs.shift4));
    if LONG {
        up = up.or_and(runs.up2, up.up(runs.shift2));
        down = down.or_and(runs.down2, down.down(runs.shift2));
    }
    let low = _mm512_or_si512(up.low, down.low);
    let high = _mm512_or_si512(up.high, down.high);
    let pairs = _mm512_or_si512(_mm512_unpacklo_epi64(low, high), _mm512_unpackhi_epi64(low, high));
    let swapped = _mm512_shuffle_i64x2::<0b01_00_11_10>(pairs, pairs);
    _mm512_ternarylogic_epi64::<EITHER_AND>(pairs, swapped, open)
}

/// The empty squares on or beside the squares of these two sets.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512vbmi2")]
fn king_moves(sets: __m256i, open: __m256i) -> __m256i {
    let column = _mm256_ternarylogic_epi64::<OR3>(sets, up::<11>(sets), down::<11>(sets));
    let either = _mm256_or_si256(column, up::<1>(column));
    _mm256_ternarylogic_epi64::<EITHER_AND>(either, down::<1>(column), open)
}

/// Both boards shifted up.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512vbmi2")]
fn up<const COUNT: i32>(sets: __m256i) -> __m256i {
    _mm256_shldi_epi64::<COUNT>(sets, _mm256_bslli_epi128::<8>(sets))
}

/// Both boards shifted down.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512vbmi2")]
fn down<const COUNT: i32>(sets: __m256i) -> __m256i {
    _mm256_shrdi_epi64::<COUNT>(sets, _mm256_bsrli_epi128::<8>(sets))
}

/// Writes two boards.
#[inline]
#[target_feature(enable = "avx")]
fn store(to: &mut [u128; 2], sets: __m256i) {
    // SAFETY: the target is 32 bytes long and need not be aligned.
    unsafe { _mm256_storeu_si256(std::ptr::from_mut(to).cast(), sets) }
}
