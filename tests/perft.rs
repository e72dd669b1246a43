//! `otrera perft` as its users see it.

use std::io::Read;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn otrera() -> Command {
    Command::new(env!("CARGO_BIN_EXE_otrera"))
}

fn perft(arguments: &[&str]) -> Output {
    otrera().arg("perft").args(arguments).output().unwrap()
}

/// Standard output of a run that must succeed.
fn printed(arguments: &[&str]) -> String {
    let output = perft(arguments);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Numbers from `tests/data/amazons.json`.
const SMALL: &str = "3q/4/4/Q3 w - - 0 1";
const SMALL_COUNTS: [u64; 4] = [72, 3977, 180_576, 6_223_832];

#[test]
fn the_count_is_printed() {
    assert_eq!(printed(&["0"]), "Nodes searched: 1\n");
    assert_eq!(printed(&["2"]), "Nodes searched: 4307152\n");
    for (depth, count) in (1..).zip(SMALL_COUNTS) {
        let expected = format!("Nodes searched: {count}\n");
        assert_eq!(printed(&[&depth.to_string(), SMALL, "--threads", "1"]), expected);
    }
}

#[test]
fn divide_prints_each_move_in_the_notation_asked_for() {
    let canonical = printed(&["3", SMALL, "--divide"]);
    let uci = printed(&["3", SMALL, "--divide", "--notation", "uci"]);
    for (text, example) in [(&canonical, "a1-b1/a1: "), (&uci, "a1b1,b1a1: ")] {
        let (moves, total) = text.split_once("\n\n").unwrap();
        let counts = moves.lines().map(|line| line.split_once(": ").unwrap().1);
        assert_eq!(moves.lines().count() as u64, SMALL_COUNTS[0]);
        assert!(moves.starts_with(example), "{text}");
        assert_eq!(counts.map(|count| count.parse::<u64>().unwrap()).sum::<u64>(), SMALL_COUNTS[2]);
        assert_eq!(total, format!("Nodes searched: {}\n", SMALL_COUNTS[2]));
    }
}

#[test]
fn bad_arguments_are_told_in_a_sentence() {
    let cases: [(&[&str], &str); 4] = [
        (&["1", "3k w"], "rank 1 holds 'k'"),
        (&["1", "Q1 w - a1"], "in the middle of a turn"),
        (&["three"], "invalid digit"),
        (&["1", "--divide", "--notation", "morse"], "'morse' is no notation: canonical, plain"),
    ];
    for (arguments, sentence) in cases {
        let output = perft(arguments);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(output.stdout.is_empty());
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains(sentence), "{error}");
    }
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output =
        otrera().args(["perft", "2", "--divide"]).stdout(writer).stderr(Stdio::piped()).output();
    let output = output.unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_a_long_count_with_what_there_is() {
    let mut child = otrera()
        .args(["perft", "6", "--divide"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Long enough for the handler to be in place, short of any chance to be done.
    std::thread::sleep(Duration::from_millis(500));
    let sent = Instant::now();
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let status = child.wait().unwrap();
    assert!(sent.elapsed() < Duration::from_secs(5), "{:?}", sent.elapsed());
    assert_eq!(status.code(), Some(3));
    let (mut out, mut err) = (String::new(), String::new());
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert!(out.ends_with("Nodes searched: 0\n"), "{out}");
    assert!(err.contains("interrupted: 0 of 2176 moves counted"), "{err}");
}
