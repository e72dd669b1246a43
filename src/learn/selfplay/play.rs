//! One game.
//!
//! Some turns are searched fully, with noise in the priors, and recorded; the others cheaply, only
//! to get on (Wu, "Accelerating self-play learning in Go", 2019: the value learns from games, the
//! policy from searches, and a game with few full searches costs little). Once the result is
//! certain nothing more is recorded, and the game goes on until it can be counted.

use std::sync::atomic::{AtomicBool, Ordering};

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::ending::{Counter, Ending};
use super::exploring::{Exploring, Noise};
use super::settings::Settings;
use crate::amazons::{Position, Step, mix};
use crate::endgame::{RegionProver, RegionScratch};
use crate::game::{Colour, Evaluator, Game as _, Proof, Prover, Value};
use crate::learn::data::{Game, Record};
use crate::search::{Limits, MemoryRefused, Report, Search};

/// A game being played. Everything that remembers, like the memory of fillings, is made anew for
/// each game, so that it depends on nothing but its number.
pub(super) struct Play<'a, E: Evaluator<Position>> {
    settings: &'a Settings,
    stop: &'a AtomicBool,
    rng: Xoshiro256PlusPlus,
    search: Search<Position, Exploring<E>, RegionProver>,
    prover: RegionProver,
    known: RegionScratch,
    counter: Counter,
    position: Position,
    steps: Vec<Step>,
    records: Vec<Record>,
    /// Up to how many turns from the start steps are drawn.
    drawn_turns: u16,
    turns: u16,
    /// Who wins, once that is certain.
    winner: Option<Colour>,
    legal: Vec<Step>,
}

impl<'a, E: Evaluator<Position> + Clone> Play<'a, E> {
    pub fn new(
        evaluator: &E,
        settings: &'a Settings,
        start: &Position,
        number: u64,
        stop: &'a AtomicBool,
    ) -> Result<Play<'a, E>, MemoryRefused> {
        let exploring = Exploring::new(evaluator.clone());
        let prover = RegionProver::default();
        let hash_bytes = usize::from(settings.hash) << 20;
        Ok(Play {
            settings,
            stop,
            rng: Xoshiro256PlusPlus::seed_from_u64(mix(mix(settings.seed) ^ number)),
            search: Search::new(exploring, prover, hash_bytes, start.clone())?,
            prover,
            known: RegionScratch::default(),
            counter: Counter::new(settings.count_budget),
            position: start.clone(),
            steps: Vec::new(),
            records: Vec::new(),
            drawn_turns: 0,
            turns: 0,
            winner: None,
            legal: Vec::new(),
        })
    }

    /// Plays the game to its end; `None` when it was told to stop.
    pub fn finish(mut self, number: u64) -> Option<Game> {
        let start = self.position.clone();
        self.play_random_turns();
        let Settings { drawn_plies_least, drawn_plies_most, .. } = *self.settings;
        self.drawn_turns = self.rng.random_range(drawn_plies_least..=drawn_plies_most);
        loop {
            if let Some(ending) = self.counter.ending(&self.position) {
                let Play { steps, records, .. } = self;
                let Ending { winner, margin, ended } = ending;
                debug_assert!(self.winner.is_none_or(|proven| proven == winner));
                return Some(Game { number, start, steps, records, winner, margin, ended });
            }
            self.play_turn()?;
        }
    }

    fn play_random_turns(&mut self) {
        let turns = self.rng.random_range(0..=self.settings.random_plies);
        for _ in 0..turns {
            if !self.position.has_step() {
                break;
            }
            for _ in 0..2 {
                self.position.steps(&mut self.legal);
                let step = *self.legal.choose(&mut self.rng).expect("an amazon can move and shoot");
                self.position.play(step);
                self.steps.push(step);
            }
            self.turns += 1;
        }
        self.search.set_root(self.position.clone(), None);
    }

    /// Searches and plays a turn, and records it if it is drawn to be. `None` when told to stop.
    fn play_turn(&mut self) -> Option<()> {
        if self.winner.is_none() {
            let proof = self.prover.prove(&self.position, &mut self.known);
            self.winner = proof.and_then(winner_of);
        }
        if let Some(winner) = self.winner {
            return self.play_on(winner);
        }
        let full = self.rng.random_bool(self.settings.full_share);
        let Settings { visits, arrow_visits, noise_share, .. } = *self.settings;
        let noise =
            Noise { turns: self.position.turns(), share: noise_share, seed: self.rng.random() };
        self.search.evaluator_mut().set_noise(full.then_some(noise));
        if full {
            // What was found before was found without noise.
            self.search.clear();
        }
        for visits in [visits, arrow_visits] {
            let visits = if full { visits } else { self.cheap(visits) };
            let report = self.search(visits)?;
            let decided = is_decided(&report, visits);
            if full && !decided {
                self.record();
            }
            let step = self.choose(&report, decided);
            self.advance(&[step]);
            if decided {
                self.winner = report.lines.first().and_then(|line| winner_of(line.proof?));
            }
        }
        Some(())
    }

    /// Plays a turn after it has become certain who wins, who goes on to win. `None` when told to
    /// stop.
    fn play_on(&mut self, winner: Colour) -> Option<()> {
        self.search.evaluator_mut().set_noise(None);
        let visits = self.cheap(self.settings.visits);
        let report = self.search(visits)?;
        let turn = match report.lines.first() {
            Some(line) => line.first_turn().to_vec(),
            None => self.first_turn(),
        };
        let keeps = is_decided(&report, visits) || self.position.side_to_move() != winner || {
            let mut after = self.position.clone();
            turn.iter().for_each(|&step| after.play(step));
            let proof = self.prover.prove(&after, &mut self.known);
            proof.and_then(winner_of) == Some(winner)
        };
        let better = (!keeps)
            .then(|| self.prover.winning_turn(&self.position, winner, &mut self.known))
            .flatten();
        self.advance(&better.unwrap_or(turn));
        Some(())
    }

    /// The visits of a cheap search in the place of one of so many.
    fn cheap(&self, visits: u32) -> u32 {
        (visits / self.settings.cheap_divisor).max(2)
    }

    /// Searches from where the game stands. `None` when told to stop.
    fn search(&mut self, visits: u32) -> Option<Report<Step>> {
        let report = self.search.run(&Limits::nodes(visits.into()), self.stop, &mut ());
        (!self.stop.load(Ordering::Relaxed)).then_some(report)
    }

    /// Plays these steps.
    fn advance(&mut self, steps: &[Step]) {
        for &step in steps {
            self.position.play(step);
            self.steps.push(step);
        }
        self.search.set_root(self.position.clone(), Some(steps));
        self.turns += u16::from(self.position.at_turn_start());
    }

    /// Keeps what was found at the root.
    fn record(&mut self) {
        self.position.steps(&mut self.legal);
        let place = |step| self.legal.iter().position(|&legal| legal == step);
        let mut visits: Vec<(u16, u16)> = self
            .search
            .root_steps()
            .filter_map(|(step, visits, _)| Some((place(step)? as u16, visits as u16)))
            .collect();
        visits.sort_unstable();
        let value = self.search.root_value();
        self.records.push(Record { at: self.steps.len() as u16, visits, value });
    }

    /// The step to play: in the opening any that does not lose for certain, as often as it was
    /// visited; later on the best.
    fn choose(&mut self, report: &Report<Step>, decided: bool) -> Step {
        if self.turns < self.drawn_turns && !decided {
            let open = || self.search.root_steps().filter(|&(_, _, value)| value > Value::LOSS);
            let all: u32 = open().map(|(_, visits, _)| visits).sum();
            if all > 0 {
                let mut left = self.rng.random_range(0..all);
                for (step, visits, _) in open() {
                    if left < visits {
                        return step;
                    }
                    left -= visits;
                }
            }
        }
        match report.lines.first().and_then(|line| line.steps.first()) {
            Some(&step) => step,
            None => self.first_turn()[0],
        }
    }

    /// The first legal steps of the turn: for when the memory did not suffice to search one.
    fn first_turn(&mut self) -> Vec<Step> {
        let mut position = self.position.clone();
        let mut turn = Vec::new();
        while turn.is_empty() || !position.at_turn_start() {
            position.steps(&mut self.legal);
            position.play(self.legal[0]);
            turn.push(self.legal[0]);
        }
        turn
    }
}

/// Whether a search with a limit of so many visits has proven the result: only that ends it
/// before.
fn is_decided(report: &Report<Step>, visits: u32) -> bool {
    report.nodes < visits.into()
}

fn winner_of(proof: Proof) -> Option<Colour> {
    proof.outcome.winner()
}
