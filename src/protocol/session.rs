//! The loop: lines come in, the player decides, answers go out.
//!
//! Reading has a thread of its own, the search another; both send what they have into one channel,
//! and this loop takes it from there. It is the only one that writes, through one sink that is
//! flushed after every line, and it never waits for the search: `stop`, `isready`, `quit` and the
//! end of input are heard at any time.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use super::command::{Command, Query, Start, usages};
use super::dialect::Dialect;
use super::journal::{Journal, Way};
use super::lines::{LineError, Lines};
use super::response::{Answer, Response};
use super::wording;
use crate::amazons::{Move, Position};
use crate::engine::{self, Effect, Player, Report, Selectable};
use crate::game::{Colour, Evaluator, Game, Outcome, Prover, Value};

/// Whose work this is, as `id author` tells it.
const AUTHOR: &str = "the Otrera developers";

/// How many lines and events may wait for the loop; a reader that is faster waits itself.
const WAITING: usize = 1024;

/// How many commands may wait for the end of a search.
const DEFERRED: usize = 1000;

/// How long a search that was told to stop may take when the program is to leave.
const LAST_WORD: Duration = Duration::from_secs(2);

/// What the loop is told.
enum Event {
    /// A line was read, at this moment.
    Line(Result<String, LineError>, Instant),
    /// There are no more lines.
    End,
    /// The player's thread has something.
    Player(engine::Event),
}

/// Whether the loop goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Flow {
    On,
    Leave,
}

/// Speaks a protocol on this stream and sink until `quit` or the end of input, with a player who
/// thinks with this evaluator and prover. Without a dialect the first line that belongs to one
/// decides; up to then, UCI is spoken.
///
/// Blocks meanwhile. The thread that reads may outlive this call until its stream yields.
///
/// # Errors
/// When the sink fails, except for a pipe closed by the other end, which ends the session quietly,
/// or when there is no memory for the search.
pub fn serve<E, P>(
    evaluator: E,
    prover: P,
    dialect: Option<Dialect>,
    input: impl Read + Send + 'static,
    output: impl Write,
) -> io::Result<()>
where
    E: Selectable,
    P: Prover<Position> + Clone + 'static,
{
    let (sender, events) = mpsc::sync_channel(WAITING);
    let reader = sender.clone();
    thread::spawn(move || read(input, &reader));
    // A loop that has ended takes no more events, and nobody misses it.
    let player =
        Player::new(evaluator, prover, move |event| drop(sender.send(Event::Player(event))))
            .map_err(|error| io::Error::new(io::ErrorKind::OutOfMemory, error))?;
    let mut session = Session {
        player,
        dialect,
        output,
        journal: None,
        deferred: VecDeque::new(),
        searched: Position::start(),
        told: None,
    };
    match session.run(&events) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// Sends every line of the stream, then the end.
fn read(input: impl Read, events: &SyncSender<Event>) {
    for line in Lines::new(input) {
        if events.send(Event::Line(line, Instant::now())).is_err() {
            return;
        }
    }
    let _ = events.send(Event::End);
}

struct Session<E: Evaluator<Position>, W> {
    player: Player<E>,
    dialect: Option<Dialect>,
    output: W,
    journal: Option<Journal>,
    /// Commands that wait for the end of the search.
    deferred: VecDeque<(Command, Instant)>,
    /// The position that the running search is about.
    searched: Position,
    /// What was printed of it last.
    told: Option<Report>,
}

impl<E: Selectable, W: Write> Session<E, W> {
    fn run(&mut self, events: &Receiver<Event>) -> io::Result<()> {
        while let Ok(event) = events.recv() {
            let flow = match event {
                Event::Line(line, at) => self.line(line, at)?,
                Event::End => Flow::Leave,
                Event::Player(event) => self.player_event(event)?,
            };
            if flow == Flow::Leave {
                return self.leave(events);
            }
        }
        Ok(())
    }

    /// Ends a running search, which still has its answer printed.
    fn leave(&mut self, events: &Receiver<Event>) -> io::Result<()> {
        self.deferred.clear();
        self.player.stop();
        let deadline = Instant::now() + LAST_WORD;
        while self.player.is_busy() {
            let left = deadline.saturating_duration_since(Instant::now());
            match events.recv_timeout(left) {
                Ok(Event::Player(event)) => drop(self.player_event(event)?),
                Ok(_) => {}
                Err(_) => break,
            }
        }
        Ok(())
    }

    fn line(&mut self, line: Result<String, LineError>, at: Instant) -> io::Result<Flow> {
        let line = match line {
            Ok(line) => line,
            Err(error) => {
                self.note(&error.to_string())?;
                return Ok(Flow::On);
            }
        };
        self.log(Way::In, &line);
        if self.dialect.is_none() {
            self.dialect = Dialect::detect(&line);
        }
        match self.speaking().parse_command(&line) {
            Ok(None) => Ok(Flow::On),
            Ok(Some(command)) => self.command(command, at),
            Err(error) => {
                self.note(&error.to_string())?;
                Ok(Flow::On)
            }
        }
    }

    /// Does what is heard at any time, and puts off what must wait for the end of a search.
    fn command(&mut self, command: Command, at: Instant) -> io::Result<Flow> {
        match command {
            Command::Quit => return Ok(Flow::Leave),
            Command::Stop => self.player.stop(),
            Command::IsReady => self.say(&Response::ReadyOk)?,
            Command::Hello => self.introduce()?,
            Command::Help => self.help()?,
            Command::PonderHit => {
                if !self.player.ponder_hit(at) {
                    self.note("ponderhit means nothing now: no search is pondering")?;
                }
            }
            command if !self.player.is_busy() => self.act(command, at)?,
            command if is_question(&command) && self.deferred.is_empty() => {
                self.act(command, at)?;
            }
            _ if self.deferred.len() == DEFERRED => {
                self.note("too many commands wait for the end of the search: this one is lost")?;
            }
            command => {
                if self.player.is_waiting_for_word() {
                    let line = self.speaking().print_command(&command);
                    let name = line.split(' ').next().unwrap_or_default();
                    self.note(&format!("{name} waits for the end of the search; stop ends it"))?;
                }
                self.deferred.push_back((command, at));
            }
        }
        Ok(Flow::On)
    }

    /// Does what needs no search to be running, or takes no notice of one.
    fn act(&mut self, command: Command, at: Instant) -> io::Result<()> {
        match command {
            Command::NewGame => self.player.new_game(),
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref())?,
            Command::Position { start, moves } => {
                let fen = match &start {
                    Start::Standard => None,
                    Start::Fen(fen) => Some(fen.as_str()),
                };
                if let Err(error) = self.player.set_up(fen, &moves) {
                    self.note(&error.to_string())?;
                }
            }
            Command::Go(limits) => match self.player.read_limits(limits) {
                Ok(limits) => self.start(|player| player.go(limits, at))?,
                Err(error) => self.note(&format!("nothing is searched: {error}"))?,
            },
            Command::Perft(depth) => self.start(|player| player.count(depth))?,
            Command::Undo => {
                if let Err(error) = self.player.undo() {
                    self.note(&error.to_string())?;
                }
            }
            Command::Flip => self.player.flip(),
            Command::Display => self.say_all(&wording::display(self.player.position()))?,
            Command::Eval => self.evaluate()?,
            Command::Territory => self.say_all(&wording::territory(self.player.position()))?,
            Command::Query(query) => {
                let answer = answer(query, self.player.position());
                self.say(&Response::Answer(answer))?;
            }
            Command::Hello
            | Command::IsReady
            | Command::Stop
            | Command::PonderHit
            | Command::Help
            | Command::Quit => unreachable!("{command:?} is heard at any time"),
        }
        Ok(())
    }

    fn start(
        &mut self,
        begin: impl FnOnce(&mut Player<E>) -> Result<(), engine::Busy>,
    ) -> io::Result<()> {
        self.searched = self.player.position().clone();
        self.told = None;
        match begin(&mut self.player) {
            Ok(()) => Ok(()),
            Err(error) => self.note(&error.to_string()),
        }
    }

    fn player_event(&mut self, event: engine::Event) -> io::Result<Flow> {
        match event {
            engine::Event::Report(report) => {
                self.report(report)?;
                Ok(Flow::On)
            }
            engine::Event::Fault(message) => {
                log::error!("the search failed: {message}");
                // The last line before the move is to be one with a score.
                self.told = None;
                self.note(&format!(
                    "the search failed and starts anew, the best move so far is played: {message}"
                ))?;
                Ok(Flow::On)
            }
            engine::Event::MemoryRefused(error) => {
                self.note(&format!("{error}: Hash stays as it was"))?;
                Ok(Flow::On)
            }
            engine::Event::Done(report) => {
                let best_move = wording::best_move(&report, &self.searched);
                self.report(report)?;
                self.say(&best_move)?;
                self.go_on()
            }
            engine::Event::Counted { divided, depth, stopped } => {
                self.counted(&divided, depth, stopped)?;
                self.go_on()
            }
        }
    }

    /// Prints a report, unless it says nothing new.
    fn report(&mut self, report: Report) -> io::Result<()> {
        let same = |told: &Report| told.nodes == report.nodes && told.lines == report.lines;
        if !self.told.as_ref().is_some_and(same) {
            let show_wdl = self.player.options().show_wdl();
            self.say_all(&wording::infos(&report, &self.searched, show_wdl))?;
            self.told = Some(report);
        }
        Ok(())
    }

    fn counted(&mut self, divided: &[(Move, u64)], depth: u32, stopped: bool) -> io::Result<()> {
        if stopped {
            self.note("the count was stopped: moves are missing")?;
        }
        self.say_all(&wording::counted(divided, depth, &self.searched))
    }

    /// Takes up the commands that have waited, as far as the next search.
    fn go_on(&mut self) -> io::Result<Flow> {
        self.player.finish();
        while !self.player.is_busy() {
            match self.deferred.pop_front() {
                Some((command, at)) => self.act(command, at)?,
                None => break,
            }
        }
        Ok(Flow::On)
    }

    fn introduce(&mut self) -> io::Result<()> {
        let name = format!("Otrera {}", env!("CARGO_PKG_VERSION"));
        self.say_all(&[Response::Name(name), Response::Author(AUTHOR.to_owned())])?;
        let options: Vec<Response> = self
            .player
            .options()
            .specs()
            .map(|spec| Response::Option { name: spec.name.to_owned(), kind: spec.kind.clone() })
            .collect();
        self.say_all(&options)?;
        self.say(&Response::HelloDone)
    }

    fn help(&mut self) -> io::Result<()> {
        let mut lines = vec!["Commands:".to_owned()];
        for usage in usages(self.speaking().spelling()) {
            let command = format!("{} {}", usage.word, usage.rest);
            lines.push(format!("  {}", command.trim_end()));
            lines.push(format!("      {}", usage.doc));
        }
        lines.push("Options (setoption):".to_owned());
        for spec in self.player.options().specs() {
            lines.push(format!("  {} ({})", spec.name, spec.kind));
            lines.push(format!("      {}", spec.doc));
        }
        self.say_all(&lines.into_iter().map(Response::Text).collect::<Vec<_>>())
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> io::Result<()> {
        let before = self.player.options().debug_log_file().to_owned();
        match self.player.set_option(name, value) {
            Ok(Effect::Log) => {
                let path = self.player.options().debug_log_file().to_owned();
                let opened = (!path.is_empty()).then(|| Journal::open(&path)).transpose();
                match opened {
                    Ok(journal) => self.journal = journal,
                    Err(error) => {
                        // The option keeps the value that is in force.
                        let _ = self.player.set_option(name, Some(&before));
                        self.note(&format!("the log file {path} cannot be opened: {error}"))?;
                    }
                }
            }
            Ok(_) => {}
            Err(error) => self.note(&error.to_string())?,
        }
        Ok(())
    }

    fn evaluate(&mut self) -> io::Result<()> {
        let side = self.player.position().side_to_move();
        let line = match self.player.evaluate() {
            None => format!("Evaluation: the game is over, {} has won", !side),
            Some(value) => evaluation(value, side),
        };
        self.say(&Response::Text(line))
    }

    fn speaking(&self) -> Dialect {
        self.dialect.unwrap_or(Dialect::Uci)
    }

    fn note(&mut self, text: &str) -> io::Result<()> {
        self.say(&Response::Note(text.to_owned()))
    }

    fn say_all(&mut self, responses: &[Response]) -> io::Result<()> {
        responses.iter().try_for_each(|response| self.say(response))
    }

    fn say(&mut self, response: &Response) -> io::Result<()> {
        let line = self.speaking().print_response(response);
        self.log(Way::Out, &line);
        self.output.write_all(format!("{line}\n").as_bytes())?;
        self.output.flush()
    }

    /// A log that cannot be written any more is given up, and the game goes on.
    fn log(&mut self, way: Way, line: &str) {
        if let Some(journal) = &mut self.journal
            && let Err(error) = journal.line(way, line)
        {
            log::warn!("the debug log is given up: {error}");
            self.journal = None;
        }
    }
}

/// Whether a command only asks about the game, so that a running search need not be waited for.
fn is_question(command: &Command) -> bool {
    matches!(command, Command::Display | Command::Eval | Command::Territory | Command::Query(_))
}

fn evaluation(value: Value, side: Colour) -> String {
    format!(
        "Evaluation: win probability {:.3} for {side}, who is to move ({} cp)",
        value.win_probability(),
        engine::centipawns(value)
    )
}

fn answer(query: Query, position: &Position) -> Answer {
    let outcome = position.outcome();
    match query {
        Query::P1Turn => Answer::from(position.side_to_move() == Colour::White),
        Query::GameOver => Answer::from(outcome.is_some()),
        Query::Result => match outcome {
            None => Answer::None,
            Some(Outcome::Win(Colour::White)) => Answer::P1Win,
            Some(Outcome::Win(Colour::Black)) => Answer::P2Win,
            Some(Outcome::Draw) => Answer::Draw,
        },
    }
}
