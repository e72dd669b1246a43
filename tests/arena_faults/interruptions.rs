//! The runner itself is ended: by a kill -9, by Ctrl-C.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use otrera::record;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

use super::Test;
use super::faults::{assert_none_left, mock};

pub fn tests() -> Vec<Test> {
    vec![
        Test::new("kill-and-resume", kill_and_resume),
        Test::new("ctrl-c", ctrl_c),
        Test::new("ctrl-c-in-a-long-search", ctrl_c_in_a_long_search),
    ]
}

const GAMES: usize = 20;

fn runner(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_otrera"));
    command.arg("match").args(words).current_dir(folder);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Begins a match of twenty games between two mocks, two at a time.
fn begin(folder: &Path, behaviour: &str) -> Child {
    fs::write(folder.join("book.epd"), "3q/4/4/Q3 w\nq3/4/4/3Q w\n").unwrap();
    let launch = mock(behaviour, &folder.join("pids"));
    let cmd = format!("cmd={}", launch.program.display());
    let args = format!("args={}", launch.arguments.join(" "));
    let mut words = vec!["-engine", &cmd, &args, "name=A", "-engine", &cmd, &args, "name=B"];
    let rounds = (GAMES / 2).to_string();
    words.extend(["-each", "nodes=1", "-rounds", &rounds, "-concurrency", "2", "-recover"]);
    words.extend(["-openings", "file=book.epd", "order=random"]);
    words.extend(["-result", "results.jsonl", "-pgnout", "games.pgn", "-log", "log.txt"]);
    runner(folder, &words).spawn().unwrap()
}

/// The numbers of the games in a result file, as far as its lines are whole.
fn finished(folder: &Path) -> Vec<u64> {
    let text = fs::read_to_string(folder.join("results.jsonl")).unwrap_or_default();
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let game = |line: &str| serde_json::from_str::<Value>(line).unwrap()["game"].as_u64().unwrap();
    whole.lines().skip(1).map(game).collect()
}

fn wait_for(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < deadline, "waited too long for {what}");
        sleep(Duration::from_millis(5));
    }
}

fn pid(child: &Child) -> Pid {
    Pid::from_child(child)
}

fn kill_and_resume() {
    let temporary = TempDir::new().unwrap();
    let folder = temporary.path();
    let mut child = begin(folder, "thinks");
    // Killed three times, at different places, and always taken up again.
    for until in [3, 8, 14] {
        wait_for("some games", || finished(folder).len() >= until);
        kill_process(pid(&child), Signal::KILL).unwrap();
        child.wait().unwrap();
        assert_none_left(&folder.join("pids"));
        let before = finished(folder);
        assert!(before.len() < GAMES, "killed too late to see anything");
        // The worst that can happen to the files: a game that was being written.
        let results = folder.join("results.jsonl");
        let torn = fs::read_to_string(&results).unwrap() + "{\"game\":";
        fs::write(&results, torn).unwrap();
        let records = folder.join("games.pgn");
        let text = fs::read_to_string(&records).unwrap();
        fs::write(&records, &text[..text.len() - text.len().min(200)]).unwrap();
        child = runner(folder, &["-resume", "results.jsonl"]).spawn().unwrap();
        wait_for("the match to go on", || finished(folder).len() > before.len());
        assert_eq!(finished(folder)[..before.len()], before, "finished games are kept");
    }
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let mut games = finished(folder);
    games.sort_unstable();
    assert_eq!(games, (0..GAMES as u64).collect::<Vec<_>>(), "each game once");
    let report = String::from_utf8(output.stdout).unwrap();
    assert!(report.contains(&format!("Games: {GAMES}")), "{report}");
    let text = fs::read_to_string(folder.join("games.pgn")).unwrap();
    let records = record::read(&text).unwrap();
    let mut numbers: Vec<usize> = records
        .iter()
        .map(|record| record.tags.get("GameNumber").unwrap().parse().unwrap())
        .collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=GAMES).collect::<Vec<_>>(), "each record once");
    assert_none_left(&folder.join("pids"));
}

fn ctrl_c() {
    let temporary = TempDir::new().unwrap();
    let folder = temporary.path();
    let child = begin(folder, "thinks");
    wait_for("some games", || finished(folder).len() >= 3);
    kill_process(pid(&child), Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("match -resume"), "{said}");
    assert_none_left(&folder.join("pids"));
    // Nobody has lost a game because of it.
    let results = fs::read_to_string(folder.join("results.jsonl")).unwrap();
    assert!(!results.contains("crash") && !results.contains("stall"), "{results}");
    let text = fs::read_to_string(folder.join("games.pgn")).unwrap();
    assert_eq!(record::read(&text).unwrap().len(), finished(folder).len());
    let output = runner(folder, &["-resume", "results.jsonl"]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(finished(folder).len(), GAMES);
}

fn ctrl_c_in_a_long_search() {
    let temporary = TempDir::new().unwrap();
    let folder = temporary.path();
    let child = begin(folder, "thinks-long");
    let log = folder.join("log.txt");
    wait_for("a search", || fs::read_to_string(&log).unwrap_or_default().contains("< go"));
    let asked = Instant::now();
    kill_process(pid(&child), Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    // These mocks do not hear anything while they think, so they are killed after three seconds.
    assert!(asked.elapsed() < Duration::from_secs(10), "{:?}", asked.elapsed());
    assert_none_left(&folder.join("pids"));
}
