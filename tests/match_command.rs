//! `otrera match` and `otrera convert` as a user meets them, with real engines.

use std::fs;
use std::path::Path;
use std::process::Output;

use assert_cmd::Command;
use otrera::record;
use tempfile::TempDir;

fn otrera(folder: &Path, words: &[&str]) -> Output {
    Command::cargo_bin("otrera").unwrap().current_dir(folder).args(words).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// The words of a match between two Otreras.
fn otreras<'a>(cmd: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut words = vec!["match"];
    words.extend(["-engine", cmd, "args=uci", "name=First"]);
    words.extend(["-engine", cmd, "args=ugi", "proto=ugi", "name=Second"]);
    words.extend(["-each", "nodes=1", "option.Hash=1"]);
    words.extend(more);
    words
}

fn cmd() -> String {
    format!("cmd={}", env!("CARGO_BIN_EXE_otrera"))
}

#[test]
fn two_otreras_play_and_all_is_kept() {
    let folder = TempDir::new().unwrap();
    let cmd = cmd();
    let words = otreras(
        &cmd,
        &[
            "-rounds",
            "3",
            "-concurrency",
            "2",
            "-pgnout",
            "file=games.pgn",
            "-result",
            "results.jsonl",
            "-log",
            "log.txt",
            "-report",
            "report.html",
            "-ratinginterval",
            "4",
        ],
    );
    let output = otrera(folder.path(), &words);
    assert!(output.status.success(), "{output:?}");
    let said = stdout(&output);
    assert!(said.contains("Results of First vs Second (nodes 1):"), "{said}");
    assert!(said.contains("Games: 4,") && said.contains("Games: 6,"), "{said}");
    assert!(said.contains("Pairs (LL, LD, split, WD, WW):"), "{said}");
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    let games = record::read(&read("games.pgn")).unwrap();
    assert_eq!(games.len(), 6);
    for game in &games {
        assert!(game.result.is_some());
        let last = game.plies.last().unwrap();
        assert!(last.remark.as_deref().is_some_and(|remark| remark.contains(" wins: ")));
        assert!(game.plies.iter().all(|ply| ply.thought.time.is_some()));
        assert!(game.plies.iter().all(|ply| ply.thought.score.is_some()));
    }
    assert_eq!(read("results.jsonl").lines().count(), 7);
    assert!(read("log.txt").contains("< go nodes 1"));
    let page = read("report.html");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<svg"), "{page}");
    assert!(!page.contains("src=") && !page.contains("href="), "it needs nothing else");

    // The result file is the match: it is not overwritten, and nothing is left to resume.
    let again = otrera(folder.path(), &words);
    assert_eq!(again.status.code(), Some(2));
    assert!(stderr(&again).contains("exists already"), "{again:?}");
    let resumed = otrera(folder.path(), &["match", "-resume", "results.jsonl"]);
    assert!(resumed.status.success() && stdout(&resumed).contains("Games: 6,"), "{resumed:?}");
    // More rounds are a longer match with the same beginning.
    let words = ["match", "-resume", "results.jsonl", "-rounds", "4"];
    let longer = otrera(folder.path(), &words);
    assert!(stdout(&longer).contains("Games: 8,"), "{longer:?}");
    assert_eq!(record::read(&read("games.pgn")).unwrap().len(), 8);
}

#[test]
fn a_round_robin_has_a_cross_table() {
    let folder = TempDir::new().unwrap();
    let cmd = cmd();
    let words = otreras(&cmd, &["-engine", &cmd, "args=uci", "name=Third"]);
    let output = otrera(folder.path(), &words);
    assert!(output.status.success(), "{output:?}");
    let said = stdout(&output);
    assert!(said.contains("Rank") && said.contains("Third"), "{said}");
}

#[test]
fn the_exit_code_tells_what_the_test_says() {
    let folder = TempDir::new().unwrap();
    let cmd = cmd();
    // A tiny match cannot decide between hypotheses that lie close together.
    let words = otreras(&cmd, &["-sprt", "elo0=0", "elo1=5"]);
    let output = otrera(folder.path(), &words);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert!(stdout(&output).contains("LLR: "), "{output:?}");
}

#[test]
fn errors_are_one_sentence_that_names_the_word() {
    let folder = TempDir::new().unwrap();
    let cmd = cmd();
    for (more, part) in [
        (vec!["-bogus"], "there is no option '-bogus'"),
        (vec!["-rounds", "x"], "'x' after -rounds"),
        (vec!["-openings", "file=none.epd"], "none.epd"),
        (vec!["-engine", "cmd=/nowhere/engine", "nodes=1"], "/nowhere/engine cannot be started"),
        (vec!["-engine", &cmd, "args=uci", "option.Nonsense=1"], "no option 'Nonsense'"),
    ] {
        let output = otrera(folder.path(), &otreras(&cmd, &more));
        assert_eq!(output.status.code(), Some(2), "{more:?}: {output:?}");
        let said = stderr(&output);
        let last = said.trim_end().lines().last().unwrap_or_default();
        assert!(last.starts_with("otrera") && last.contains(part), "{more:?}: {said}");
    }
}

#[test]
fn help_is_there() {
    let folder = TempDir::new().unwrap();
    for word in ["--help", "-h", "-help"] {
        let output = otrera(folder.path(), &["match", word]);
        assert!(output.status.success());
        assert!(stdout(&output).contains("-concurrency N"), "{output:?}");
    }
}

#[test]
fn a_newcomer_sees_a_game() {
    let folder = TempDir::new().unwrap();
    let output = otrera(folder.path(), &["match"]);
    assert!(output.status.success(), "{output:?}");
    let said = stdout(&output);
    assert!(said.contains("1. white (Thinker) plays "), "{said}");
    assert!(said.trim_end().ends_with(" has won."), "{said}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "it leaves no files");
}

#[test]
fn records_are_converted_there_and_back() {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    let games = "[White \"A\"]\n\n1. d1-d7/g7 {+0.35/12 n=4000} d10-d8/d10 1-0\n\n1. Qdd6,g9 *\n";
    write("a.pgn", games);
    for (input, output) in [("a.pgn", "b.sgf"), ("b.sgf", "c.pgn"), ("c.pgn", "d.sgf")] {
        let output = otrera(folder.path(), &["convert", input, output]);
        assert!(output.status.success(), "{output:?}");
    }
    assert_eq!(read("b.sgf"), read("d.sgf"));
    assert!(read("c.pgn").contains("1. d1-d7/g7 {+0.35/12 n=4000} d10-d8/d10 1-0"));
    let words = ["convert", "a.pgn", "-", "--to", "moves", "--notation", "uci"];
    let output = otrera(folder.path(), &words);
    assert_eq!(stdout(&output), "d1d7,d7g7 d10d8,d8d10\nd1d6,d6g9\n");
    let output = otrera(folder.path(), &["convert", "a.pgn", "x.doc"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("x.doc"), "{output:?}");
    write("bad.pgn", "1. d1-d7/g7 d1-d2/d3\n");
    let output = otrera(folder.path(), &["convert", "bad.pgn", "y.sgf"]);
    assert!(stderr(&output).contains("bad.pgn: line 1: after 1 moves, d1-d2/d3 is illegal"));
}
