//! Perft: the number of lines of play of a given number of turns, the usual test of move
//! generation and of its speed.
//!
//! The moves of the last turn are counted without being listed, and those of the turn before it
//! change nothing but the lines through three squares. All turns before those are played on
//! positions, side by side on all cores of the rayon pool that the caller is in.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::lines::Lines;
use super::position::Position;
use super::step::Move;

/// The number of lines of `depth` whole turns; 1 for none.
///
/// A position whose arrow is pending has no moves, and no lines but the empty one.
pub fn perft(position: &Position, depth: u32) -> u64 {
    count(position, depth, &AtomicBool::new(false)).expect("nothing stops it")
}

/// For each legal move, in their usual order, the number of lines of `depth` turns that begin with
/// it; nothing for a depth of 0.
pub fn divide(position: &Position, depth: u32) -> Vec<(Move, u64)> {
    divide_until(&AtomicBool::new(false), position, depth, |_, _| {})
}

/// [`divide`] for long work: calls `counted` for each move as soon as it is done, from any thread,
/// and ends within milliseconds when `stop` is set, with the moves that are done by then.
pub fn divide_until(
    stop: &AtomicBool,
    position: &Position,
    depth: u32,
    counted: impl Fn(Move, u64) + Sync,
) -> Vec<(Move, u64)> {
    let Some(below) = depth.checked_sub(1) else { return Vec::new() };
    let count_move = |mv| {
        let lines = count(&after(position, mv), below, stop)?;
        counted(mv, lines);
        Some((mv, lines))
    };
    position.legal_moves().into_par_iter().filter_map(count_move).collect()
}

fn after(position: &Position, mv: Move) -> Position {
    let mut after = position.clone();
    after.play_move(mv);
    after
}

/// The number of lines, or nothing when `stop` was set meanwhile.
fn count(position: &Position, depth: u32, stop: &AtomicBool) -> Option<u64> {
    if stop.load(Ordering::Relaxed) {
        return None;
    }
    match depth {
        0 => Some(1),
        1 => Some(position.count_moves()),
        2 => Some(count_two_turns(position)),
        _ => position
            .legal_moves()
            .into_par_iter()
            .map(|mv| count(&after(position, mv), depth - 1, stop))
            .sum(),
    }
}

/// The lines of two turns. What the first one changes for the second are its three squares; the
/// amazons of the side that plays the second stay where they are.
fn count_two_turns(position: &Position) -> u64 {
    let repliers = position.amazons(!position.side_to_move());
    let mut lines = Lines::new(position.empty());
    let mut moves = 0;
    position.for_each_move(|Move { from, to, arrow }| {
        let open = position.empty().with(from).without(to).without(arrow);
        for square in [from, to, arrow] {
            lines.toggle(square);
        }
        moves += lines.count_moves(repliers, open);
        for square in [from, to, arrow] {
            lines.toggle(square);
        }
    });
    moves
}
