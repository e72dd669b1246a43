//! Regions against a flood over cells.

use std::collections::BTreeSet;

use otrera::amazons::{Bitboard, Position};
use otrera::game::Colour;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::reference::{Cell, cells, squares};

/// The components of cells, in the order of their lowest cells by rank and file.
fn components(mut rest: BTreeSet<Cell>) -> Vec<BTreeSet<Cell>> {
    let mut found = Vec::new();
    while let Some(&first) = rest.iter().min_by_key(|&&(file, rank)| (rank, file)) {
        let mut component = BTreeSet::new();
        let mut fresh = vec![first];
        while let Some(cell) = fresh.pop() {
            if rest.remove(&cell) {
                component.insert(cell);
                for file in -1..=1 {
                    fresh.extend((-1..=1).map(|rank| (cell.0 + file, cell.1 + rank)));
                }
            }
        }
        found.push(component);
    }
    found
}

fn check(position: &Position) {
    let open = cells(position.board().minus(position.arrows()));
    let expected: Vec<Bitboard> = components(open).iter().map(squares).collect();
    let regions: Vec<_> = position.regions().collect();
    assert_eq!(regions.iter().map(|region| region.squares()).collect::<Vec<_>>(), expected);

    let mut one_sided = [Bitboard::EMPTY; 2];
    for region in &regions {
        let present =
            Colour::BOTH.map(|side| !(position.amazons(side) & region.squares()).is_empty());
        for side in Colour::BOTH {
            assert_eq!(region.amazons(side), position.amazons(side) & region.squares());
        }
        assert_eq!(region.empty(), position.empty() & region.squares());
        assert_eq!(region.is_contested(), present == [true, true]);
        let owner = match present {
            [true, false] => Some(Colour::White),
            [false, true] => Some(Colour::Black),
            _ => None,
        };
        assert_eq!(region.owner(), owner);
        if let Some(owner) = owner {
            one_sided[owner.index()] |= region.squares();
        }
    }
    for side in Colour::BOTH {
        assert_eq!(position.one_sided(side), one_sided[side.index()], "{position:?}");
    }
    assert_eq!(position.is_settled(), regions.iter().all(|region| !region.is_contested()));
}

#[test]
fn regions_are_components_of_squares_without_arrow() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    for _ in 0..60 {
        let mut position = Position::start();
        while let Some(&mv) = position.legal_moves().choose(&mut rng) {
            position.play_move(mv);
            check(&position);
        }
    }
}

#[test]
fn regions_of_sparse_boards() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    for _ in 0..3000 {
        let (files, ranks) = (rng.random_range(1..=10), rng.random_range(1..=10));
        let board = Bitboard::rectangle(files, ranks);
        let mut sets = [Bitboard::EMPTY; 3];
        for square in board {
            if let Some(set) = sets.get_mut(rng.random_range(0..5usize)) {
                *set = set.with(square);
            }
        }
        let [white, black, arrows] = sets;
        check(&Position::new(files, ranks, [white, black], arrows, Colour::White).unwrap());
    }
}
