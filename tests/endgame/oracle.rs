//! Values from elsewhere. `tests/data/endgame.json` is a copy of the project's collection of check
//! values; each part of it names its source.

use std::collections::BTreeSet;

use otrera::amazons::{Bitboard, Position, Square};
use otrera::endgame::{Filler, RegionProver, Shape};
use otrera::game::{Colour, Prover};
use serde_json::Value;

use crate::reference::{Cell, Games, position, squares, winner};

/// All check values.
pub fn oracle() -> Value {
    serde_json::from_str(include_str!("../data/endgame.json")).unwrap()
}

/// The rows of an entry, the top one first.
pub fn rows(value: &Value) -> Vec<String> {
    value["rows"].as_array().unwrap().iter().map(|row| row.as_str().unwrap().to_owned()).collect()
}

/// All king-connected sets of one to `size` cells, by size, each once for all its translations.
fn polyplets(size: usize) -> Vec<BTreeSet<Vec<Cell>>> {
    let mut by_size = vec![BTreeSet::from([vec![(0, 0)]])];
    for _ in 1..size {
        let mut larger = BTreeSet::new();
        for cells in by_size.last().unwrap() {
            for &(x, y) in cells {
                for (dx, dy) in (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| (dx, dy))) {
                    let next = (x + dx, y + dy);
                    if !cells.contains(&next) {
                        let mut grown = cells.clone();
                        grown.push(next);
                        let left = grown.iter().map(|cell| cell.0).min().unwrap();
                        let low = grown.iter().map(|cell| cell.1).min().unwrap();
                        let mut moved: Vec<Cell> =
                            grown.iter().map(|cell| (cell.0 - left, cell.1 - low)).collect();
                        moved.sort_unstable();
                        larger.insert(moved);
                    }
                }
            }
        }
        by_size.push(larger);
    }
    by_size
}

fn check_one_amazon_regions(sizes: std::ops::RangeInclusive<usize>) {
    let oracle = &oracle()["one_amazon_regions"];
    let number = |key: &str, size: usize| {
        let column = oracle["cells"].as_array().unwrap();
        let column = column.iter().position(|cells| cells.as_u64() == Some(size as u64)).unwrap();
        oracle[key][column].as_u64().unwrap() as usize
    };
    let polyplets = polyplets(*sizes.end());
    let mut filler = Filler::new(16);
    for size in sizes {
        let regions = &polyplets[size - 1];
        assert_eq!(regions.len(), number("regions", size));
        let mut by_loss = [0; 8];
        for region in regions {
            let ground = squares(&region.iter().copied().collect());
            for square in ground {
                let filling = filler.filling(&Shape::new(ground, square.into()), 100_000);
                by_loss[size - 1 - usize::from(filling.exact().unwrap())] += 1;
            }
        }
        assert_eq!(by_loss.iter().sum::<usize>(), number("placements", size));
        assert_eq!(by_loss[1..].iter().sum::<usize>(), number("defective", size));
        if size == 7 {
            for (loss, placements) in oracle["moves_lost_at_7_cells"].as_object().unwrap() {
                let loss: usize = loss.parse().unwrap();
                assert_eq!(Some(by_loss[loss] as u64), placements.as_u64());
            }
            assert_eq!(by_loss[4..], [0; 4]);
        }
    }
}

#[test]
fn one_amazon_regions_up_to_seven_cells() {
    check_one_amazon_regions(3..=7);
}

#[test]
#[ignore = "some seconds"]
fn one_amazon_regions_of_eight_cells() {
    check_one_amazon_regions(8..=8);
}

#[test]
fn one_amazon_fills_a_strip_from_anywhere() {
    let mut filler = Filler::new(10);
    for length in 2..=10 {
        for (files, ranks) in [(length, 1), (1, length)] {
            let strip = Bitboard::rectangle(files, ranks);
            for square in strip {
                let filling = filler.filling(&Shape::new(strip, square.into()), 10_000);
                assert_eq!(filling.exact(), Some(length - 1));
            }
        }
    }
}

/// A strip with White's amazon at its left end and Black's at its right.
fn strip(gap: u8, side: Colour) -> Position {
    let [white, black] = [0, gap + 1].map(|file| Bitboard::from(Square::new(file, 0)));
    Position::new(gap + 2, 1, [white, black], Bitboard::EMPTY, side).unwrap()
}

#[test]
fn contested_strips_are_won_by_the_first_mover() {
    for gap in 1..=8 {
        for side in Colour::BOTH {
            let position = strip(gap, side);
            assert_eq!(Games::default().result(&position).0, side);
            if let Some(proof) = RegionProver::default().prove(&position, &mut Default::default()) {
                assert_eq!(winner(proof.outcome), side);
            }
        }
    }
}

#[test]
fn counting_by_reach_proves_nothing() {
    let oracle = &oracle()["unsound_count"];
    for (key, side) in [("white_to_move", Colour::White), ("black_to_move", Colour::Black)] {
        assert_eq!(oracle[key], "loss");
        let position = position(&rows(oracle), side);
        assert!(!position.is_settled());
        assert_eq!(Games::default().result(&position).0, !side);
        if let Some(proof) = RegionProver::default().prove(&position, &mut Default::default()) {
            assert_eq!(winner(proof.outcome), !side);
        }
    }
}

#[test]
fn proofs_agree_with_solved_positions() {
    let mut proven = 0;
    for entry in oracle()["outcomes"].as_array().unwrap() {
        for (key, side) in [("white_to_move", Colour::White), ("black_to_move", Colour::Black)] {
            let position = position(&rows(entry), side);
            let won = entry[key] == "win";
            if let Some(proof) = RegionProver::default().prove(&position, &mut Default::default()) {
                assert_eq!(winner(proof.outcome) == side, won, "{position:?}");
                proven += 1;
            }
        }
    }
    assert!(proven >= 80, "{proven}");
}
