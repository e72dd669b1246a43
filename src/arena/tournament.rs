//! A match from the first game to the last: several games at a time, engines kept between them,
//! faults survived, every finished game on disk at once.

use std::sync::Arc;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, SystemTime};

use parking_lot::Mutex;

use super::cause::{Cause, Fault};
use super::interrupt::Interrupt;
use super::journal::{Journal, JournalError};
use super::log::Kind;
use super::openings::Opening;
use super::player::{Entrant, Player, StartError, Surroundings};
use super::referee::{Abandoned, Finished, Referee, Rules};
use super::schedule::Pairing;
use super::standing::{GameResult, Standing};
use super::statistics::{Hypothesis, Sprt};
use crate::amazons::Position;
use crate::game::Colour;
use crate::record::{self, Ply};

/// A match: who plays, from where, and under what rules.
#[derive(Clone, Debug)]
pub struct Tournament {
    /// The engines.
    pub entrants: Vec<Arc<Entrant>>,
    /// Where games begin; the schedule counts them from 0.
    pub openings: Vec<Opening>,
    /// How games may end early.
    pub rules: Rules,
    /// The number of games at a time, one or more.
    pub concurrency: usize,
    /// Go on after an engine has crashed or stalled, with a new process.
    pub recover: bool,
    /// End the match when this test has an answer.
    pub sprt: Option<Sprt>,
    /// The tag `Event` of the records.
    pub event: String,
}

/// How a match ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// All games are played.
    Complete,
    /// The sequential test has an answer.
    Decided(Hypothesis),
    /// The user has ended it.
    Interrupted,
    /// It cannot go on.
    Stopped {
        /// Why.
        reason: String,
    },
}

/// Who wants to know what happens. The calls come from several threads.
pub trait Observer: Sync {
    /// A move was played; `position` is the one after it.
    fn moved(&self, _pairing: &Pairing, _position: &Position, _ply: &Ply) {}
    /// A game is finished and counted.
    fn finished(&self, _pairing: &Pairing, _result: &GameResult, _standing: &Standing) {}
    /// Something that the user should know, in a sentence.
    fn warned(&self, _warning: &str) {}
}

/// How often in a row an engine may fail to begin a game.
const ATTEMPTS: usize = 3;

/// How often the match looks whether the user wants it to end.
const GLANCE: Duration = Duration::from_millis(20);

/// What the workers share.
struct Hall<'a> {
    tournament: &'a Tournament,
    /// For the players. Its interrupt is the match's own, raised for any early end.
    surroundings: Surroundings,
    observer: &'a dyn Observer,
    /// Games that are not finished, the next one last.
    queue: Mutex<Vec<Pairing>>,
    books: Mutex<Books>,
    /// Players that wait for their next game, by engine.
    idle: Mutex<Vec<Vec<Player>>>,
}

struct Books {
    standing: Standing,
    journal: Journal,
    ending: Option<Result<Ending, JournalError>>,
}

impl Tournament {
    /// Plays the games of `standing` that are not finished. `surroundings.interrupt` is the
    /// user's.
    ///
    /// # Errors
    /// When a finished game cannot be written.
    pub fn run(
        &self,
        standing: Standing,
        journal: Journal,
        surroundings: &Surroundings,
        observer: &dyn Observer,
    ) -> Result<(Standing, Ending), JournalError> {
        let user = surroundings.interrupt.clone();
        let own = Interrupt::default();
        let mut queue: Vec<Pairing> = standing
            .pairings()
            .iter()
            .filter(|pairing| !standing.is_finished(pairing.game))
            .copied()
            .collect();
        queue.reverse();
        let decided = self.decision(&standing);
        if decided.is_some() {
            queue.clear();
        }
        let workers = self.concurrency.clamp(1, queue.len().max(1));
        let hall = Hall {
            tournament: self,
            surroundings: Surroundings { interrupt: own.clone(), ..surroundings.clone() },
            observer,
            queue: Mutex::new(queue),
            books: Mutex::new(Books { standing, journal, ending: decided.map(Ok) }),
            idle: Mutex::new(self.entrants.iter().map(|_| Vec::new()).collect()),
        };
        thread::scope(|scope| {
            let (working, done) = mpsc::channel::<()>();
            for _ in 0..workers {
                let working = working.clone();
                let hall = &hall;
                scope.spawn(move || {
                    let _alarm = Alarm(&hall.surroundings.interrupt);
                    hall.work();
                    drop(working);
                });
            }
            drop(working);
            while done.recv_timeout(GLANCE) == Err(mpsc::RecvTimeoutError::Timeout) {
                if user.is_raised() {
                    hall.end(Ok(Ending::Interrupted));
                }
            }
            hall.dismiss();
        });
        let Books { standing, mut journal, ending } = hall.books.into_inner();
        let ending = ending.unwrap_or(Ok(Ending::Complete))?;
        journal.sync()?;
        Ok((standing, ending))
    }

    /// The answer of the sequential test, if there is a test and it has one.
    fn decision(&self, standing: &Standing) -> Option<Ending> {
        let sprt = self.sprt?;
        sprt.verdict(sprt.llr(&standing.sprt_tally())).map(Ending::Decided)
    }

    /// The record of a finished game with its tags.
    fn record(&self, pairing: &Pairing, finished: &Finished) -> String {
        let mut record = finished.record.clone();
        let entrant = |colour| &self.entrants[pairing.player(colour)];
        let [white, black] = Colour::BOTH.map(entrant);
        let tags = &mut record.tags;
        tags.set("Event", &self.event);
        tags.set("Date", &date(SystemTime::now()));
        tags.set("Round", &(pairing.round + 1).to_string());
        tags.set("White", &white.name);
        tags.set("Black", &black.name);
        tags.set("GameNumber", &(pairing.game + 1).to_string());
        tags.set("Variant", "amazons");
        if white.allowance == black.allowance {
            tags.set("TimeControl", &white.allowance.to_string());
        } else {
            tags.set("WhiteTimeControl", &white.allowance.to_string());
            tags.set("BlackTimeControl", &black.allowance.to_string());
        }
        tags.set("PlyCount", &finished.record.plies.len().to_string());
        tags.set("Termination", finished.cause.name());
        record::text::write(&record)
    }
}

/// Why there is no player for a game.
enum Missing {
    /// The engine did something wrong when it was started; in words.
    Failed(String),
    /// It makes no sense to try again; in words.
    Hopeless(String),
    Interrupted,
}

/// Ends the match when a worker panics, which the others would not notice.
struct Alarm<'a>(&'a Interrupt);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.raise();
        }
    }
}

impl Hall<'_> {
    /// Plays games until none is left or the match ends.
    fn work(&self) {
        let mut referee = Referee::new(self.tournament.rules);
        while !self.surroundings.interrupt.is_raised() {
            let Some(pairing) = self.queue.lock().pop() else { return };
            self.play(&pairing, &mut referee);
        }
    }

    /// Plays a game, with new processes when an engine is not fit to begin it.
    fn play(&self, pairing: &Pairing, referee: &mut Referee) {
        let opening = &self.tournament.openings[pairing.opening];
        let mut failures = 0;
        while failures < ATTEMPTS {
            let (mut white, mut black) = match self.seat_both(pairing) {
                Ok(players) => players,
                Err(Missing::Interrupted) => return,
                Err(Missing::Hopeless(reason)) => {
                    return self.end(Ok(Ending::Stopped { reason }));
                }
                Err(Missing::Failed(reason)) => {
                    self.count_failure(&mut failures, reason);
                    continue;
                }
            };
            let mut watch = |position: &Position, ply: &Ply| {
                self.observer.moved(pairing, position, ply);
            };
            let outcome = referee.play([&mut white, &mut black], opening, &mut watch);
            self.release(pairing, [white, black]);
            match outcome {
                Ok(finished) => return self.conclude(pairing, &finished),
                Err(Abandoned::Interrupted) => return,
                Err(Abandoned::NeverStarted { side, fault }) => {
                    let name = &self.tournament.entrants[pairing.player(side)].name;
                    let reason = format!("{name} {fault}, before game {}", pairing.game + 1);
                    self.count_failure(&mut failures, reason);
                }
            }
        }
    }

    /// Both players of a game, in order of colour.
    fn seat_both(&self, pairing: &Pairing) -> Result<(Player, Player), Missing> {
        let white = pairing.player(Colour::White);
        let first = self.seat(white)?;
        match self.seat(pairing.player(Colour::Black)) {
            Ok(second) => Ok((first, second)),
            Err(missing) => {
                self.idle.lock()[white].push(first);
                Err(missing)
            }
        }
    }

    /// Notes that an engine was not fit to begin a game, and ends the match when that is once too
    /// often.
    fn count_failure(&self, failures: &mut usize, reason: String) {
        *failures += 1;
        if self.tournament.recover && *failures < ATTEMPTS {
            self.warn(&format!("{reason}; it is started again"));
        } else {
            *failures = ATTEMPTS;
            self.end(Ok(Ending::Stopped { reason }));
        }
    }

    fn warn(&self, warning: &str) {
        self.surroundings.log.line(Kind::Remark, "match", warning);
        self.observer.warned(warning);
    }

    /// An idle player of this engine, or a new one.
    fn seat(&self, engine: usize) -> Result<Player, Missing> {
        if let Some(player) = self.idle.lock()[engine].pop() {
            return Ok(player);
        }
        let entrant = &self.tournament.entrants[engine];
        let player = Player::start(Arc::clone(entrant), self.surroundings.clone());
        let player = player.map_err(|error| {
            let reason = format!("{} is not ready to play: {error}", entrant.name);
            match error {
                StartError::Interrupted => Missing::Interrupted,
                StartError::Fault(_) => Missing::Failed(reason),
                StartError::Spawn { .. }
                | StartError::UnknownOption(_)
                | StartError::Value { .. } => Missing::Hopeless(reason),
            }
        })?;
        for remark in player.remarks() {
            self.warn(&format!("{} says: {remark}", entrant.name));
        }
        Ok(player)
    }

    /// Puts players back after a game, but for those that are not wanted again.
    fn release(&self, pairing: &Pairing, players: [Player; 2]) {
        for (colour, player) in Colour::BOTH.into_iter().zip(players) {
            let engine = pairing.player(colour);
            if player.is_broken() || player.entrant().restart {
                player.quit();
            } else {
                self.idle.lock()[engine].push(player);
            }
        }
    }

    /// Counts and keeps a finished game, and ends the match if it is the last that was needed.
    fn conclude(&self, pairing: &Pairing, finished: &Finished) {
        let result = GameResult {
            game: pairing.game,
            white: pairing.player(Colour::White),
            black: pairing.player(Colour::Black),
            result: finished.outcome.into(),
            cause: finished.cause,
            explanation: finished.explanation.clone(),
            turns: finished.record.plies.len() as u32,
            used_ms: finished.used.map(|time| time.as_millis() as u64),
            nodes: finished.nodes,
        };
        let record = self.tournament.record(pairing, finished);
        let mut books = self.books.lock();
        if matches!(books.ending, Some(Err(_))) {
            return;
        }
        if let Err(error) = books.journal.add(&result, &record) {
            return self.end_with(&mut books, Err(error));
        }
        books.standing.add(result.clone());
        self.observer.finished(pairing, &result, &books.standing);
        if let Some((side, fault)) = &finished.fault {
            let name = &self.tournament.entrants[pairing.player(*side)].name;
            let warning = format!("game {}: {name} {fault}", pairing.game + 1);
            self.warn(&warning);
            if self.ends_the_match(fault) {
                let reason = format!("{warning}; -recover goes on after such faults");
                return self.end_with(&mut books, Ok(Ending::Stopped { reason }));
            }
        }
        if let Some(ending) = self.tournament.decision(&books.standing) {
            self.end_with(&mut books, Ok(ending));
        }
    }

    fn ends_the_match(&self, fault: &Fault) -> bool {
        let plays_on = matches!(fault.cause(), Cause::Time | Cause::IllegalMove);
        !plays_on && !self.tournament.recover
    }

    fn end(&self, ending: Result<Ending, JournalError>) {
        self.end_with(&mut self.books.lock(), ending);
    }

    /// Ends the match; the first reason counts.
    fn end_with(&self, books: &mut Books, ending: Result<Ending, JournalError>) {
        books.ending.get_or_insert(ending);
        self.surroundings.interrupt.raise();
    }

    /// Sends all players away, at the same time.
    fn dismiss(&self) {
        let idle = std::mem::take(&mut *self.idle.lock());
        thread::scope(|scope| {
            for player in idle.into_iter().flatten() {
                scope.spawn(move || player.quit());
            }
        });
    }
}

/// A day as `2025.11.30`, in universal time.
fn date(time: SystemTime) -> String {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    // Howard Hinnant, "chrono-compatible low-level date algorithms": years that begin in March.
    let days = (since.as_secs() / 86_400) as i64 + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}.{month:02}.{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_their_dates() {
        let day = |days: u64| date(SystemTime::UNIX_EPOCH + Duration::from_secs(days * 86_400));
        assert_eq!(day(0), "1970.01.01");
        assert_eq!(day(58), "1970.02.28");
        assert_eq!(day(59), "1970.03.01");
        // 2000 was a leap year: 30 years of 365 days and 7 leap days before it.
        assert_eq!(day(30 * 365 + 7 + 59), "2000.02.29");
        assert_eq!(day(30 * 365 + 7 + 366), "2001.01.01");
    }
}
