//! The fields with AVX2: every direction of one side at once.
//!
//! The same fills as with AVX-512, where they are explained; here a register holds four words, one
//! of a board for each of the four directions, and the two sides take turns.

use std::arch::x86_64::*;

use super::{Fields, Layers, MAX_DISTANCE, Work};
use crate::amazons::{Bitboard, Square};

/// Four boards, one for each direction: their lower words and their upper words.
#[derive(Clone, Copy)]
struct Boards {
    low: __m256i,
    high: __m256i,
}

/// The empty squares, and those at the end of a run of two and of four of them, for a fill that
/// goes up and for one that goes down in bit order.
struct Runs {
    single: Boards,
    up2: Boards,
    up4: Boards,
    down2: Boards,
    down4: Boards,
}

/// The bits from one square to the `squares`-th after it, in each of the four directions.
#[inline]
#[target_feature(enable = "avx2")]
fn shift(squares: i64) -> __m256i {
    _mm256_setr_epi64x(squares, 11 * squares, 12 * squares, 10 * squares)
}

/// Runs a piece of work with the instructions of this file and those that came before them.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn run<W: Work>(work: W) -> W::Output {
    work.run()
}

/// Computes the fields of amazons of both colours on a board with these empty squares.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn fill(amazons: [Bitboard; 2], empty: Bitboard, fields: &mut Fields) {
    let pieces = [words(amazons[0]), words(amazons[1])];
    let open = words(empty);
    let runs = Runs::of(Boards::all(open));
    let reachable = if runs.of_eight() {
        fill_queen::<true>(pieces, open, &runs, &mut fields.queen)
    } else {
        fill_queen::<false>(pieces, open, &runs, &mut fields.queen)
    };
    fill_king(pieces, open, reachable, &mut fields.king);
}

/// Breadth first; gives what can be reached at all. `LONG` when some line has eight empty squares
/// in a row.
#[inline]
#[target_feature(enable = "avx2")]
fn fill_queen<const LONG: bool>(
    pieces: [__m128i; 2],
    open: __m128i,
    runs: &Runs,
    queen: &mut Layers,
) -> __m256i {
    let [mut white, mut black] = pieces;
    let mut before = _mm256_setzero_si256();
    store(&mut queen.within[0], before);
    queen.levels = 0;
    loop {
        white = queen_moves::<LONG>(white, open, runs);
        black = queen_moves::<LONG>(black, open, runs);
        let reached = _mm256_set_m128i(black, white);
        if equal(reached, before) {
            return reached;
        }
        // Past the last layer, everything joins it.
        queen.levels = (queen.levels + 1).min(MAX_DISTANCE);
        store(&mut queen.within[queen.levels], reached);
        before = reached;
    }
}

/// In the end kings reach the same squares as queens; it takes them longer.
#[inline]
#[target_feature(enable = "avx2")]
fn fill_king(pieces: [__m128i; 2], open: __m128i, reachable: __m256i, king: &mut Layers) {
    let open = _mm256_set_m128i(open, open);
    let mut kings = _mm256_set_m128i(pieces[1], pieces[0]);
    let mut reached = _mm256_setzero_si256();
    let mut level = 0;
    store(&mut king.within[0], reached);
    while level < MAX_DISTANCE && !equal(reached, reachable) {
        level += 1;
        kings = king_moves(kings, open);
        store(&mut king.within[level], kings);
        reached = kings;
    }
    store(&mut king.within[level], reachable);
    king.levels = level;
}

/// The queen moves over `open` of each of these squares.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn queen_moves_of_each(
    squares: Bitboard,
    open: Bitboard,
    moves: &mut [Bitboard; Square::INDICES],
) {
    let open = words(open);
    let runs = Runs::of(Boards::all(open));
    for square in squares {
        let reached = queen_moves::<true>(words(square.into()), open, &runs);
        let low = _mm_cvtsi128_si64(reached) as u64;
        let high = _mm_cvtsi128_si64(_mm_unpackhi_epi64(reached, reached)) as u64;
        let reached = Bitboard::from_bits(u128::from(high) << 64 | u128::from(low));
        moves[square.index()] = reached.without(square);
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn words(board: Bitboard) -> __m128i {
    _mm_set_epi64x((board.bits() >> 64) as i64, board.bits() as i64)
}

#[inline]
#[target_feature(enable = "avx2")]
fn equal(a: __m256i, b: __m256i) -> bool {
    _mm256_movemask_epi8(_mm256_cmpeq_epi64(a, b)) == -1
}

impl Runs {
    /// The runs of these empty squares, which are the same in all four boards.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn of(single: Boards) -> Runs {
        let up2 = single.and(single.up(shift(1)));
        let down2 = single.and(single.down(shift(1)));
        Runs {
            single,
            up2,
            up4: up2.and(up2.up(shift(2))),
            down2,
            down4: down2.and(down2.down(shift(2))),
        }
    }

    /// Whether some line has eight empty squares in a row.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn of_eight(&self) -> bool {
        let eight = self.up4.and(self.up4.up(shift(4)));
        let any = _mm256_or_si256(eight.low, eight.high);
        _mm256_testz_si256(any, any) == 0
    }
}

impl Boards {
    /// One board for all directions.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn all(board: __m128i) -> Boards {
        Boards {
            low: _mm256_broadcastq_epi64(board),
            high: _mm256_broadcastq_epi64(_mm_unpackhi_epi64(board, board)),
        }
    }

    /// Every board shifted up by its count, which is below 64.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn up(self, counts: __m256i) -> Boards {
        let carried = _mm256_srlv_epi64(self.low, _mm256_sub_epi64(_mm256_set1_epi64x(64), counts));
        Boards {
            low: _mm256_sllv_epi64(self.low, counts),
            high: _mm256_or_si256(_mm256_sllv_epi64(self.high, counts), carried),
        }
    }

    /// Every board shifted down by its count, which is below 64.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn down(self, counts: __m256i) -> Boards {
        let carried =
            _mm256_sllv_epi64(self.high, _mm256_sub_epi64(_mm256_set1_epi64x(64), counts));
        Boards {
            low: _mm256_or_si256(_mm256_srlv_epi64(self.low, counts), carried),
            high: _mm256_srlv_epi64(self.high, counts),
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn and(self, other: Boards) -> Boards {
        Boards {
            low: _mm256_and_si256(self.low, other.low),
            high: _mm256_and_si256(self.high, other.high),
        }
    }

    /// `self | mask & other`.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn or_and(self, mask: Boards, other: Boards) -> Boards {
        let more = other.and(mask);
        Boards {
            low: _mm256_or_si256(self.low, more.low),
            high: _mm256_or_si256(self.high, more.high),
        }
    }
}

/// The empty squares that queens on the squares of this set reach in a move, and those of the set
/// itself that are empty.
#[inline]
#[target_feature(enable = "avx2")]
fn queen_moves<const LONG: bool>(set: __m128i, open: __m128i, runs: &Runs) -> __m128i {
    let from = Boards::all(set);
    let mut up = from.or_and(runs.single, from.up(shift(1)));
    let mut down = from.or_and(runs.single, from.down(shift(1)));
    up = up.or_and(runs.up2, up.up(shift(2)));
    down = down.or_and(runs.down2, down.down(shift(2)));
    up = up.or_and(runs.up4, up.up(shift(4)));
    down = down.or_and(runs.down4, down.down(shift(4)));
    if LONG {
        up = up.or_and(runs.up2, up.up(shift(2)));
        down = down.or_and(runs.down2, down.down(shift(2)));
    }
    let low = _mm256_or_si256(up.low, down.low);
    let high = _mm256_or_si256(up.high, down.high);
    let pairs = _mm256_or_si256(_mm256_unpacklo_epi64(low, high), _mm256_unpackhi_epi64(low, high));
    let all = _mm_or_si128(_mm256_castsi256_si128(pairs), _mm256_extracti128_si256::<1>(pairs));
    _mm_and_si128(all, open)
}

/// The empty squares on or beside the squares of these two sets.
#[inline]
#[target_feature(enable = "avx2")]
fn king_moves(sets: __m256i, open: __m256i) -> __m256i {
    let column = _mm256_or_si256(sets, _mm256_or_si256(up::<11, 53>(sets), down::<11, 53>(sets)));
    let sides = _mm256_or_si256(up::<1, 63>(column), down::<1, 63>(column));
    _mm256_and_si256(_mm256_or_si256(column, sides), open)
}

/// Both boards shifted up; `REST` is what `COUNT` lacks to 64.
#[inline]
#[target_feature(enable = "avx2")]
fn up<const COUNT: i32, const REST: i32>(sets: __m256i) -> __m256i {
    let carried = _mm256_srli_epi64::<REST>(_mm256_bslli_epi128::<8>(sets));
    _mm256_or_si256(_mm256_slli_epi64::<COUNT>(sets), carried)
}

/// Both boards shifted down; `REST` is what `COUNT` lacks to 64.
#[inline]
#[target_feature(enable = "avx2")]
fn down<const COUNT: i32, const REST: i32>(sets: __m256i) -> __m256i {
    let carried = _mm256_slli_epi64::<REST>(_mm256_bsrli_epi128::<8>(sets));
    _mm256_or_si256(_mm256_srli_epi64::<COUNT>(sets), carried)
}

/// Writes two boards.
#[inline]
#[target_feature(enable = "avx")]
fn store(to: &mut [u128; 2], sets: __m256i) {
    // SAFETY: the target is 32 bytes long and need not be aligned.
    unsafe { _mm256_storeu_si256(std::ptr::from_mut(to).cast(), sets) }
}
