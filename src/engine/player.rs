//! The player: a game, options, and a search on its own thread.

use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::Instant;

use thiserror::Error;

use super::clock::Budget;
use super::history::{History, MoveError, NothingToUndo, SetupError};
use super::limits::Limits;
use super::options::{Effect, OptionError, Options};
use super::report::Report;
use super::selection::Selectable;
use super::worker::{Control, Task, Work, Worker};
use crate::amazons::{Move, Position};
use crate::game::{Evaluator, Prover, Value};
use crate::search::{self, MemoryRefused};

/// What the player's thread tells, in this order for each search: reports, then the end.
#[derive(Clone, Debug)]
pub enum Event {
    /// A search has found something new, or a second has gone by.
    Report(Report),
    /// A search has ended, and this is its result. The player waits for
    /// [`finish`](Player::finish).
    Done(Report),
    /// A search failed, and this is what its panic said. [`Done`](Event::Done) follows all the
    /// same, with the best move known.
    Fault(String),
    /// The memory for another size of the tree was not to be had, and the old size stays.
    MemoryRefused(MemoryRefused),
    /// A count has ended. The player waits for [`finish`](Player::finish).
    Counted {
        /// The lines that begin with each move.
        divided: Vec<(Move, u64)>,
        /// The number of turns.
        depth: u32,
        /// Whether it was stopped, so that moves are missing.
        stopped: bool,
    },
}

/// The player is busy: it searches or counts.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("a search is running; stop ends it")]
pub struct Busy;

/// What keeps the player's thread busy.
struct Running {
    control: Arc<Control>,
    ponder: bool,
    infinite: bool,
}

/// The player. None of its methods waits for its thread, except to hand it work.
///
/// What it finds comes as [`Event`]s. While it is busy the game and the options may be changed;
/// the running search takes no notice, and only [`go`](Player::go) and
/// [`count`](Player::count) are refused.
pub struct Player<E: Evaluator<Position>> {
    history: History,
    options: Options,
    evaluator: E,
    work: Sender<Work<E>>,
    running: Option<Running>,
}

impl<E: Selectable> Player<E> {
    /// A player at the start of a game, who thinks with this evaluator and prover and calls
    /// `events` from its own thread. A clone of the two must be as good as the original.
    ///
    /// # Errors
    /// When there is no memory for the tree.
    pub fn new<P>(
        evaluator: E,
        prover: P,
        events: impl Fn(Event) + Send + 'static,
    ) -> Result<Player<E>, MemoryRefused>
    where
        P: Prover<Position> + Clone + 'static,
    {
        let options = Options::new();
        let (sender, receiver) = mpsc::channel();
        let worker = Worker::new(evaluator.clone(), prover, options.hash_bytes(), events)?;
        thread::spawn(move || worker.run(&receiver));
        let history = History::new(Position::start());
        Ok(Player { history, options, evaluator, work: sender, running: None })
    }

    /// The game.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The position.
    pub fn position(&self) -> &Position {
        self.history.position()
    }

    /// The options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Sets up the game that begins with this FEN, or at the standard start, and goes on with
    /// these moves: all of it or, on an error, nothing.
    ///
    /// # Errors
    /// What is wrong, naming the part.
    pub fn set_up(&mut self, fen: Option<&str>, moves: &[String]) -> Result<(), SetupError> {
        self.history = History::read(fen, moves)?;
        Ok(())
    }

    /// Takes the last move back.
    ///
    /// # Errors
    /// When there is none.
    pub fn undo(&mut self) -> Result<(), NothingToUndo> {
        self.history.undo().map(|_| ())
    }

    /// Gives the other side the turn, in a game that begins here.
    pub fn flip(&mut self) {
        if let Some(flipped) = self.position().with_side_flipped() {
            self.history = History::new(flipped);
        }
    }

    /// Begins another game: forgets what was found in the last one.
    pub fn new_game(&mut self) {
        self.history = History::new(Position::start());
        self.send(Work::Clear);
    }

    /// Sets an option. What it says about logging is left to the caller.
    ///
    /// # Errors
    /// When there is no such option, or it does not take that value, or there is no such evaluation;
    /// then everything stays as it was.
    pub fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<Effect, OptionError> {
        let before = self.options.clone();
        let effect = self.options.set(name, value)?;
        match effect {
            Effect::Evaluation => {
                let selected = E::select(self.options.eval_type(), self.options.eval_file());
                match selected {
                    Ok(evaluator) => {
                        self.evaluator = evaluator.clone();
                        self.send(Work::Evaluation(Box::new(evaluator)));
                    }
                    Err(error) => {
                        self.options = before;
                        return Err(OptionError::Selection(error));
                    }
                }
            }
            Effect::Resize(bytes) => self.send(Work::Resize(bytes)),
            Effect::Clear => self.send(Work::Clear),
            Effect::Threads(threads) => self.send(Work::Threads(threads)),
            Effect::None | Effect::Log => {}
        }
        Ok(effect)
    }

    /// The static evaluation of the position, for the side to move; `None` when the game is over.
    pub fn evaluate(&self) -> Option<Value> {
        let position = self.position();
        position.has_step().then(|| self.evaluator.value(position, &mut E::Scratch::default()))
    }

    /// Reads the moves that a search is limited to.
    ///
    /// # Errors
    /// The first that is not legal now.
    pub fn read_limits(&self, limits: Limits<String>) -> Result<Limits<Move>, MoveError> {
        limits.try_map(|text| self.history.read_move(&text))
    }

    /// Starts a search that was asked for at this moment, from which the clock runs.
    ///
    /// # Errors
    /// When the player is busy.
    pub fn go(&mut self, limits: Limits<Move>, asked: Instant) -> Result<(), Busy> {
        if self.running.is_some() {
            return Err(Busy);
        }
        let control = Arc::new(Control::default());
        let position = self.position();
        let budget = Budget::new(&limits, position.side_to_move(), position.turns(), &self.options);
        let analyse = self.options.analyse_mode();
        let on_clock = matches!(budget, Budget::Share { .. }) && !analyse;
        // Where there is nothing to choose, one look gives the move a score.
        let forced = on_clock && position.count_moves() == 1;
        let (infinite, ponder) = (limits.infinite, limits.ponder);
        let task = Task {
            history: self.history.clone(),
            limits: search::Limits {
                nodes: if forced { Some(1) } else { limits.nodes },
                depth: limits.depth,
                multipv: self.options.multipv(),
                turns: limits.moves.iter().map(|mv| mv.steps().to_vec()).collect(),
            },
            mate: limits.mate,
            budget,
            analyse,
            style: self.options.style(),
            any_line: !analyse && limits.moves.is_empty() && self.options.multipv() == 1,
            infinite,
            ponder,
            asked,
            control: Arc::clone(&control),
        };
        self.send(Work::Search(Box::new(task)));
        self.running = Some(Running { control, ponder, infinite });
        Ok(())
    }

    /// Starts counting the lines of `depth` turns.
    ///
    /// # Errors
    /// When the player is busy.
    pub fn count(&mut self, depth: u32) -> Result<(), Busy> {
        if self.running.is_some() {
            return Err(Busy);
        }
        let control = Arc::new(Control::default());
        let position = self.position().clone();
        self.send(Work::Perft { position, depth, control: Arc::clone(&control) });
        self.running = Some(Running { control, ponder: false, infinite: false });
        Ok(())
    }

    /// Ends what is running; its result comes as an event.
    pub fn stop(&self) {
        if let Some(running) = &self.running {
            running.control.stop();
        }
    }

    /// The opponent has played the expected move: the search that is pondering goes on under its
    /// limits. Says whether one was.
    pub fn ponder_hit(&self, at: Instant) -> bool {
        match &self.running {
            Some(running) if running.ponder => {
                running.control.ponder_hit(at);
                true
            }
            _ => false,
        }
    }

    /// Whether the player searches or counts, up to [`finish`](Player::finish).
    pub fn is_busy(&self) -> bool {
        self.running.is_some()
    }

    /// Whether what is running ends only when it is told to, and has not been told yet.
    pub fn is_waiting_for_word(&self) -> bool {
        self.running.as_ref().is_some_and(|running| {
            let waiting = running.infinite || (running.ponder && !running.control.is_hit());
            waiting && !running.control.is_stopped()
        })
    }

    /// Takes note that the last event of what was running has arrived.
    pub fn finish(&mut self) {
        self.running = None;
    }

    fn send(&self, work: Work<E>) {
        if self.work.send(work).is_err() {
            log::error!("the searching thread has gone");
        }
    }
}

impl<E: Evaluator<Position>> Drop for Player<E> {
    /// Stops what is running. The thread ends by itself when it finds that nobody asks any more.
    fn drop(&mut self) {
        if let Some(running) = &self.running {
            running.control.stop();
        }
    }
}
