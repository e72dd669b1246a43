//! A well-behaved mock against one that misbehaves, four games each.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use std::{env, fs};

use otrera::amazons::Position;
use otrera::arena::cause::Cause;
use otrera::arena::interrupt::Interrupt;
use otrera::arena::journal::{Header, Journal, VERSION};
use otrera::arena::log::Log;
use otrera::arena::openings::Opening;
use otrera::arena::player::{Deadlines, Entrant, Surroundings};
use otrera::arena::process::Launch;
use otrera::arena::referee::{Resign, Rules};
use otrera::arena::schedule::{Format, Order, Pairing, Settings, schedule};
use otrera::arena::standing::{GameResult, Standing};
use otrera::arena::time_control::Allowance;
use otrera::arena::tournament::{Ending, Observer, Tournament};
use otrera::arena::watchdog::Watchdog;
use otrera::protocol::Dialect;
use tempfile::TempDir;

use super::Test;

/// Where all games begin: a board on which a game takes a few moves.
const SMALL_BOARD: &str = "3q/4/4/Q3 w";

/// The number of games of each match.
const GAMES: u32 = 4;

/// A match between a mock that behaves and one that may not.
pub struct Trial {
    behaviours: [&'static str; 2],
    allowance: Allowance,
    options: Vec<(String, Option<String>)>,
    deadlines: Deadlines,
    rules: Rules,
    recover: bool,
    concurrency: usize,
    panics: bool,
}

/// What became of it.
struct Outcome {
    ending: Ending,
    standing: Standing,
    warnings: Vec<String>,
    records: String,
    log: String,
    took: Duration,
}

#[derive(Default)]
struct Notes {
    warnings: Mutex<Vec<String>>,
    panics: bool,
}

impl Observer for Notes {
    fn finished(&self, _: &Pairing, _: &GameResult, _: &Standing) {
        assert!(!self.panics, "a panic that was asked for");
    }

    fn warned(&self, warning: &str) {
        self.warnings.lock().unwrap().push(warning.to_owned());
    }
}

/// The words that start a mock.
pub fn mock(behaviour: &str, pids: &Path) -> Launch {
    Launch {
        program: env::current_exe().unwrap(),
        arguments: vec!["mock".into(), behaviour.into(), pids.display().to_string()],
        folder: None,
    }
}

/// Fails if a process of the list is still there. They get a moment to go.
pub fn assert_none_left(pids: &Path) {
    let list = fs::read_to_string(pids).unwrap_or_default();
    let deadline = Instant::now() + Duration::from_secs(5);
    for pid in list.lines() {
        while is_running(pid) {
            assert!(Instant::now() < deadline, "process {pid} is left");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Whether there is such a process. One that has ended and waits to be reaped does not count.
pub fn is_running(pid: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"));
    stat.is_ok_and(|stat| {
        !stat.rsplit(')').next().unwrap_or_default().trim_start().starts_with('Z')
    })
}

impl Trial {
    fn of(behaviour: &'static str) -> Trial {
        Trial {
            behaviours: ["behaves", behaviour],
            allowance: Allowance { nodes: Some(1), ..Allowance::default() },
            options: Vec::new(),
            deadlines: Deadlines {
                start: Duration::from_secs(20),
                ready: Duration::from_secs(5),
                search: Duration::from_secs(1),
                stop: Duration::from_secs(1),
                quit: Duration::from_secs(1),
            },
            rules: Rules { adjudicate: true, resign: None, max_moves: None },
            recover: true,
            concurrency: 1,
            panics: false,
        }
    }

    fn on_a_clock(mut self, clock: &str) -> Trial {
        self.allowance = Allowance { clock: clock.parse().ok(), ..Allowance::default() };
        self
    }

    /// Plays the match, with files in `folder`, and looks for what it has left behind.
    fn run(&self) -> Outcome {
        let folder = TempDir::new().unwrap();
        let outcome = self.run_in(folder.path());
        assert_none_left(&folder.path().join("pids"));
        let text = &outcome.records;
        let records = otrera::record::read(text).unwrap();
        assert_eq!(records.len(), outcome.standing.results().len(), "{text}");
        outcome
    }

    fn run_in(&self, folder: &Path) -> Outcome {
        let pids = folder.join("pids");
        let entrants: Vec<Arc<Entrant>> = self
            .behaviours
            .into_iter()
            .enumerate()
            .map(|(index, behaviour)| {
                Arc::new(Entrant {
                    name: format!("{} {behaviour}", index + 1),
                    launch: mock(behaviour, &pids),
                    dialect: Dialect::Uci,
                    options: if index == 1 { self.options.clone() } else { Vec::new() },
                    allowance: self.allowance,
                    restart: false,
                })
            })
            .collect();
        let names: Vec<String> = entrants.iter().map(|entrant| entrant.name.clone()).collect();
        let standing = Standing::new(names.clone(), pairings());
        let header = Header {
            version: VERSION,
            arguments: Vec::new(),
            folder: folder.to_owned(),
            seed: 0,
            engines: names,
            openings: (1, 0),
        };
        let files: [PathBuf; 3] = ["results", "records", "log"].map(|name| folder.join(name));
        let journal = Journal::begin(&header, Some(&files[0]), Some((&files[1], false))).unwrap();
        let surroundings = Surroundings {
            deadlines: self.deadlines,
            interrupt: Interrupt::default(),
            log: Log::create(&files[2]).unwrap(),
            watchdog: Some(Arc::new(Watchdog::start().unwrap())),
        };
        let tournament = Tournament {
            entrants,
            openings: vec![Opening {
                start: Position::from_fen(SMALL_BOARD).unwrap(),
                moves: Vec::new(),
            }],
            rules: self.rules,
            concurrency: self.concurrency,
            recover: self.recover,
            sprt: None,
            event: "test".to_owned(),
        };
        let notes = Notes { panics: self.panics, ..Notes::default() };
        let began = Instant::now();
        let (standing, ending) = tournament.run(standing, journal, &surroundings, &notes).unwrap();
        let took = began.elapsed();
        drop(surroundings);
        Outcome {
            ending,
            standing,
            warnings: notes.warnings.into_inner().unwrap(),
            records: fs::read_to_string(&files[1]).unwrap(),
            log: fs::read_to_string(&files[2]).unwrap(),
            took,
        }
    }
}

fn pairings() -> Vec<Pairing> {
    schedule(&Settings {
        engines: 2,
        format: Format::RoundRobin,
        rounds: GAMES / 2,
        games: 2,
        pairs: true,
        openings: 1,
        order: Order::Sequential,
        first_opening: 0,
        seed: 0,
    })
    .unwrap()
}

impl Outcome {
    /// All games are there, and the misbehaving engine has lost each of them for this cause.
    #[track_caller]
    fn assert_lost(&self, cause: Cause, words: &str) {
        assert_eq!(self.ending, Ending::Complete);
        assert_eq!(self.standing.results().len(), GAMES as usize);
        for result in self.standing.results() {
            assert_eq!((result.cause, result.half_points(1)), (cause, 0), "{result:?}");
            assert!(result.explanation.contains(words), "{result:?}");
        }
        assert!(self.records.contains(&format!("[Termination \"{cause}\"]")), "{}", self.records);
    }

    /// All games are there, and nobody did anything wrong in them.
    #[track_caller]
    fn assert_faultless(&self) {
        assert_eq!(self.ending, Ending::Complete);
        assert_eq!(self.standing.results().len(), GAMES as usize);
        for result in self.standing.results() {
            assert!(!result.cause.is_fault(), "{result:?}");
        }
    }

    #[track_caller]
    fn assert_within(&self, seconds: u64) {
        assert!(self.took < Duration::from_secs(seconds), "{:?}", self.took);
    }

    /// The match could not go on, and no game counts.
    #[track_caller]
    fn assert_stopped(&self, words: &str) {
        let Ending::Stopped { reason } = &self.ending else { panic!("{:?}", self.ending) };
        assert!(reason.contains(words), "{reason}");
        assert_eq!(self.standing.results(), []);
    }
}

/// An engine that loses every game in this way when asked for its second move.
fn loses(behaviour: &'static str, cause: Cause, words: &'static str) -> Test {
    Test::new(behaviour, move || Trial::of(behaviour).run().assert_lost(cause, words))
}

/// An engine that is odd, and does nothing wrong.
fn tolerated(behaviour: &'static str) -> Test {
    Test::new(behaviour, move || Trial::of(behaviour).run().assert_faultless())
}

pub fn tests() -> Vec<Test> {
    let mut tests = vec![
        loses("dies-mid-search", Cause::Crash, "exit code 7"),
        loses("exits-with-success", Cause::Crash, "exit code 0"),
        loses("closes-output", Cause::Crash, "closed its output"),
        loses("never-answers", Cause::Stall, "no bestmove for"),
        loses("illegal-move", Cause::IllegalMove, "'a1a1,a1a1'"),
        loses("garbage-move", Cause::IllegalMove, "'xyzzy'"),
        loses("half-a-move", Cause::IllegalMove, "played the illegal move"),
        loses("no-move", Cause::IllegalMove, "'(none)': there are legal moves"),
        loses("empty-move", Cause::ProtocolError, "'bestmove'"),
        loses("two-bestmoves", Cause::ProtocolError, "that nobody asked for"),
        loses("megabyte-line", Cause::Stall, "but in its output a line of more than"),
        loses("invalid-utf8-move", Cause::Stall, "not UTF-8"),
        loses("endless-info", Cause::Stall, "no bestmove for"),
        tolerated("behaves"),
        tolerated("garbage"),
        tolerated("megabyte-lines"),
        tolerated("invalid-utf8"),
        tolerated("ignores-quit"),
    ];
    tests.extend([
        Test::new("dies-at-start", dies_at_start),
        Test::new("no-uciok", || never_ready("no-uciok", "no answer to the greeting")),
        Test::new("no-readyok", || never_ready("no-readyok", "no readyok")),
        Test::new("loads-slowly", loads_slowly),
        Test::new("no-such-program", no_such_program),
        Test::new("dies-between-games", dies_between_games),
        Test::new("answers-late", answers_late),
        Test::new("answers-after-stall", answers_after_stall),
        Test::new("floods-stderr", floods_stderr),
        Test::new("leaves-grandchild", leaves_grandchild),
        Test::new("refuses-option", refuses_option),
        Test::new("option-it-does-not-have", option_it_does_not_have),
        Test::new("without-recover", without_recover),
        Test::new("panic-of-the-runner", panic_of_the_runner),
        Test::new("plays-to-the-end", plays_to_the_end),
        Test::new("resigns", resigns),
        Test::new("longest-game", longest_game),
        Test::new("several-games-at-a-time", several_games_at_a_time),
    ]);
    tests
}

fn dies_at_start() {
    let outcome = Trial::of("dies-at-start").run();
    outcome.assert_stopped("exit code 3");
    outcome.assert_within(5);
    // It was tried three times.
    assert_eq!(outcome.warnings.len(), 2, "{:?}", outcome.warnings);
}

fn never_ready(behaviour: &'static str, words: &str) {
    let mut trial = Trial::of(behaviour);
    trial.deadlines.start = Duration::from_millis(700);
    let outcome = trial.run();
    outcome.assert_stopped(words);
    outcome.assert_within(10);
}

fn loads_slowly() {
    let mut trial = Trial::of("loads-slowly");
    // Loading is not thinking, and not answering either.
    trial.deadlines.ready = Duration::from_millis(1000);
    trial.deadlines.search = Duration::from_millis(1000);
    trial.run().assert_faultless();
}

fn no_such_program() {
    let folder = TempDir::new().unwrap();
    let trial = Trial::of("behaves");
    // The engine's folder is not there.
    let mut launch = mock("behaves", &folder.path().join("pids"));
    launch.program = "/nowhere/engine".into();
    let entrant = Entrant {
        name: "ghost".to_owned(),
        launch,
        dialect: Dialect::Uci,
        options: Vec::new(),
        allowance: trial.allowance,
        restart: false,
    };
    let surroundings = Surroundings {
        deadlines: trial.deadlines,
        interrupt: Interrupt::default(),
        log: Log::default(),
        watchdog: None,
    };
    let started = otrera::arena::player::Player::start(Arc::new(entrant), surroundings);
    let error = started.err().expect("there is no such program").to_string();
    assert!(error.starts_with("/nowhere/engine cannot be started: "), "{error}");
}

fn dies_between_games() {
    let outcome = Trial::of("dies-between-games").run();
    outcome.assert_faultless();
    let told =
        |warning: &String| warning.contains("exit code 4") && warning.contains("started again");
    assert!(outcome.warnings.iter().any(told), "{:?}", outcome.warnings);
}

fn answers_late() {
    let outcome = Trial::of("answers-late").on_a_clock("0.3").run();
    outcome.assert_lost(Cause::Time, "overran its time by");
    // One process for all games: its late answers were not taken for those of the next game.
    let started = outcome
        .log
        .lines()
        .filter(|line| line.contains("answers-late[") && line.ends_with("started"));
    assert_eq!(started.count(), 1, "{}", outcome.log);
}

/// An answer that comes when nobody waits for it any more does no harm.
fn answers_after_stall() {
    let mut trial = Trial::of("answers-late").on_a_clock("0.1");
    trial.deadlines.stop = Duration::from_millis(100);
    trial.run().assert_lost(Cause::Stall, "no bestmove for");
}

fn floods_stderr() {
    let outcome = Trial::of("floods-stderr").run();
    outcome.assert_faultless();
    // Kept, and bounded.
    assert!(outcome.log.contains("eeeee"), "standard error is kept in the log");
    assert!(outcome.log.len() < 8 << 20, "{}", outcome.log.len());
}

fn leaves_grandchild() {
    let outcome = Trial::of("leaves-grandchild").run();
    outcome.assert_lost(Cause::Crash, "exit code 5");
    // Although somebody holds its pipes, the end of the engine is noticed.
    outcome.assert_within(10);
}

fn refuses_option() {
    let mut trial = Trial::of("refuses-option");
    trial.options = vec![("style".to_owned(), Some("odd".to_owned()))];
    let outcome = trial.run();
    outcome.assert_faultless();
    let told = |warning: &String| warning.contains("No such option: Style");
    assert!(outcome.warnings.iter().any(told), "{:?}", outcome.warnings);
}

fn option_it_does_not_have() {
    let mut trial = Trial::of("behaves");
    trial.options = vec![("Hash".to_owned(), Some("16".to_owned()))];
    trial.run().assert_stopped("no option 'Hash'");
    trial.options = vec![("Style".to_owned(), Some("wild".to_owned()))];
    trial.run().assert_stopped("its option 'Style' does not take 'wild'");
}

/// Without `-recover` the game with the crash counts, and is the last one.
fn without_recover() {
    let mut trial = Trial::of("dies-mid-search");
    trial.recover = false;
    let outcome = trial.run();
    let Ending::Stopped { reason } = &outcome.ending else { panic!("{:?}", outcome.ending) };
    assert!(reason.contains("exit code 7") && reason.contains("-recover"), "{reason}");
    assert_eq!(outcome.standing.results().len(), 1);
    assert_eq!(outcome.standing.results()[0].cause, Cause::Crash);
}

fn panic_of_the_runner() {
    let folder = TempDir::new().unwrap();
    let mut trial = Trial::of("ignores-quit");
    (trial.panics, trial.concurrency) = (true, 2);
    let run = std::panic::AssertUnwindSafe(|| trial.run_in(folder.path()));
    assert!(std::panic::catch_unwind(run).is_err());
    assert_none_left(&folder.path().join("pids"));
}

fn plays_to_the_end() {
    let mut trial = Trial::of("behaves");
    trial.rules.adjudicate = false;
    let outcome = trial.run();
    outcome.assert_faultless();
    for result in outcome.standing.results() {
        assert_eq!(result.cause, Cause::NoMoves);
    }
    for record in otrera::record::read(&outcome.records).unwrap() {
        assert!(!record.last_position().has_step());
    }
}

fn resigns() {
    let rule = Some(Resign { moves: 1, score: 500 });
    let rules = Rules { adjudicate: false, resign: rule, max_moves: None };
    let agreed = Trial { behaviours: ["optimist", "pessimist"], rules, ..Trial::of("behaves") };
    agreed.run().assert_lost(Cause::Resigned, "resigns");
    // Two who both think that they win go on to the end.
    let at_odds = Trial { behaviours: ["optimist", "optimist"], rules, ..Trial::of("behaves") };
    for result in at_odds.run().standing.results() {
        assert_eq!(result.cause, Cause::NoMoves);
    }
}

fn longest_game() {
    let mut trial = Trial::of("behaves");
    trial.rules = Rules { adjudicate: false, resign: None, max_moves: Some(1) };
    let outcome = trial.run();
    for result in outcome.standing.results() {
        assert_eq!((result.cause, result.half_points(0), result.turns), (Cause::MaxMoves, 1, 2));
    }
    assert_eq!(outcome.standing.table().pairs(0, 1).split, u64::from(GAMES) / 2);
}

fn several_games_at_a_time() {
    let mut trial = Trial::of("dies-mid-search");
    trial.concurrency = 3;
    trial.run().assert_lost(Cause::Crash, "exit code 7");
}
