//! The terms of small positions by hand, and what must hold of every position.

use super::*;
use crate::amazons::{Bitboard, Square, Symmetry};
use crate::eval::samples;
use crate::game::{Colour, Game};

fn set(squares: &str) -> Bitboard {
    squares.split_whitespace().map(|name| name.parse::<Square>().expect("a square")).collect()
}

/// Equal but for rounding.
macro_rules! assert_near {
    ($found:expr, $expected:expr) => {
        let (found, expected): (f32, f32) = ($found, $expected);
        assert!((found - expected).abs() < 1e-4, "{found}, expected {expected}");
    };
}

fn terms(size: (u8, u8), white: &str, black: &str, arrows: &str) -> Terms {
    let amazons = [set(white), set(black)];
    let position =
        Position::new(size.0, size.1, amazons, set(arrows), Colour::White).expect("a position");
    Classical::default().explain(&position)
}

/// One rank, White on a1, Black on f1: b1 c1 d1 e1 are empty. Queen distance 1 for both
/// everywhere. King distances of White 1 2 3 4, of Black 4 3 2 1.
#[test]
fn terms_of_a_strip() {
    let found = terms((6, 1), "a1", "f1", "");
    let tie = found.weights.tie;
    assert_near!(found.queen_territory, 4.0 * tie); // four ties
    assert_near!(found.king_territory, 0.0); // two squares each
    assert_near!(found.queen_closeness, 0.0); // 2 * (4/2 - 4/2)
    assert_near!(found.king_closeness, 0.0); // (3 + 1 - 1 - 3) / 6
    assert_near!(found.phase, 4.0); // 2^0 for each of four
    assert_near!(found.mobility, 0.0);
}

/// One rank of eight: White on a1 and Black on e1, f1 g1 h1 behind it. b1 c1 d1 are shared, at
/// queen distance 1 of both; f1 g1 h1 are Black's alone, at distance 1.
#[test]
fn terms_with_squares_of_one_side() {
    let found = terms((8, 1), "a1", "e1", "");
    let tie = found.weights.tie;
    assert_near!(found.queen_territory, 3.0 * tie - 3.0);
    // King distances of White on b1 c1 d1: 1 2 3; of Black 3 2 1: one lead each, one tie.
    assert_near!(found.king_territory, 1.0 + tie - 1.0 - 3.0);
    // 2 * (3 * 1/2 - 6 * 1/2)
    assert_near!(found.queen_closeness, -3.0);
    // (2 + 0 - 2) / 6, and -1 for each square that only Black reaches.
    assert_near!(found.king_closeness, -3.0);
    assert_near!(found.phase, 3.0);
    // White's mobility on b1 c1 d1: empty neighbours 1 2 1, so 1/2 + 2/4 + 1/8 = 9/8. Black's on
    // d1 c1 b1 the same; f1 g1 h1 are out of White's reach and count nothing.
    assert_near!(found.mobility, 0.0);
}

/// Two ranks of three: White on a1, Black on c2, an arrow on b1.
///
/// ```text
/// 2 . . B
/// 1 W X .
/// ```
/// White: a2 and b2 are one queen move away, c1 is one more from b2. Black: b2, a2 and c1 are one
/// move away.
#[test]
fn terms_with_unequal_distances() {
    let found = terms((3, 2), "a1", "c2", "b1");
    let tie = found.weights.tie;
    assert_near!(found.queen_territory, 2.0 * tie - 1.0);
    // Kings: White a2 1, b2 1, c1 2; Black b2 1, c1 1, a2 2.
    assert_near!(found.king_territory, 1.0 + tie - 1.0);
    // 2 * (1/2 + 1/2 + 1/4 - 3/2)
    assert_near!(found.queen_closeness, -0.5);
    // (a2: 1, b2: 0, c1: -1) / 6
    assert_near!(found.king_closeness, 0.0);
    // a2 1, b2 1, c1 1/2
    assert_near!(found.phase, 2.5);
    // White: a2 has one empty neighbour (b2), b2 has two (a2, c1): 1/2 + 2/2 = 3/2.
    // Black: b2 two, then a2 one at two steps, c1 one: 2/2 + 1/4 + 1/2 = 7/4.
    let free = Weights::default().free_mobility;
    let penalty = |mobility: f32| (free / (free + mobility)) * (free / (free + mobility));
    assert_near!(found.mobility, penalty(1.75) - penalty(1.5));
}

/// A road along ranks 1 and 3, joined at the right end by the last square of rank 2.
#[test]
fn king_closeness_on_a_road() {
    let road = "a2 b2 c2 d2 e2";
    // White on one end, Black on the other: the road is its own mirror image.
    let found = terms((6, 3), "a1", "a3", road);
    assert_near!(found.king_closeness, 0.0);
    assert_near!(found.king_territory, found.weights.tie); // f2, at 5 steps of both
    // A Black amazon on b1 shuts White in: c1 to f1, f2 and b3 to f3 are Black's alone.
    let found = terms((6, 3), "a1", "a3 b1", road);
    assert_near!(found.king_closeness, -10.0);
    assert_near!(found.phase, 0.0);
    // White on a1, Black on f1. On b1 to e1 1 2 3 4 steps against 4 3 2 1, which sums to 0. On f2
    // 5 against 1, and the rest of the road is reached through there (e3 and f3 both at one step
    // from f2, then d3, c3, b3, a3), so that White is behind by 4 on seven squares.
    let found = terms((6, 3), "a1", "f1", road);
    assert_near!(found.king_closeness, -7.0 * 4.0 / 6.0);
}

/// The same road ten files long, where differences come to more than six.
#[test]
fn king_closeness_is_cut() {
    let road = "a2 b2 c2 d2 e2 f2 g2 h2 i2";
    // Rank 3 between a3 and h3: 6 5 4 3 2 1 steps of White against 1 2 3 4 5 6. What is beyond h3
    // is White's alone: i3 and j3, j2, and nine squares of rank 1.
    let found = terms((10, 3), "a1 h3", "a3", road);
    assert_near!(found.king_closeness, 12.0);
    // White on a1 against Black on a3 and h3. b3 to g3 are Black's alone. The others, as White's
    // and Black's steps: b1 1 10, c1 2 9, d1 3 8, e1 4 7, f1 5 6, g1 6 5, h1 7 4, i1 8 3, j1 9 3,
    // j2 9 2, i3 10 1, j3 10 2... of which b1, c1 and j2, i3, j3 are cut to six.
    let found = terms((10, 3), "a1", "a3 h3", road);
    let shared = [6, 6, 5, 3, 1, -1, -3, -5, -6, -6, -6, -6];
    assert_near!(found.king_closeness, -6.0 + shared.iter().sum::<i32>() as f32 / 6.0);
}

#[test]
fn colour_swap_gives_the_same_value_to_the_side_to_move() {
    let classical = Classical::default();
    let mut steps = Vec::new();
    for number in 0..2000 {
        let mut position = samples::position(number);
        if position.shooter().is_some() {
            continue;
        }
        let mut swapped = samples::colours_swapped(&position);
        assert_eq!(classical.explain(&position), classical.explain(&swapped));
        Game::steps(&position, &mut steps);
        if let Some(&step) = steps.get(number as usize % steps.len().max(1)) {
            position.play(step);
            swapped.play(step);
            assert_eq!(classical.explain(&position), classical.explain(&swapped));
        }
    }
}

#[test]
fn symmetric_positions_have_equal_values() {
    let classical = Classical::default();
    for number in 0..1000 {
        let position = samples::position(number);
        let terms = classical.explain(&position);
        for symmetry in Symmetry::ALL {
            assert_eq!(classical.explain(&symmetry.position(&position)), terms, "{position:?}");
        }
    }
}

/// Every kernel gives the same, also when its scratch has seen other positions, and `explain` is
/// the same computation.
#[test]
fn values_and_priors_do_not_depend_on_the_kernel() {
    let kernels: Vec<_> =
        Kernel::available().map(|kernel| Classical::new(kernel, Weights::default())).collect();
    let mut scratches = vec![Scratch::default(); kernels.len()];
    let (mut steps, mut weights, mut expected) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..2000 {
        let position = samples::position(number);
        Game::steps(&position, &mut steps);
        let value = kernels[0].explain(&position).value;
        assert!((-1.0..=1.0).contains(&value.get()), "{position:?}");
        for (classical, scratch) in kernels.iter().zip(&mut scratches) {
            assert_eq!(classical.value(&position, scratch), value);
            classical.priors(&position, &steps, scratch, &mut weights);
            if classical.kernel == Kernel::PORTABLE {
                expected.clone_from(&weights);
            }
            assert_eq!(weights, expected);
        }
        assert_eq!(weights.len(), steps.len());
        assert!(weights.iter().all(|&weight| weight.is_finite() && weight > 0.0), "{position:?}");
    }
}

#[test]
fn nothing_is_shared_where_the_phase_is_zero() {
    for number in 0..2000 {
        let position = samples::position(number);
        let found = Classical::default().explain(&position);
        let reach = Colour::BOTH.map(|side| position.amazons(side).grown().flood(position.empty()));
        assert_eq!(found.phase == 0.0, !reach[0].intersects(reach[1]), "{position:?}");
    }
}

#[test]
fn boards_with_nothing_on_them() {
    for (size, white, black, arrows) in [
        ((1, 1), "", "", ""),
        ((1, 1), "a1", "", ""),
        ((1, 1), "", "", "a1"),
        ((2, 1), "a1", "b1", ""),
        ((10, 10), "", "", ""),
        ((10, 10), "e5", "", ""),
        ((10, 10), "", "e5", ""),
    ] {
        let found = terms(size, white, black, arrows);
        assert!((-1.0..=1.0).contains(&found.value.get()), "{found:?}");
        assert_near!(found.phase, 0.0);
    }
}

/// What the paper asks of the weights.
#[test]
fn weights_keep_to_their_bounds() {
    let weights = Weights::default();
    for phase in weights.turn_start.iter().chain(&weights.arrow_pending) {
        let sum = phase.queen_territory
            + phase.queen_closeness
            + phase.king_closeness
            + phase.king_territory;
        assert_near!(sum, 1.0);
        assert!((0.0..=0.2).contains(&phase.tie));
    }
    for phases in [&weights.turn_start, &weights.arrow_pending] {
        assert_eq!(phases[0].queen_territory, 1.0);
        assert!(phases[..5].is_sorted_by(|a, b| a.queen_territory > b.queen_territory));
    }
}
