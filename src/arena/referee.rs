//! One game: the referee owns the board, the clocks and the verdict.
//!
//! No engine's word decides anything but its own moves. The referee checks every move, reads the
//! clocks, sees for itself that a side cannot move, and ends a game early only when the prover has
//! counted it out, or when both engines have agreed for some moves that one of them is lost.

use std::time::{Duration, Instant};

use super::cause::{Cause, Fault, capital};
use super::openings::Opening;
use super::player::{Answer, Halt, Player};
use super::time_control::Clock;
use crate::amazons::{Move, Notation, Position};
use crate::endgame::{RegionProver, RegionScratch};
use crate::game::{Colour, Game, Outcome, Prover};
use crate::protocol::{Score, Start};
use crate::record::{self, Ply, Record, Thought};

/// How games may end before the last move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    /// End a game when its result is proven.
    pub adjudicate: bool,
    /// End a game when both engines agree on its result.
    pub resign: Option<Resign>,
    /// After so many turns of each side a game is a draw.
    pub max_moves: Option<u32>,
}

/// When an engine is taken to resign.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Resign {
    /// The number of moves of each side in a row...
    pub moves: u32,
    /// ...in which one says at least this many centipawns, or a proven win, and the other as much
    /// the other way.
    pub score: i32,
}

/// A game that has an end.
#[derive(Clone, PartialEq, Debug)]
pub struct Finished {
    /// The moves, thoughts and result.
    pub record: Record,
    /// The result.
    pub outcome: Outcome,
    /// Why it is so.
    pub cause: Cause,
    /// The same in a sentence.
    pub explanation: String,
    /// The time both have used, in order of colour.
    pub used: [Duration; 2],
    /// The positions that both say they have evaluated.
    pub nodes: [u64; 2],
    /// What a player did wrong, if that ended the game.
    pub fault: Option<(Colour, Fault)>,
}

/// Why a game has no end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Abandoned {
    /// A player was not ready to begin.
    NeverStarted {
        /// Which one.
        side: Colour,
        /// What it did.
        fault: Fault,
    },
    /// The user wants the match to end.
    Interrupted,
}

/// A referee with what it needs for its proofs.
pub struct Referee {
    rules: Rules,
    prover: RegionProver,
    scratch: RegionScratch,
}

impl Referee {
    /// A referee for these rules.
    pub fn new(rules: Rules) -> Referee {
        Referee { rules, prover: RegionProver::default(), scratch: RegionScratch::default() }
    }

    /// Lets two players, in order of colour, play a game. `watch` is told of every position, with
    /// the move that led to it.
    ///
    /// # Errors
    /// When the game did not begin, or was interrupted.
    pub fn play(
        &mut self,
        players: [&mut Player; 2],
        opening: &Opening,
        watch: &mut dyn FnMut(&Position, &Ply),
    ) -> Result<Finished, Abandoned> {
        let mut table = Table::new(players, opening);
        table.begin()?;
        loop {
            if let Some(end) = self.end_on_the_board(&table) {
                return Ok(table.finish(end));
            }
            match table.turn() {
                Ok(ply) => watch(&table.position, &ply),
                Err(Halt::Interrupted) => return Err(Abandoned::Interrupted),
                Err(Halt::Fault(fault)) => return Ok(table.lost_by(fault)),
            }
        }
    }

    fn end_on_the_board(&mut self, table: &Table) -> Option<End> {
        let side = table.position.side_to_move();
        if let Some(outcome) = table.position.outcome() {
            let explanation = format!("{} has no legal move", capital(side));
            return Some(End { outcome, cause: Cause::NoMoves, explanation });
        }
        if self.rules.adjudicate
            && let Some(proof) = self.prover.prove(&table.position, &mut self.scratch)
        {
            let explanation = match proof.outcome {
                Outcome::Win(winner) => format!(
                    "{}'s territory decides: {} turns at most are left",
                    capital(winner),
                    proof.turns
                ),
                Outcome::Draw => "a draw is proven".to_owned(),
            };
            return Some(End { outcome: proof.outcome, cause: Cause::Adjudicated, explanation });
        }
        if let Some(rule) = self.rules.resign
            && let Some(loser) = table.resigned(rule)
        {
            let explanation = format!("{} resigns, and its opponent agrees", capital(loser));
            let outcome = Outcome::Win(!loser);
            return Some(End { outcome, cause: Cause::Resigned, explanation });
        }
        let turns = table.record.plies.len() as u32;
        if self.rules.max_moves.is_some_and(|moves| turns >= moves.saturating_mul(2)) {
            let explanation = "the longest game allowed".to_owned();
            return Some(End { outcome: Outcome::Draw, cause: Cause::MaxMoves, explanation });
        }
        None
    }
}

struct End {
    outcome: Outcome,
    cause: Cause,
    explanation: String,
}

/// The board, the clocks and the players around it.
struct Table<'a> {
    players: [&'a mut Player; 2],
    start: Start,
    /// The moves from `start` on, as they are sent.
    moves: Vec<String>,
    position: Position,
    clocks: [Clock; 2],
    used: [Duration; 2],
    nodes: [u64; 2],
    record: Record,
    /// The moves that were played for the players.
    opening: usize,
}

impl<'a> Table<'a> {
    fn new(players: [&'a mut Player; 2], opening: &Opening) -> Table<'a> {
        let clocks = [&players[0], &players[1]].map(|p| Clock::new(p.entrant().allowance));
        let start = if opening.start == Position::start() && opening.start.turns() == 0 {
            Start::Standard
        } else {
            Start::Fen(opening.start.fen())
        };
        let mut table = Table {
            players,
            start,
            moves: Vec::new(),
            position: opening.start.clone(),
            clocks,
            used: [Duration::ZERO; 2],
            nodes: [0; 2],
            record: Record::new(opening.start.clone()),
            opening: opening.moves.len(),
        };
        for mv in &opening.moves {
            table.place(Ply { remark: Some("book".to_owned()), ..Ply::from(*mv) });
        }
        table
    }

    /// Prepares both players.
    fn begin(&mut self) -> Result<(), Abandoned> {
        for side in Colour::BOTH {
            self.players[side.index()].new_game().map_err(|halt| match halt {
                Halt::Interrupted => Abandoned::Interrupted,
                Halt::Fault(fault) => Abandoned::NeverStarted { side, fault },
            })?;
        }
        Ok(())
    }

    /// Plays a legal move on the board.
    fn place(&mut self, ply: Ply) {
        self.moves.push(ply.mv.written(Notation::Uci, &self.position));
        self.position.play_move(ply.mv);
        self.record.plies.push(ply);
    }

    /// Lets the player to move make its move.
    fn turn(&mut self) -> Result<Ply, Halt> {
        let side = self.position.side_to_move();
        let player = &mut self.players[side.index()];
        let asked = Instant::now();
        let answer = player.think(&self.start, &self.moves, side, &self.clocks);
        let answer = answer.inspect_err(|_| self.used[side.index()] += asked.elapsed())?;
        self.used[side.index()] += answer.used;
        self.nodes[side.index()] += answer.info.nodes.unwrap_or(0);
        let clock = &mut self.clocks[side.index()];
        clock.spend(answer.used).map_err(|late| Halt::Fault(Fault::Time { by: late.by }))?;
        let mv = self.legal(&answer).map_err(Halt::Fault)?;
        let thought = thought(&answer);
        let ply = Ply { thought, ..Ply::from(mv) };
        self.place(ply.clone());
        Ok(ply)
    }

    fn legal(&self, answer: &Answer) -> Result<Move, Fault> {
        let illegal =
            |text: &str, reason: String| Fault::IllegalMove { text: text.to_owned(), reason };
        let Some(text) = &answer.best else {
            return Err(illegal("(none)", "there are legal moves".to_owned()));
        };
        let mv =
            Move::read(text, &self.position).map_err(|error| illegal(text, error.to_string()))?;
        self.position.check_move(mv).map_err(|error| illegal(text, error.to_string()))?;
        Ok(mv)
    }

    /// The side that both players have held for lost during the last moves.
    fn resigned(&self, rule: Resign) -> Option<Colour> {
        let played = self.record.plies.get(self.opening..)?;
        let wanted = rule.moves.max(1) as usize * 2;
        let last = played.len().checked_sub(wanted).map(|from| &played[from..])?;
        let mover = self.position.side_to_move();
        // The last turn was the opponent's, so the turns of `mover` are the even ones.
        let lost = |own: bool, ply: &Ply| match ply.thought.score {
            Some(record::Score::Centipawns(score)) => {
                if own {
                    score <= -rule.score
                } else {
                    score >= rule.score
                }
            }
            Some(record::Score::LossIn(_)) => own,
            Some(record::Score::WinIn(_)) => !own,
            None => false,
        };
        let all = |of_mover: bool| {
            last.iter().enumerate().all(|(i, ply)| lost((i % 2 == 0) == of_mover, ply))
        };
        match (all(true), all(false)) {
            (true, _) => Some(mover),
            (_, true) => Some(!mover),
            _ => None,
        }
    }

    fn lost_by(self, fault: Fault) -> Finished {
        let side = self.position.side_to_move();
        let end = End {
            outcome: Outcome::Win(!side),
            cause: fault.cause(),
            explanation: format!("{} {fault}", capital(side)),
        };
        Finished { fault: Some((side, fault)), ..self.finish(end) }
    }

    fn finish(self, end: End) -> Finished {
        let mut record = self.record;
        record.result = Some(end.outcome);
        let verdict = match end.outcome {
            Outcome::Win(winner) => format!("{} wins: {}", capital(winner), end.explanation),
            Outcome::Draw => format!("drawn: {}", end.explanation),
        };
        match record.plies.last_mut() {
            Some(ply) => {
                ply.remark = Some(match &ply.remark {
                    Some(remark) => format!("{remark}; {verdict}"),
                    None => verdict.clone(),
                });
            }
            None => record.preface = Some(verdict.clone()),
        }
        Finished {
            record,
            outcome: end.outcome,
            cause: end.cause,
            explanation: verdict,
            used: self.used,
            nodes: self.nodes,
            fault: None,
        }
    }
}

/// What is kept of an answer in the record.
fn thought(answer: &Answer) -> Thought {
    let score = answer.info.score.map(|score| match score {
        Score::Centipawns(score) => record::Score::Centipawns(score),
        Score::WinIn(turns) => record::Score::WinIn(turns),
        Score::LossIn(turns) => record::Score::LossIn(turns),
    });
    Thought {
        score,
        depth: answer.info.depth,
        nodes: answer.info.nodes,
        time: Some(Duration::from_micros(answer.used.as_micros() as u64)),
    }
}
