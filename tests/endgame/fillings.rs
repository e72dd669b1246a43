//! Fillings against exhaustive search, and their own laws.

use std::collections::BTreeSet;

use otrera::amazons::{Bitboard, Position, Step, Symmetry};
use otrera::endgame::{Filler, Shape};
use otrera::game::Colour;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::reference::{Cell, Exhaustive, random_ground, random_part, squares};

/// Enough for every shape in these tests.
const PLENTY: u64 = 1_000_000;

/// Random ground, and amazons on it.
fn random_shapes(seed: u64, number: usize, size: usize) -> Vec<(BTreeSet<Cell>, BTreeSet<Cell>)> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    (0..number)
        .map(|_| {
            let size = rng.random_range(2..=size);
            let most_neighbours = rng.random_range(1..=4);
            let ground = random_ground(&mut rng, size, most_neighbours);
            let most = ground.len().min(3);
            let amazons = rng.random_range(1..=most);
            let amazons = random_part(&mut rng, &ground, amazons);
            (ground, amazons)
        })
        .collect()
}

fn shape(ground: &BTreeSet<Cell>, amazons: &BTreeSet<Cell>) -> Shape {
    Shape::new(squares(ground), squares(amazons))
}

#[test]
fn fillings_equal_exhaustive_search() {
    let mut filler = Filler::new(12);
    for (ground, amazons) in random_shapes(1, 3000, 10) {
        let expected = Exhaustive::new(&ground).filling(&amazons);
        let found = filler.filling(&shape(&ground, &amazons), PLENTY);
        assert_eq!(found.exact(), Some(expected), "{ground:?} {amazons:?}");
    }
}

#[test]
fn fillings_with_a_pending_arrow_equal_exhaustive_search() {
    let mut filler = Filler::new(12);
    for (ground, amazons) in random_shapes(2, 2000, 9) {
        for &shooter in &amazons {
            let expected = Exhaustive::new(&ground).filling_after_arrow(&amazons, shooter);
            let square = squares(&BTreeSet::from([shooter])).first();
            let shape = shape(&ground, &amazons).with_shooter(square);
            let found = filler.filling(&shape, PLENTY);
            // The other parts are as they were, so only a connected shape compares.
            if shape.parts().count() == 1 {
                assert_eq!(found.exact(), Some(expected), "{ground:?} {amazons:?} {shooter:?}");
            }
        }
    }
}

#[test]
fn bounds_enclose_the_filling_whatever_the_budget() {
    let mut inexact = 0;
    for (ground, amazons) in random_shapes(3, 1000, 10) {
        let expected = Exhaustive::new(&ground).filling(&amazons);
        let shape = shape(&ground, &amazons);
        for budget in [0, 1, 2, 3, 5, 10, 30] {
            let found = Filler::new(8).filling(&shape, budget);
            assert!(found.lower <= expected && expected <= found.upper, "{shape:?} {found:?}");
            inexact += usize::from(!found.is_exact());
            for target in 0..=ground.len() as u8 {
                let found = Filler::new(8).decide(&shape, target, budget);
                assert!(found.lower <= expected && expected <= found.upper, "{shape:?} {found:?}");
            }
        }
        for target in 0..=ground.len() as u8 {
            let found = Filler::new(8).decide(&shape, target, PLENTY);
            assert_eq!(found.lower >= target, expected >= target, "{shape:?} {target}");
            assert_eq!(found.upper < target, expected < target, "{shape:?} {target}");
        }
    }
    assert!(inexact > 1000, "these budgets should be small: {inexact}");
}

/// The board on which a shape is all that is open, with its side to move.
fn board(shape: &Shape) -> Position {
    let amazons = [shape.amazons(), Bitboard::EMPTY];
    Position::new(10, 10, amazons, !shape.squares(), Colour::White).unwrap()
}

#[test]
fn best_moves_play_a_whole_filling() {
    let mut filler = Filler::new(12);
    for (ground, amazons) in random_shapes(4, 400, 24) {
        let shape = shape(&ground, &amazons);
        let promised = filler.filling(&shape, PLENTY).lower;
        let mut position = board(&shape);
        let mut played = 0;
        while let Some(mv) = filler.best_move(&side_shape(&position), PLENTY) {
            // Every second move in two steps.
            if played % 2 == 0 {
                position.try_move(mv).unwrap();
            } else {
                position.play(Step::Queen { from: mv.from, to: mv.to });
                let pending = side_shape(&position).with_shooter(position.shooter());
                let arrow = filler.best_arrow(&pending, PLENTY).unwrap();
                assert!(position.is_legal_step(Step::Arrow(arrow)));
                position.play(Step::Arrow(arrow));
            }
            position = position.with_side_flipped().unwrap();
            played += 1;
        }
        assert_eq!(played, promised, "{shape:?}");
        assert!(!position.has_step());
    }
}

/// All that White has.
fn side_shape(position: &Position) -> Shape {
    Shape::new(position.open(), position.amazons(Colour::White))
}

#[test]
fn symmetric_shapes_have_equal_bounds() {
    for (ground, amazons) in random_shapes(5, 300, 30) {
        let shape = shape(&ground, &amazons);
        let position = board(&shape);
        for budget in [3, 20, 200] {
            let expected = Filler::new(10).filling(&shape, budget);
            for symmetry in Symmetry::ALL {
                let image = side_shape(&symmetry.position(&position));
                assert_eq!(Filler::new(10).filling(&image, budget), expected);
            }
        }
    }
}

#[test]
fn parts_add_up_and_the_dead_ones_count_nothing() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(6);
    let mut filler = Filler::new(12);
    for _ in 0..300 {
        let ground: BTreeSet<Cell> = (0..5)
            .flat_map(|rank| (0..5).map(move |file| (file, rank)))
            .filter(|_| rng.random_range(0..5) < 2)
            .take(11)
            .collect();
        let amazons = random_part(&mut rng, &ground, 2);
        let expected = Exhaustive::new(&ground).filling(&amazons);
        assert_eq!(filler.filling(&shape(&ground, &amazons), PLENTY).exact(), Some(expected));
    }
}

#[test]
fn trees_up_to_sixteen_squares() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
    let mut filler = Filler::new(12);
    let mut defective = 0;
    for _ in 0..300 {
        let ground = random_ground(&mut rng, 16, 1);
        let number = rng.random_range(1..=2);
        let amazons = random_part(&mut rng, &ground, number);
        let expected = Exhaustive::new(&ground).filling(&amazons);
        let found = filler.filling(&shape(&ground, &amazons), PLENTY);
        assert_eq!(found.exact(), Some(expected), "{ground:?} {amazons:?}");
        defective += u32::from(usize::from(expected) < ground.len() - amazons.len());
    }
    assert!(defective > 100, "{defective}");
}
