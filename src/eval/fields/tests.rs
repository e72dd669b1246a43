//! All kernels against each other and against a search square by square.

use super::*;
use crate::amazons::{Position, Symmetry};
use crate::eval::samples;

/// The distance of `side` from every square by a breadth-first search on a plain array: one move
/// is a ray of up to `reach` squares.
fn slow_distances(position: &Position, side: Colour, reach: i32) -> [[usize; 10]; 10] {
    let mut distances = [[0; 10]; 10];
    let mut front: Vec<Square> = position.amazons(side).into_iter().collect();
    let mut distance = 0;
    while !front.is_empty() {
        distance += 1;
        let mut next = Vec::new();
        for from in front {
            for (dx, dy) in [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)] {
                for steps in 1..=reach {
                    let x = i32::from(from.file()) + steps * dx;
                    let y = i32::from(from.rank()) + steps * dy;
                    if !(0..10).contains(&x) || !(0..10).contains(&y) {
                        break;
                    }
                    let square = Square::new(x as u8, y as u8);
                    if !position.empty().contains(square) {
                        break;
                    }
                    let known = &mut distances[y as usize][x as usize];
                    if *known == 0 {
                        *known = distance;
                        next.push(square);
                    }
                }
            }
        }
        front = next;
    }
    distances
}

fn assert_slow(layers: &Layers, position: &Position, reach: i32) {
    let mut greatest = 0;
    for side in Colour::BOTH {
        let slow = slow_distances(position, side, reach);
        for square in Square::all() {
            let distance = slow[square.rank() as usize][square.file() as usize];
            let expected = (distance > 0).then_some(distance.min(MAX_DISTANCE));
            assert_eq!(layers.distance(side, square), expected, "{square} {side} {position:?}");
            greatest = greatest.max(distance);
        }
    }
    assert_eq!(layers.levels(), greatest.min(MAX_DISTANCE), "{position:?}");
}

#[test]
fn every_kernel_agrees_with_a_search_on_arrays() {
    for number in 0..3000 {
        let position = samples::position(number);
        let mut portable = Fields::default();
        Kernel::PORTABLE.fill(&position, &mut portable);
        assert_slow(&portable.queen, &position, 9);
        assert_slow(&portable.king, &position, 1);
        // Not a fresh one: what is left of an earlier position must not matter.
        let mut fields = Fields::default();
        Kernel::PORTABLE.fill(&samples::position(number + 1), &mut fields);
        for kernel in Kernel::available() {
            kernel.fill(&position, &mut fields);
            assert_eq!(fields, portable, "{kernel} {position:?}");
        }
    }
}

#[test]
fn kernels_agree_over_many_positions() {
    let [mut fields, mut portable] = [Fields::default(), Fields::default()];
    for number in 10_000..60_000 {
        let position = samples::position(number);
        Kernel::PORTABLE.fill(&position, &mut portable);
        for kernel in Kernel::available() {
            kernel.fill(&position, &mut fields);
            assert_eq!(fields, portable, "{kernel} {position:?}");
        }
    }
}

/// A corridor of one square's width that winds over the whole board: rows 1, 3, 5, 7 and 9 open,
/// joined at alternate ends. A single amazon in its corner has 10 squares of the first row to
/// itself, and needs a queen move for each straight.
#[test]
fn distances_beyond_the_last_layer_join_it() {
    let mut arrows = Bitboard::EMPTY;
    for rank in [1, 3, 5, 7] {
        for file in 0..10 {
            let door = if rank % 4 == 1 { 9 } else { 0 };
            if file != door {
                arrows |= Bitboard::from(Square::new(file, rank));
            }
        }
    }
    let amazon = Bitboard::from(Square::new(0, 0));
    let position =
        Position::new(10, 9, [amazon, Bitboard::EMPTY], arrows, Colour::White).expect("legal");
    for kernel in Kernel::available() {
        let mut fields = Fields::default();
        kernel.fill(&position, &mut fields);
        // Five rows and four doors, less the amazon's own square.
        assert_eq!(fields.king.reachable(Colour::White).count(), 5 * 10 + 4 - 1);
        assert_eq!(fields.king.levels(), MAX_DISTANCE);
        // Along a row, then through the door: nine straights; a diagonal step into and out of a
        // door saves nothing.
        assert_eq!(fields.queen.levels(), 9, "{kernel}");
        assert_eq!(fields.king.within(Colour::White, 4).count(), 4);
        assert_eq!(fields.king.within(Colour::White, 9).count(), 9 + 1);
        assert!(fields.queen.reachable(Colour::Black).is_empty());
    }
}

#[test]
fn symmetric_positions_have_symmetric_fields() {
    let kernel = Kernel::best();
    let [mut fields, mut turned] = [Fields::default(), Fields::default()];
    for number in 0..500 {
        let position = samples::position(number);
        kernel.fill(&position, &mut fields);
        for symmetry in Symmetry::ALL {
            kernel.fill(&symmetry.position(&position), &mut turned);
            let map = |set: Bitboard| {
                let turn = |square| symmetry.square(square, position.files(), position.ranks());
                set.into_iter().map(turn).collect::<Bitboard>()
            };
            for (here, there) in [(&fields.queen, &turned.queen), (&fields.king, &turned.king)] {
                assert_eq!(here.levels(), there.levels());
                for (distance, side) in
                    (1..=here.levels()).flat_map(|d| Colour::BOTH.map(|c| (d, c)))
                {
                    assert_eq!(map(here.within(side, distance)), there.within(side, distance));
                }
            }
        }
    }
}

#[test]
fn queen_moves_of_squares_are_those_of_the_rules() {
    for number in 0..2000 {
        let position = samples::position(number);
        for kernel in Kernel::available() {
            let mut moves = [Bitboard::EMPTY; Square::INDICES];
            kernel.queen_moves(position.board(), position.empty(), &mut moves);
            for square in position.board() {
                assert_eq!(moves[square.index()], position.queen_targets(square), "{kernel}");
            }
        }
    }
}
