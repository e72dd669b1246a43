//! What the player tells: whole moves, and verdicts for the side to move.

use std::time::Duration;

use super::verdict::Verdict;
use crate::amazons::{Move, Step};
use crate::game::Colour;
use crate::search;

/// What a search has found so far.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// The best lines, best first, each with another first move. Empty only when there is no legal
    /// move.
    pub lines: Vec<Line>,
    /// Positions evaluated.
    pub nodes: u64,
    /// Time since the search was asked for.
    pub elapsed: Duration,
    /// The deepest position looked at, in turns.
    pub seldepth: u32,
    /// The part of the memory that is in use, in permille.
    pub hashfull: u16,
    /// How many results were proven on the way.
    pub proofs: u64,
}

/// A line of play.
#[derive(Clone, PartialEq, Debug)]
pub struct Line {
    /// Its moves, at least one.
    pub moves: Vec<Move>,
    /// What the search thinks of it, for the side to move.
    pub verdict: Verdict,
}

impl Report {
    /// The report of a search whose side to move is `side`, made `elapsed` after it was asked for.
    pub(super) fn new(report: &search::Report<Step>, side: Colour, elapsed: Duration) -> Report {
        Report {
            lines: report.lines.iter().map(|line| Line::new(line, side)).collect(),
            nodes: report.nodes,
            elapsed,
            seldepth: report.seldepth,
            hashfull: report.hashfull,
            proofs: report.proofs,
        }
    }

    /// A report made without a search: of one line, or of none.
    pub(super) fn unsearched(line: Option<Line>, elapsed: Duration) -> Report {
        let lines = line.into_iter().collect();
        Report { lines, nodes: 0, elapsed, seldepth: 0, hashfull: 0, proofs: 0 }
    }

    /// The best move, unless there is no legal one.
    pub fn best(&self) -> Option<Move> {
        self.lines.first()?.moves.first().copied()
    }

    /// The reply that is expected to the best move.
    pub fn expected(&self) -> Option<Move> {
        self.lines.first()?.moves.get(1).copied()
    }
}

impl Line {
    fn new(line: &search::Line<Step>, side: Colour) -> Line {
        Line {
            moves: Move::whole_turns(&line.steps).collect(),
            verdict: Verdict::new(line.value, line.proof, side),
        }
    }
}
