//! The loop of self-play, training and contests at its smallest: from nothing to networks that beat
//! a random player, however often it is interrupted, in the library and on the command line.
#![cfg(feature = "learn")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use assert_cmd::Command;
use otrera::amazons::{Move, Position, Step};
use otrera::eval::Kernel;
use otrera::eval::network::{Network, file};
use otrera::game::Colour;
use otrera::learn::contest::{ContestError, Player, Searcher, play, standard};
use otrera::learn::data::Reader;
use otrera::learn::generations::{Event, Files, Run, Settings, Table};
use otrera::learn::train::Length;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// How long the program may take for a tiny run, on a busy machine too.
const PATIENCE: Duration = Duration::from_secs(120);

const GENERATIONS: u32 = 3;

fn tiny() -> Settings {
    let mut settings = Settings { games: 60, window: 100, ..Settings::default() };
    settings.selfplay.visits = 24;
    settings.selfplay.arrow_visits = 12;
    settings.train.length = Length::Steps(150);
    settings.train.batch = 256;
    settings.contest.nodes = 24;
    settings.contest.games = 20;
    settings
}

/// Plays any legal move.
struct Random(Xoshiro256PlusPlus);

impl Player for Random {
    fn choose(&mut self, position: &Position, _: &[Step]) -> Result<Move, ContestError> {
        let moves = position.legal_moves();
        Ok(moves[self.0.random_range(0..moves.len())])
    }
}

/// The name of a stage of a generation.
fn stage(event: Event) -> Option<String> {
    match event {
        Event::Selfplay(generation, _) => Some(format!("self-play {generation}")),
        Event::Training(generation, _) => Some(format!("training {generation}")),
        Event::Contest(generation, _) => Some(format!("contest {generation}")),
        Event::Finished(_) => None,
    }
}

/// Works until the run is finished, and starts again after each interruption; with
/// `interruptions`, each stage is interrupted as soon as it tells of itself. Returns the number of
/// starts.
fn work(directory: &Path, interruptions: bool) -> u32 {
    let interrupted = Mutex::new(BTreeSet::new());
    for starts in 1.. {
        let stop = AtomicBool::new(false);
        let observe = |event: Event| {
            if let Some(stage) = stage(event)
                && interruptions
                && interrupted.lock().unwrap().insert(stage)
            {
                stop.store(true, Ordering::Relaxed);
            }
        };
        let mut run = Run::open(directory).unwrap();
        run.set_settings(tiny()).unwrap();
        if run.go_on(Some(GENERATIONS), "test", &stop, &observe).unwrap() {
            return starts;
        }
    }
    unreachable!("there are enough numbers");
}

fn network(path: &Path) -> Network {
    let (weights, _) = file::decode(&fs::read(path).unwrap()).unwrap();
    Network::new(Kernel::best(), weights)
}

#[test]
fn three_generations_from_nothing_beat_a_random_player() {
    let directory = tempfile::tempdir().unwrap();
    let (whole, broken) = (directory.path().join("whole"), directory.path().join("broken"));
    assert_eq!(work(&whole, false), 1);
    let starts = work(&broken, true);
    // Some stages are over before they notice, but not all of them.
    assert!(starts >= 5, "only {starts} starts");

    let table = Table::read(&whole).unwrap();
    assert_eq!(table.rows.len(), GENERATIONS as usize);
    let interrupted = Table::read(&broken).unwrap();
    for (row, other) in table.rows.iter().zip(&interrupted.rows) {
        assert_eq!(row.played, other.played);
        assert_eq!(row.trained, other.trained);
        assert_eq!(row.judged, other.judged);
    }
    for generation in 0..GENERATIONS {
        let [one, other] = [&whole, &broken].map(|directory| Files::new(directory));
        let same = |path: fn(&Files, u32) -> std::path::PathBuf| {
            fs::read(path(&one, generation)).unwrap() == fs::read(path(&other, generation)).unwrap()
        };
        assert!(same(Files::games), "games of generation {generation}");
        assert!(same(Files::network), "network of generation {generation}");
    }

    let best = table.rows.iter().rev().find(|row| row.judged.promoted).unwrap().generation;
    let network = network(&Files::new(&whole).network(best));
    for (number, start) in standard(1).unwrap().iter().take(20).enumerate() {
        let mut learned = Searcher::new(network.clone(), tiny().contest.nodes, start).unwrap();
        let mut random = Random(Xoshiro256PlusPlus::seed_from_u64(number as u64));
        let colour = Colour::BOTH[number % 2];
        let players: [&mut dyn Player; 2] = match colour {
            Colour::White => [&mut learned, &mut random],
            Colour::Black => [&mut random, &mut learned],
        };
        let game = play(start, players, &|| false).unwrap().unwrap();
        assert_eq!(game.winner, colour, "game {number}");
    }
}

#[test]
fn games_of_an_older_engine_are_kept() {
    let directory = tempfile::tempdir().unwrap();
    let files = Files::new(directory.path());
    let mut run = Run::open(directory.path()).unwrap();
    run.set_settings(tiny()).unwrap();
    let stop = AtomicBool::new(false);
    let observe = |event: Event| match event {
        Event::Selfplay(_, progress) if progress.games >= 20 => stop.store(true, Ordering::Relaxed),
        _ => {}
    };
    assert!(!run.go_on(Some(1), "older", &stop, &observe).unwrap());
    assert!(run.go_on(Some(1), "newer", &AtomicBool::new(false), &|_| ()).unwrap());
    let mut numbers = Vec::new();
    for (path, engine) in [(files.part(0, 1), "older"), (files.games(0), "newer")] {
        let reader = Reader::open(&path).unwrap();
        assert_eq!(reader.header().source.engine, engine);
        numbers.extend(reader.map(|game| game.unwrap().number));
    }
    assert_eq!(numbers, (0..tiny().games).collect::<Vec<_>>());
    let row = &run.table().rows[0];
    assert_eq!((row.played.games, row.trained.window), (tiny().games, tiny().games));
}

fn otrera(arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::cargo_bin("otrera").unwrap();
    let output = command.args(arguments).timeout(PATIENCE).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn the_command_prints_a_line_for_each_generation() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().to_str().unwrap();
    let arguments = [
        "learn",
        path,
        "--games=20",
        "--visits=8",
        "--window=1000",
        "--set",
        "train.length={\"Steps\":20}",
        "--set",
        "contest.games=4",
        "--set",
        "contest.nodes=8",
        "--generations",
    ];
    let (code, first, error) = otrera(&[&arguments[..], &["1"]].concat());
    assert_eq!(code, Some(0), "{error}");
    assert_eq!(first.lines().count(), 2, "{first}");
    for stage in
        ["generation 0: self-play, ", "generation 0: training, ", "generation 0: contest, "]
    {
        assert!(error.contains(stage), "{stage}: {error}");
    }
    let (code, second, error) = otrera(&[&arguments[..], &["2"]].concat());
    assert_eq!(code, Some(0), "{error}");
    assert!(second.starts_with(&first), "{second}");
    assert_eq!(second.lines().count(), 3, "{second}");
    let (_, table, _) = otrera(&["learn", path, "--table"]);
    assert_eq!(table, second);
    let (code, again, _) = otrera(&[&arguments[..], &["2"]].concat());
    assert_eq!((code, again), (Some(0), second));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().to_str().unwrap();
    let nothing = directory.path().join("nothing").display().to_string();
    let text = directory.path().join("text").display().to_string();
    fs::write(&text, "nothing of the kind").unwrap();
    for (arguments, words) in [
        (&["--games", "0"][..], "a number of games above 0"),
        (&["--visits", "1"], "visits must be 2 to 30000"),
        (&["--set", "nonsense=1"], "there is no setting nonsense"),
        (&["--set", "train=1"], "invalid type: integer `1`"),
        (&["--set", "train.batch"], "NAME=VALUE is expected"),
        (&["--set", "train.batch=many"], "many"),
        (&["--set", "contest.elo1=-5"], "elo0=0 must be below elo1=-5"),
        (&["--set", "contest.games=1000000"], "1000000 games need 500000 openings"),
        (&["--start", &nothing], "nothing: "),
        (&["--start", &text], "text: not a network"),
        (&["--data", &text], "text: this is no file of self-play"),
    ] {
        let (code, out, error) = otrera(&[&["learn", path], arguments].concat());
        assert_eq!((code, out.as_str()), (Some(2), ""), "{arguments:?}: {error}");
        assert!(error.starts_with("otrera: ") && error.contains(words), "{arguments:?}: {error}");
        assert_eq!(error.lines().count(), 1, "{arguments:?}: {error}");
    }
    let (code, _, error) = otrera(&["learn", &nothing, "--table"]);
    assert_eq!(code, Some(2));
    assert!(error.contains("there is no run in"), "{error}");
}
