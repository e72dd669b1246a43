//! An engine that takes part: the conversation with one process, from the greeting to the farewell.
//!
//! The other end of the same typed commands and responses that our engine speaks. After each move
//! the engine is sent `isready`, and before its next one it must have answered, so that whatever it
//! still had to say is behind it, and no late or second answer is taken for the next. The question
//! costs no time, since it is answered while the opponent thinks.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use thiserror::Error;

use super::cause::{Fault, shortened};
use super::interrupt::Interrupt;
use super::log::Log;
use super::process::{Launch, Line, Process, Silence};
use super::time_control::{Allowance, Clock};
use super::watchdog::Watchdog;
use crate::engine::{Limits, OptionKind};
use crate::game::Colour;
use crate::protocol::{Command, Dialect, Info, Response, Start};

/// An engine as it is entered for a match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entrant {
    /// What it is called in reports; different from all others.
    pub name: String,
    /// How it is started.
    pub launch: Launch,
    /// The protocol it speaks.
    pub dialect: Dialect,
    /// Options to set, in order; a button has no value.
    pub options: Vec<(String, Option<String>)>,
    /// How much it may think.
    pub allowance: Allowance,
    /// Whether it is started anew for every game.
    pub restart: bool,
}

/// How long engines may take for all that is not thinking.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Deadlines {
    /// From the start of the process to the first `readyok`.
    pub start: Duration,
    /// For `readyok` afterwards.
    pub ready: Duration,
    /// For a search without a clock.
    pub search: Duration,
    /// For an answer to `stop`, after the time was overrun.
    pub stop: Duration,
    /// To leave after `quit`.
    pub quit: Duration,
}

impl Default for Deadlines {
    fn default() -> Deadlines {
        Deadlines {
            start: Duration::from_secs(60),
            ready: Duration::from_secs(10),
            search: Duration::from_secs(600),
            stop: Duration::from_secs(3),
            quit: Duration::from_secs(3),
        }
    }
}

/// What every player of a match is started with.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// How long engines may take.
    pub deadlines: Deadlines,
    /// Ends every wait.
    pub interrupt: Interrupt,
    /// What is said goes there.
    pub log: Log,
    /// Ends the engines when the runner cannot.
    pub watchdog: Option<Arc<Watchdog>>,
}

/// Why an engine is not ready to play.
#[derive(Debug, Error)]
pub enum StartError {
    /// There is no such program, or it cannot be run.
    #[error("{program} cannot be started: {error}")]
    Spawn {
        /// The program.
        program: String,
        /// What the system says.
        error: io::Error,
    },
    /// An option that it does not have.
    #[error("it has no option '{0}'")]
    UnknownOption(String),
    /// A value that the option does not take.
    #[error("its option '{name}' does not take '{value}': {wanted}")]
    Value {
        /// The option.
        name: String,
        /// The value asked for.
        value: String,
        /// What it takes.
        wanted: String,
    },
    /// It did something wrong.
    #[error("it {0}")]
    Fault(Fault),
    /// The user wants the match to end.
    #[error("interrupted")]
    Interrupted,
}

/// Why a conversation ended without what was wanted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Halt {
    /// The engine did something wrong.
    Fault(Fault),
    /// The user wants the match to end.
    Interrupted,
}

impl From<Halt> for StartError {
    fn from(halt: Halt) -> StartError {
        match halt {
            Halt::Fault(fault) => StartError::Fault(fault),
            Halt::Interrupted => StartError::Interrupted,
        }
    }
}

/// What an engine answered.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// The move as it wrote it; `None` when it says that there is none.
    pub best: Option<String>,
    /// The last it said about its best line.
    pub info: Info,
    /// The time it took.
    pub used: Duration,
}

/// A running engine that has been greeted.
pub struct Player {
    entrant: Arc<Entrant>,
    process: Process,
    surroundings: Surroundings,
    /// Something strange that was read and skipped since the last question.
    oddity: Option<String>,
    /// What it said when its options were set.
    remarks: Vec<String>,
    /// Whether it has been asked `isready` and the answer has not been read.
    asked: bool,
    /// Whether it will never answer again.
    broken: bool,
}

/// A line as far as it was understood.
enum Heard {
    Response(Response),
    /// A line of the protocol that is wrong in itself.
    Wrong {
        line: String,
        reason: String,
    },
}

impl Player {
    /// Starts the engine, greets it and sets its options.
    ///
    /// # Errors
    /// When it is not ready within its deadline, for whatever reason.
    pub fn start(entrant: Arc<Entrant>, surroundings: Surroundings) -> Result<Player, StartError> {
        let Surroundings { log, watchdog, .. } = &surroundings;
        let process = Process::spawn(&entrant.name, &entrant.launch, watchdog.clone(), log.clone())
            .map_err(|error| StartError::Spawn {
                program: entrant.launch.program.display().to_string(),
                error,
            })?;
        let mut player = Player {
            entrant,
            process,
            surroundings,
            oddity: None,
            remarks: Vec::new(),
            asked: false,
            broken: false,
        };
        player.greet()?;
        Ok(player)
    }

    /// The engine as it was entered.
    pub fn entrant(&self) -> &Entrant {
        &self.entrant
    }

    /// What the engine said when its options were set, which is where it would complain.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// Whether it has crashed or stalled, and must be replaced.
    pub fn is_broken(&self) -> bool {
        self.broken
    }

    fn greet(&mut self) -> Result<(), StartError> {
        let patience = self.surroundings.deadlines.start;
        let began = Instant::now();
        self.send(&[Command::Hello])?;
        let mut declared: Vec<(String, OptionKind)> = Vec::new();
        self.listen("answer to the greeting", began, patience, |heard| match heard {
            Heard::Response(Response::Option { name, kind }) => {
                declared.push((name, kind));
                Ok(None)
            }
            Heard::Response(Response::HelloDone) => Ok(Some(())),
            _ => Ok(None),
        })?;
        let options = self.entrant.options.clone();
        for (name, value) in options {
            let Some((declared_name, kind)) =
                declared.iter().find(|(known, _)| known.eq_ignore_ascii_case(&name))
            else {
                return Err(StartError::UnknownOption(name));
            };
            check_value(declared_name, kind, value.as_deref())?;
            self.send(&[Command::SetOption { name: declared_name.clone(), value }])?;
        }
        self.send(&[Command::IsReady])?;
        let mut remarks = Vec::new();
        self.listen("readyok", began, patience, |heard| match heard {
            Heard::Response(Response::Note(remark)) => {
                remarks.push(remark);
                Ok(None)
            }
            Heard::Response(Response::ReadyOk) => Ok(Some(())),
            _ => Ok(None),
        })?;
        self.remarks = remarks;
        Ok(())
    }

    /// Prepares the engine for a new game.
    ///
    /// # Errors
    /// When it is not ready in time.
    pub fn new_game(&mut self) -> Result<(), Halt> {
        let patience = self.surroundings.deadlines.start;
        // What is left of the last game harms nobody.
        self.settle(patience, false)?;
        self.send(&[Command::NewGame, Command::IsReady])?;
        self.asked = true;
        self.settle(patience, false)
    }

    /// Waits for the answer to `isready`, if it is due: then the engine is at the end of all that
    /// it was told before. If `strict`, it must not answer questions that were not asked.
    fn settle(&mut self, patience: Duration, strict: bool) -> Result<(), Halt> {
        if !std::mem::take(&mut self.asked) {
            return Ok(());
        }
        self.listen("readyok", Instant::now(), patience, |heard| match heard {
            Heard::Response(Response::ReadyOk) => Ok(Some(())),
            Heard::Response(Response::BestMove { best, .. }) if strict => {
                let best = best.as_deref().map_or_else(|| "(none)".to_owned(), shortened);
                Err(Fault::Protocol { what: format!("a bestmove '{best}' that nobody asked for") })
            }
            _ => Ok(None),
        })
        .map(|((), _)| ())
    }

    /// Asks for a move. `clocks` are both players', in order of colour.
    ///
    /// # Errors
    /// When there is no proper answer in time. Whether the answer is a legal move is not asked
    /// here.
    pub fn think(
        &mut self,
        start: &Start,
        moves: &[String],
        side: Colour,
        clocks: &[Clock; 2],
    ) -> Result<Answer, Halt> {
        self.settle(self.surroundings.deadlines.ready, true)?;
        self.oddity = None;
        let position = Command::Position { start: start.clone(), moves: moves.to_vec() };
        let clock = &clocks[side.index()];
        let go = Command::Go(limits(clock, clocks));
        let patience = clock
            .limit()
            .map_or(self.surroundings.deadlines.search, |limit| limit + clock.allowance().margin);
        let began = Instant::now();
        self.send(&[position, go])?;
        let mut info = Info::default();
        let answer = self.listen("bestmove", began, patience, |heard| match heard {
            Heard::Response(Response::Info(news)) => {
                if news.multipv.is_none_or(|rank| rank == 1) {
                    renew(&mut info, news);
                }
                Ok(None)
            }
            Heard::Response(Response::BestMove { best, .. }) => Ok(Some(best)),
            Heard::Wrong { line, reason } if line.trim_start().starts_with("bestmove") => {
                let line = shortened(&line);
                Err(Fault::Protocol { what: format!("'{line}', in which {reason}") })
            }
            _ => Ok(None),
        });
        match answer {
            Ok((best, at)) => {
                self.asked = true;
                // If this fails, the next question will tell why.
                let _ = self.send(&[Command::IsReady]);
                Ok(Answer { best, info, used: at.saturating_duration_since(began) })
            }
            Err(Halt::Fault(Fault::Stall { .. })) => Err(self.overdue(began, clock)),
            Err(Halt::Interrupted) => {
                // It would think to the end of its time otherwise.
                let _ = self.send(&[Command::Stop]);
                Err(Halt::Interrupted)
            }
            Err(halt) => Err(halt),
        }
    }

    /// The deadline of a search has passed: tells an engine that is late from one that will never
    /// answer.
    fn overdue(&mut self, began: Instant, clock: &Clock) -> Halt {
        self.broken = false;
        if let Err(halt) = self.send(&[Command::Stop]) {
            return halt;
        }
        let patience = self.surroundings.deadlines.stop;
        let oddity = self.oddity.clone();
        let answer = self.listen("bestmove", Instant::now(), patience, |heard| match heard {
            Heard::Response(Response::BestMove { .. }) => Ok(Some(())),
            _ => Ok(None),
        });
        let at = match answer {
            Ok(((), at)) => at,
            Err(Halt::Fault(Fault::Stall { .. })) => {
                self.broken = true;
                let waited = began.elapsed();
                return Halt::Fault(Fault::Stall { awaited: "bestmove", waited, oddity });
            }
            Err(halt) => return halt,
        };
        let used = at.saturating_duration_since(began);
        Halt::Fault(match clock.limit() {
            Some(limit) => Fault::Time { by: used.saturating_sub(limit) },
            None => Fault::Stall { awaited: "bestmove", waited: used, oddity },
        })
    }

    fn send(&mut self, commands: &[Command]) -> Result<(), Halt> {
        let lines = self.lines(commands);
        let began = Instant::now();
        let sent = self.process.send(&lines);
        sent.map_err(|silence| self.halt(silence, "attention", began))
    }

    fn lines(&self, commands: &[Command]) -> Vec<String> {
        commands.iter().map(|command| self.entrant.dialect.print_command(command)).collect()
    }

    /// Reads lines until `choose` finds what it wants in one, or finds fault with it. Gives what
    /// was wanted and when it came.
    fn listen<T>(
        &mut self,
        awaited: &'static str,
        began: Instant,
        patience: Duration,
        mut choose: impl FnMut(Heard) -> Result<Option<T>, Fault>,
    ) -> Result<(T, Instant), Halt> {
        let deadline = began + patience;
        loop {
            let received = self.process.receive(deadline, &self.surroundings.interrupt);
            let line = received.map_err(|silence| self.halt(silence, awaited, began))?;
            let at = line.at;
            let Some(heard) = self.understand(line) else { continue };
            if let Some(wanted) = choose(heard).map_err(Halt::Fault)? {
                return Ok((wanted, at));
            }
        }
    }

    /// Reads a line of the protocol. Lines that cannot be read are remembered as oddities.
    fn understand(&mut self, line: Line) -> Option<Heard> {
        let text = match line.text {
            Ok(text) => text,
            Err(error) => {
                self.oddity = Some(format!("in its output {error}"));
                return None;
            }
        };
        match self.entrant.dialect.parse_response(&text) {
            Ok(Response::Text(text)) if text.is_empty() => None,
            Ok(Response::Text(text)) => {
                self.oddity = Some(format!("the line '{}'", shortened(&text)));
                Some(Heard::Response(Response::Text(text)))
            }
            Ok(response) => Some(Heard::Response(response)),
            Err(error) => {
                self.oddity = Some(format!("the line '{}'", shortened(&text)));
                Some(Heard::Wrong { line: text, reason: error.to_string() })
            }
        }
    }

    fn halt(&mut self, silence: Silence, awaited: &'static str, began: Instant) -> Halt {
        let crash = |status| Fault::Crash { status, said: self.process.errors().pop() };
        let fault = match silence {
            Silence::Interrupted => return Halt::Interrupted,
            Silence::Exited(status) => crash(Some(status)),
            Silence::Closed => crash(None),
            Silence::Deadline => {
                Fault::Stall { awaited, waited: began.elapsed(), oddity: self.oddity.clone() }
            }
        };
        self.broken = true;
        Halt::Fault(fault)
    }

    /// Sends the engine away. It is killed if it does not leave in time.
    pub fn quit(self) {
        let patience = self.surroundings.deadlines.quit;
        // A search that was interrupted must not keep it.
        let farewell = self.lines(&[Command::Stop, Command::Quit]);
        if !self.broken {
            self.process.end(&farewell, patience);
        }
    }
}

/// The words after `go`.
fn limits(clock: &Clock, clocks: &[Clock; 2]) -> Limits<String> {
    let allowance = clock.allowance();
    let own_clock = allowance.clock.is_some();
    let shown = |clock: &Clock| clock.left().filter(|_| own_clock);
    let increment = |clock: &Clock| {
        clock.allowance().clock.filter(|_| own_clock).map(|control| control.increment)
    };
    Limits {
        time: [shown(&clocks[0]), shown(&clocks[1])],
        increment: [increment(&clocks[0]), increment(&clocks[1])],
        moves_to_go: clock.moves_to_go(),
        move_time: allowance.move_time,
        nodes: allowance.nodes,
        depth: allowance.depth,
        infinite: !allowance.is_limited(),
        ..Limits::default()
    }
}

/// Takes over what an info line says, and keeps what it does not speak of.
fn renew(info: &mut Info, news: Info) {
    // Bounds are on their way to a score, and say nothing about the line that is best.
    if news.score.is_some() && news.bound.is_none() {
        info.score = news.score;
        info.depth = news.depth.or(info.depth);
        info.pv = news.pv;
    }
    info.nodes = news.nodes.or(info.nodes);
    info.depth = info.depth.or(news.depth);
    info.seldepth = news.seldepth.or(info.seldepth);
    info.time = news.time.or(info.time);
    info.nps = news.nps.or(info.nps);
}

/// Whether an option takes this value.
fn check_value(name: &str, kind: &OptionKind, value: Option<&str>) -> Result<(), StartError> {
    let wrong = |wanted: String| StartError::Value {
        name: name.to_owned(),
        value: value.unwrap_or_default().to_owned(),
        wanted,
    };
    match (kind, value) {
        (OptionKind::Button, _) | (OptionKind::Text { .. }, Some(_)) => Ok(()),
        (OptionKind::Check { .. }, Some("true" | "false")) => Ok(()),
        (OptionKind::Check { .. }, _) => Err(wrong("true or false is expected".to_owned())),
        (OptionKind::Spin { min, max, .. }, _) => {
            let number = value.and_then(|value| value.parse::<i64>().ok());
            match number {
                Some(number) if (*min..=*max).contains(&number) => Ok(()),
                _ => Err(wrong(format!("a number from {min} to {max} is expected"))),
            }
        }
        (OptionKind::Combo { vars, .. }, Some(value))
            if vars.iter().any(|var| var.eq_ignore_ascii_case(value)) =>
        {
            Ok(())
        }
        (OptionKind::Combo { vars, .. }, _) => {
            Err(wrong(format!("one of {} is expected", vars.join(", "))))
        }
        (OptionKind::Text { .. }, None) => Err(wrong("a value is expected".to_owned())),
    }
}
