//! `otrera train` as a user meets it.

#![cfg(feature = "learn")]

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command as Process, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use assert_cmd::Command;
use otrera::amazons::Position;
use otrera::game::{Game as _, Value};
use otrera::learn::data::{Ended, Game, Header, Record, Source, Writer};

/// How long a small job may take at most, on a busy machine too.
const PATIENCE: Duration = Duration::from_secs(60);

/// A game in which every step is the one in the middle of all legal ones, the first ones drawn by
/// the number, and a search thinks so, too.
fn game(number: u64) -> Game {
    let start = Position::start();
    let mut position = start.clone();
    let (mut steps, mut records, mut legal) = (Vec::new(), Vec::new(), Vec::new());
    loop {
        position.steps(&mut legal);
        if legal.is_empty() {
            break;
        }
        let drawn = if steps.len() < 4 { number as usize * (7 + steps.len()) } else { 0 };
        let place = (legal.len() / 2 + drawn) % legal.len();
        let at = steps.len() as u16;
        records.push(Record { at, visits: vec![(place as u16, 10)], value: Value::EVEN });
        position.play(legal[place]);
        steps.push(legal[place]);
    }
    let winner = !position.side_to_move();
    Game { number, start, steps, records, winner, margin: 0, ended: Ended::PlayedOut }
}

fn write_games(path: &Path) {
    let source = Source { engine: "none".to_owned(), network: None };
    let settings = serde_json::Value::Null;
    let header = Header { source, settings, games: 0..60, shard: 0, shards: 1 };
    let mut writer = Writer::new(File::create(path).unwrap(), &header).unwrap();
    (0..60).map(game).for_each(|game| writer.write(&game).unwrap());
    writer.finish().unwrap();
}

fn train(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("otrera").unwrap();
    command.arg("train").args(arguments).current_dir(directory).timeout(PATIENCE);
    command
}

/// The program must leave with exit code 2 and one sentence that contains these words.
#[track_caller]
fn assert_refused(directory: &Path, arguments: &[&str], words: &[&str]) {
    let output = train(directory, arguments).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
    assert_eq!(error.trim_end().lines().count(), 1, "{arguments:?}: {error}");
    assert!(output.stdout.is_empty(), "{arguments:?} printed on standard output");
    for word in words {
        assert!(error.contains(word), "{arguments:?} without {word}: {error}");
    }
}

#[test]
fn a_network_is_trained_and_told_about() {
    let directory = tempfile::tempdir().unwrap();
    write_games(&directory.path().join("games"));
    let arguments = ["--out", "out", "--steps", "30", "--batch", "128", "games"];
    let output = train(directory.path(), &arguments).output().unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{told}");
    for words in ["60 games", "30 steps", "held out", "same best step", "calibration"] {
        assert!(told.contains(words), "{words}: {told}");
    }
    let files = ["network.otrera", "checkpoint", "report.json", "losses.svg", "calibration.svg"];
    for file in files {
        assert!(directory.path().join("out").join(file).exists(), "{file}");
    }
    // What is done already is told about once more.
    let again = train(directory.path(), &arguments).output().unwrap();
    assert_eq!(again.status.code(), Some(0));
    assert_eq!(String::from_utf8(again.stdout).unwrap(), told);
    let other = ["--out", "out", "--steps", "31", "--batch", "128", "games"];
    assert_refused(directory.path(), &other, &["out/checkpoint", "other settings"]);
    let next = ["--out", "next", "--start", "out/checkpoint", "--steps", "2", "games"];
    train(directory.path(), &next).assert().code(0);
}

#[test]
fn what_cannot_be_used_is_refused_in_a_sentence() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    write_games(&path.join("games"));
    fs::write(path.join("text"), "no games here").unwrap();
    assert_refused(path, &["--out", "out", "missing"], &["missing"]);
    assert_refused(path, &["--out", "out", "text"], &["text", "no file of self-play"]);
    assert_refused(path, &["--out", "out", "--batch", "0", "games"], &["batch"]);
    assert_refused(path, &["--out", "text", "games"], &["text"]);
    let start = ["--out", "out", "--start", "games", "games"];
    assert_refused(path, &start, &["games", "no checkpoint"]);
    train(path, &["--out", "out"]).assert().code(2);
    train(path, &["--out", "out", "--steps", "5", "--passes", "1", "games"]).assert().code(2);
}

#[cfg(unix)]
#[test]
fn an_interrupt_keeps_what_was_learned() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    write_games(&path.join("games"));
    let program = Command::cargo_bin("otrera").unwrap().get_program().to_owned();
    let mut child = Process::new(program)
        .args(["train", "--out", "out", "--steps", "1000000", "games"])
        .current_dir(path)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It makes the directory once it listens to interrupts.
    let begun = Instant::now();
    while !path.join("out").exists() {
        assert!(begun.elapsed() < PATIENCE, "it does not begin");
        thread::sleep(Duration::from_millis(10));
    }
    thread::sleep(Duration::from_millis(1000));
    let kill = Process::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("it does not stop");
        }
        thread::sleep(Duration::from_millis(10));
    }
    let output = child.wait_with_output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{error}");
    assert!(error.contains("interrupted after") && error.contains("of 1000000"), "{error}");
}
