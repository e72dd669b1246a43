//! Scores of positions that can be counted by hand.

use otrera::amazons::{Position, Step};
use otrera::endgame::{Filling, Score, score};
use otrera::game::Colour;

use crate::reference::winner;

const BUDGET: u64 = 10_000;

fn scored(fen: &str) -> Score {
    score(&Position::from_fen(fen).unwrap(), BUDGET)
}

#[test]
fn regions_add_up_for_their_owners() {
    let score = scored("**1**Q1*/********/2Q*2q* w");
    assert_eq!(score.regions.len(), 3);
    assert_eq!(score.moves_left, [3, 2].map(Filling::exactly));
    assert_eq!((score.contested, score.settled), (0, true));
    assert_eq!(score.ahead(), Some(Colour::White));
    assert_eq!(winner(score.proof.unwrap().outcome), Colour::White);
}

#[test]
fn contested_ground_belongs_to_nobody() {
    let score = scored("Q2q/****/3Q w");
    assert_eq!(score.moves_left, [3, 0].map(Filling::exactly));
    assert_eq!((score.contested, score.settled), (2, false));
    assert_eq!(score.regions[1].filling, None);
    // Three moves for certain against the two that Black can make at most.
    assert_eq!(winner(score.proof.unwrap().outcome), Colour::White);
}

#[test]
fn the_start_is_undecided() {
    let score = score(&Position::start(), BUDGET);
    assert_eq!(score.regions.len(), 1);
    assert_eq!((score.contested, score.settled), (92, false));
    assert_eq!(score.moves_left, [Filling::default(); 2]);
    assert_eq!((score.ahead(), score.proof), (None, None));
}

#[test]
fn a_defect_counts() {
    // The amazon on b2 fills one of the corners a1 and c1 and no more.
    let score = scored("*Q*/1*1/***/1q* b");
    assert_eq!(score.moves_left, [1, 1].map(Filling::exactly));
    assert_eq!(score.ahead(), None);
    assert_eq!(winner(score.proof.unwrap().outcome), Colour::White);
}

#[test]
fn with_an_arrow_pending_the_moves_after_it_count() {
    let mut position = Position::from_fen("Q2*q1 w").unwrap();
    position.play(Step::Queen { from: "a1".parse().unwrap(), to: "b1".parse().unwrap() });
    let score = score(&position, BUDGET);
    assert_eq!(score.moves_left, [1, 1].map(Filling::exactly));
    // After the arrow Black has as many moves as White and is to play: it runs out first.
    let proof = score.proof.unwrap();
    assert_eq!((winner(proof.outcome), proof.turns), (Colour::White, 3));
}
