//! The end of the game as the solver sees it: before the search, with a share of its time.

use std::time::{Duration, Instant};

use super::clock::Budget;
use super::report::Line;
use super::verdict::Verdict;
use super::worker::Task;
use crate::amazons::{Move, Position};
use crate::endgame::{Effort, Solver};
use crate::game::{Colour, Value};

/// With more contested squares than these a position is not tried.
const MOST_CONTESTED: u32 = 40;

/// Who wins is asked where the search is rather certain of it, or where nothing is known yet, with one
/// part in so many of the time or of the nodes.
const LIKELY: f32 = 0.75;
const SHARE: u32 = 6;

/// Where it is all but certain the choice matters little if that is right, and more is spent.
const CERTAIN: f32 = 0.9;
const SHARE_IF_CERTAIN: u32 = 2;

/// By how much a position is won is asked with another part.
const SHARE_FOR_MARGIN: u32 = 6;

/// The nodes that are spent where neither is limited.
const NODES: u64 = 50_000;

/// However few nodes a search may have, so many are there for the solver, so that what is solved at a
/// glance is played well.
const FEWEST_NODES: u64 = 2_000;

/// What the solver has found out.
pub(super) enum Finding {
    /// A won position, and the line to play.
    Win(Line),
    /// A lost position, and how that is said.
    Loss(Verdict),
}

/// Tries to solve a position in which something is contested. `value` is what the search thinks of it
/// so far, if anything, for the side to move.
pub(super) fn solve(
    position: &Position,
    solver: &mut Solver,
    task: &Task,
    value: Option<Value>,
) -> Option<Finding> {
    let share = match value.map(|value| value.get().abs()) {
        Some(certainty) if certainty < LIKELY => return None,
        Some(certainty) if certainty >= CERTAIN => SHARE_IF_CERTAIN,
        _ => SHARE,
    };
    let contested: u32 = position
        .regions()
        .filter(|region| region.is_contested())
        .map(|region| region.empty().count())
        .sum();
    if contested == 0 || contested > MOST_CONTESTED {
        return None;
    }
    let begun = Instant::now();
    let (nodes, time) = part(task, share);
    let mut is_enough = |_| task.control.is_stopped() || begun.elapsed() >= time;
    let side = position.side_to_move();
    let mut effort = Effort { nodes, is_enough: &mut is_enough };
    let winner = solver.solve(position, 0, &mut effort)?;
    let empty = position.empty().count() as u16;
    if winner != side {
        // Each turn takes a square, and the last one is the winner's.
        return Some(Finding::Loss(Verdict::Loss(empty & !1)));
    }
    let mut steps = solver.turn(position, 0, winner, &mut effort)?;
    let begun = Instant::now();
    let (nodes, time) = part(task, SHARE_FOR_MARGIN);
    let mut is_enough = |_| task.control.is_stopped() || begun.elapsed() >= time;
    let mut effort = Effort { nodes, is_enough: &mut is_enough };
    let against = if winner == Colour::White { -1 } else { 1 };
    for spare in 1.. {
        let surplus = against * spare;
        if solver.solve(position, surplus, &mut effort) != Some(winner) {
            break;
        }
        let Some(better) = solver.turn(position, surplus, winner, &mut effort) else { break };
        steps = better;
    }
    let moves = Move::whole_turns(&steps).collect();
    Some(Finding::Win(Line { moves, verdict: Verdict::Win(empty.saturating_sub(1) | 1) }))
}

/// One part in so many of the nodes and the time of a task.
fn part(task: &Task, share: u32) -> (u64, Duration) {
    match task.budget {
        Budget::Fixed(time) | Budget::Share { optimum: time, .. } if !task.ponder => {
            (u64::MAX, time / share)
        }
        _ => {
            let nodes = task.limits.nodes.map_or(NODES, |nodes| nodes / u64::from(share));
            (nodes.max(FEWEST_NODES), Duration::MAX)
        }
    }
}
