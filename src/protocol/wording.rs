//! What the engine finds, put into the words of the protocols.

use std::time::Duration;

use super::response::{Info, Response, Score};
use crate::amazons::{Move, Notation, Position};
use crate::endgame::{self, RegionScore};
use crate::engine::{Line, Report, Verdict, centipawns};
use crate::game::{Outcome, Proof};

/// A move as both dialects write it.
pub(super) fn move_text(mv: Move, position: &Position) -> String {
    mv.written(Notation::Uci, position)
}

/// The score of a line. A score of exactly nothing for a single move is never told: one client
/// takes it for a draw.
fn score(line: &Line) -> Score {
    match line.verdict {
        Verdict::Win(turns) => Score::WinIn(turns),
        Verdict::Loss(turns) => Score::LossIn(turns),
        Verdict::Estimate(value) => match centipawns(value) {
            0 if line.moves.len() == 1 => Score::Centipawns(1),
            cp => Score::Centipawns(cp),
        },
    }
}

/// The `info` lines of a report on `position`.
pub(super) fn infos(report: &Report, position: &Position, show_wdl: bool) -> Vec<Response> {
    if report.lines.is_empty() {
        let lost = Some(Score::LossIn(0));
        return vec![Response::Info(Info { depth: Some(0), score: lost, ..Info::default() })];
    }
    let info = |(index, line): (usize, &Line)| {
        Response::Info(Info {
            depth: Some(line.moves.len() as u32),
            seldepth: Some(report.seldepth.max(line.moves.len() as u32)),
            multipv: Some(index as u32 + 1),
            score: Some(score(line)),
            bound: None,
            wdl: show_wdl.then(|| line.verdict.wdl()),
            nodes: Some(report.nodes),
            nps: Some(per_second(report.nodes, report.elapsed)),
            hashfull: Some(report.hashfull),
            tbhits: Some(report.proofs),
            time: Some(report.elapsed),
            pv: line.moves.iter().map(|&mv| move_text(mv, position)).collect(),
        })
    };
    report.lines.iter().enumerate().map(info).collect()
}

fn per_second(nodes: u64, elapsed: Duration) -> u64 {
    let micros = elapsed.as_micros().max(1);
    u64::try_from(u128::from(nodes) * 1_000_000 / micros).unwrap_or(u64::MAX)
}

/// The end of a search.
pub(super) fn best_move(report: &Report, position: &Position) -> Response {
    let text = |mv| move_text(mv, position);
    Response::BestMove { best: report.best().map(text), expected: report.expected().map(text) }
}

/// The board with its coordinates, and all that tells the position from others.
pub(super) fn display(position: &Position) -> Vec<Response> {
    let diagram = position.diagram(|square| position.sign(square));
    let mut lines: Vec<String> = diagram.lines().map(str::to_owned).collect();
    lines.push(String::new());
    lines.push(format!("Fen: {}", position.fen()));
    lines.push(format!("Key: {:016X}", position.hash()));
    lines.push(format!("Moves: {}", position.count_moves()));
    lines.push(format!("To move: {}", position.side_to_move()));
    lines.into_iter().map(Response::Text).collect()
}

/// The lines that begin with each move, and their sum.
pub(super) fn counted(divided: &[(Move, u64)], depth: u32, position: &Position) -> Vec<Response> {
    let mut lines: Vec<String> = divided
        .iter()
        .map(|&(mv, count)| format!("{}: {count}", move_text(mv, position)))
        .collect();
    // The only line of no turns is the empty one.
    let sum = if depth == 0 { 1 } else { divided.iter().map(|&(_, count)| count).sum::<u64>() };
    lines.push(String::new());
    lines.push(format!("Nodes searched: {sum}"));
    lines.into_iter().map(Response::Text).collect()
}

/// Shapes that may be looked at for one filling: a second or so at the most.
const FILLING_BUDGET: u64 = 100_000;

/// The regions with amazons in them: whose they are, and how many moves are left.
pub(super) fn territory(position: &Position) -> Vec<Response> {
    let score = endgame::score(position, FILLING_BUDGET);
    let mut lines: Vec<String> = score.regions.iter().map(region_text).collect();
    let [white, black] = score.moves_left;
    lines.push(format!("Moves left for certain: white {white}, black {black}"));
    lines.push(if score.settled {
        "Settled: nothing is contested".to_owned()
    } else {
        format!("Contested: {} empty squares", score.contested)
    });
    lines.push(match score.proof {
        Some(Proof { outcome: Outcome::Win(winner), .. }) => format!("Proven: {winner} wins"),
        _ => "Proven: nothing".to_owned(),
    });
    lines.into_iter().map(Response::Text).collect()
}

/// A region, named by its first square.
fn region_text(part: &RegionScore) -> String {
    let region = &part.region;
    let name = region.squares().first().map(|square| square.to_string()).unwrap_or_default();
    let empty = region.empty().count();
    match (region.owner(), part.filling) {
        (Some(owner), Some(filling)) => {
            format!("Region of {name}: {owner}, empty squares {empty}, moves {filling}")
        }
        _ => format!("Region of {name}: contested, empty squares {empty}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Value;
    use crate::protocol::Dialect;

    fn report(moves: &[&str], verdict: Verdict) -> Report {
        let position = Position::start();
        let moves = moves.iter().map(|text| Move::read(text, &position).unwrap()).collect();
        Report {
            lines: vec![Line { moves, verdict }],
            nodes: 500,
            elapsed: Duration::from_millis(250),
            seldepth: 4,
            hashfull: 3,
            proofs: 0,
        }
    }

    fn printed(report: &Report, wdl: bool) -> String {
        let infos = infos(report, &Position::start(), wdl);
        infos.iter().map(|info| Dialect::Uci.print_response(info)).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_report_is_an_info_line() {
        let even = Verdict::Estimate(Value::EVEN);
        assert_eq!(
            printed(&report(&["d1-d7/g7", "d10-d8/d10"], even), true),
            "info depth 2 seldepth 4 multipv 1 score cp 0 wdl 500 0 500 nodes 500 nps 2000 \
             hashfull 3 tbhits 0 time 250 pv d1d7,d7g7 d10d8,d8d10"
        );
        assert!(printed(&report(&["d1-d7/g7"], Verdict::Win(3)), false).contains("score mate 2 "));
    }

    #[test]
    fn a_single_move_never_scores_exactly_nothing() {
        let even = Verdict::Estimate(Value::EVEN);
        assert!(printed(&report(&["d1-d7/g7"], even), false).contains("score cp 1 "));
    }

    #[test]
    fn no_legal_move_is_told_as_lost() {
        let nothing = Report { lines: Vec::new(), ..report(&["d1-d7/g7"], Verdict::Loss(0)) };
        assert_eq!(printed(&nothing, false), "info depth 0 score mate 0");
        let best = best_move(&nothing, &Position::start());
        assert_eq!(Dialect::Uci.print_response(&best), "bestmove (none)");
    }
}
