//! The program as a user meets it: what it prints where, and with which exit code it leaves.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command as Process, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use assert_cmd::Command;
use otrera::amazons::{Move, Position};
use serde_json::Value;

/// How long a small job may take at most, on a busy machine too.
const PATIENCE: Duration = Duration::from_secs(60);

/// White can move, Black never can.
const CORNER: &str = "q*1/**1/2Q w";

fn otrera(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("otrera").unwrap();
    command.args(arguments).timeout(PATIENCE);
    command
}

/// Runs the program, which must succeed, and returns its standard output.
#[track_caller]
fn output(arguments: &[&str]) -> String {
    let output = otrera(arguments).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

/// The program must leave with an error: exit code 2, nothing on standard output. Returns what it
/// says on standard error.
#[track_caller]
fn refusal(arguments: &[&str]) -> String {
    let output = otrera(arguments).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
    assert!(output.stdout.is_empty(), "{arguments:?} printed on standard output");
    assert!(!error.contains("panicked"), "{arguments:?}: {error}");
    error
}

/// Exit code 2 with one sentence that contains these words.
#[track_caller]
fn assert_refused(arguments: &[&str], words: &[&str]) {
    let error = refusal(arguments);
    assert_eq!(error.trim_end().lines().count(), 1, "{arguments:?}: {error}");
    assert!(error.starts_with("otrera: "), "{arguments:?}: {error}");
    for word in words {
        assert!(error.contains(word), "{arguments:?} without {word}: {error}");
    }
}

#[test]
fn help_and_version_are_answers() {
    let help = output(&["--help"]);
    for command in
        ["uci", "ugi", "perft", "bench", "analyse", "score", "solve", "openings", "match"]
    {
        let described = help.lines().any(|line| line.trim_start().starts_with(command));
        assert!(described, "{command} is not in the help");
        assert!(output(&[command, "--help"]).contains(&format!("Usage: otrera {command}")));
    }
    let version = format!("otrera {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(output(&["--version"]), version);
}

#[test]
fn a_wrong_command_line_is_refused() {
    for arguments in [
        &["nonsense"][..],
        &["--nonsense"],
        &["perft"],
        &["perft", "two"],
        &["perft", "-1"],
        &["perft", "99999999999999999999"],
        &["perft", "1", "--threads", "0"],
        &["bench", "--hash", "0"],
        &["bench", "--nodes", "many"],
        &["analyse", "--lines", "0"],
        &["analyse", "--hash", "99999999999"],
        &["analyse", "--threads", "0"],
        &["analyse", "--threads", "1025"],
        &["bench", "--threads", "1025"],
    ] {
        let error = refusal(arguments);
        assert!(error.starts_with("error: "), "{arguments:?}: {error}");
    }
}

#[test]
fn bad_positions_moves_and_times_get_one_sentence() {
    for command in ["perft 1", "analyse --nodes 1", "score", "solve"] {
        let command: Vec<&str> = command.split(' ').collect();
        let refused = |fen, words: &[&str]| assert_refused(&[&command[..], &[fen]].concat(), words);
        refused("nonsense", &["'nonsense'", "'n'"]);
        refused("", &["empty"]);
        refused("3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q2 w", &["rank 1"]);
        refused("11/11 w", &["'11'"]);
        refused("3/3/3 x", &["'x'"]);
    }
    assert_refused(&["analyse", "--nodes", "1", "--moves", "a1a2"], &["a1a2"]);
    assert_refused(&["analyse", "--nodes", "1", "--moves", "d1d2,d2d3", "z9"], &["z9"]);
    assert_refused(
        &["analyse", "--nodes", "1", "--moves", "d1d2,d2d3", "d2d3,d3d4"],
        &["d2d3,d3d4", "illegal"],
    );
    for time in ["nan", "--time=-1", "-inf"] {
        let time = time.trim_start_matches("--time=");
        assert_refused(&["analyse", &format!("--time={time}")], &["--time", "seconds"]);
        assert_refused(&["solve", CORNER, &format!("--time={time}")], &["--time", "seconds"]);
    }
}

#[test]
fn memory_that_is_not_there_is_refused() {
    let hash = u32::MAX.to_string();
    assert_refused(&["analyse", "--nodes", "1", "--hash", &hash], &[&hash, "MiB"]);
    assert_refused(&["solve", CORNER, "--hash", &hash], &[&hash, "MiB"]);
}

#[test]
fn perft_counts() {
    // 2176: the oracle of the start position.
    assert_eq!(output(&["perft", "1"]), "Nodes searched: 2176\n");
    assert_eq!(output(&["perft", "0"]), "Nodes searched: 1\n");
    assert_eq!(output(&["perft", "7", "10/10/10/10 w"]), "Nodes searched: 0\n");

    let divided = output(&["perft", "2", "--divide", "--threads", "2"]);
    let (moves, total) = divided.split_once("\n\n").unwrap();
    let counts: Vec<u64> =
        moves.lines().map(|line| line.rsplit_once(": ").unwrap().1.parse().unwrap()).collect();
    assert_eq!(counts.len(), 2176);
    assert_eq!(total.trim_end(), format!("Nodes searched: {}", counts.iter().sum::<u64>()));

    let uci = output(&["perft", "1", "--divide", "--notation", "uci"]);
    let first = uci.lines().next().unwrap().strip_suffix(": 1").unwrap();
    let (queen, arrow) = first.split_once(',').unwrap();
    assert!(queen.ends_with(&arrow[..2]), "{first} names the square reached twice");
}

#[test]
fn bench_prints_a_signature_that_both_paths_share() {
    let signature = |arguments: &[&str]| {
        let printed = output(&[&["bench", "--nodes", "50"], arguments].concat());
        let (_, signature) = printed.trim_end().rsplit_once("\nsignature: ").unwrap();
        assert_eq!(signature.len(), 16);
        u64::from_str_radix(signature, 16).unwrap()
    };
    let fast = signature(&[]);
    assert_eq!(fast, signature(&["--portable"]));
    assert_eq!(fast, signature(&["--hash", "8"]));
}

#[test]
fn analyse_prints_legal_lines() {
    let nodes = ["analyse", "--nodes", "300", "--threads", "1"];
    let json = output(&[&nodes[..], &["--lines", "4", "--json"]].concat());
    let analysis: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(analysis["nodes"], 300);
    let start = Position::start();
    assert_eq!(analysis["fen"], start.fen());
    let lines = analysis["lines"].as_array().unwrap();
    assert_eq!(lines.len(), 4);
    for line in lines {
        assert!((0.0..=1.0).contains(&line["win_probability"].as_f64().unwrap()));
        assert_eq!(line["proven"], false);
        let mut position = start.clone();
        for text in line["moves"].as_array().unwrap() {
            let mv = Move::read(text.as_str().unwrap(), &position).unwrap();
            position.try_move(mv).unwrap();
        }
        assert_ne!(position, start);
    }

    let table = output(&[&nodes[..], &["--lines", "1"]].concat());
    assert!(table.contains(&format!("White to move. {}", start.fen())));
    let best = table.lines().last().unwrap();
    assert!(best.contains(lines[0]["moves"][0].as_str().unwrap()), "{best}");
}

#[test]
fn analyse_knows_what_is_proven_and_what_is_over() {
    // White makes the last move: Black has none to answer.
    assert!(output(&["analyse", CORNER, "--nodes", "50"]).contains("proven win"));
    let json = output(&["analyse", CORNER, "--nodes", "50", "--json"]);
    let analysis: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(analysis["lines"][0]["proven"], true);
    assert_eq!(analysis["lines"][0]["win_probability"], 1.0);
    // Black to move has none.
    let over = CORNER.replace(" w", " b");
    assert!(output(&["analyse", &over, "--nodes", "50"]).contains("white has won"));
}

#[test]
fn analyse_goes_through_a_record() {
    let start = "3q/4/4/Q3 w - - 0 1";
    let text = format!(
        "[White \"One\"]\n[Black \"Other\"]\n[SetUp \"1\"]\n[FEN \"{start}\"]\n\n1. a1-a2/a3 d4-d2/b2 *\n"
    );
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.pgn");
    std::fs::write(&file, text).unwrap();
    let file = file.to_str().unwrap();
    let json = output(&["analyse", file, "--nodes", "400", "--threads", "2", "--json"]);
    let analysis: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(analysis["complete"], true);
    let game = &analysis["games"][0];
    assert_eq!(game["tags"]["White"], "One");
    let positions = game["positions"].as_array().unwrap();
    assert_eq!(positions.len(), 3);
    let mut position = Position::from_fen(start).unwrap();
    for (ply, (analysed, played)) in positions.iter().zip(["a1-a2/a3", "d4-d2/b2", "-"]).enumerate()
    {
        assert_eq!(analysed["ply"], ply + 1);
        assert_eq!(analysed["fen"], position.fen());
        if played == "-" {
            assert!(analysed["played"].is_null() && analysed["loss"].is_null());
            continue;
        }
        assert_eq!(analysed["played"], played);
        // What a move cost is the difference to what is left of the chances after it.
        let chance = |ply: usize| positions[ply]["win_probability"].as_f64().unwrap();
        let loss = (chance(ply) + chance(ply + 1) - 1.0).max(0.0);
        assert!((analysed["loss"].as_f64().unwrap() - loss).abs() < 1e-6);
        position.try_move(Move::read(played, &position).unwrap()).unwrap();
    }
    let table = output(&["analyse", file, "--nodes", "400"]);
    assert!(table.starts_with("One - Other, *\n"), "{table}");
    assert!(table.contains("d4-d2/b2"), "{table}");
    assert_refused(&["analyse", "no-such.pgn"], &["no-such.pgn"]);
    assert_refused(&["analyse", file, "--moves", "a1a2,a3"], &["--moves"]);
    std::fs::write(file, "").unwrap();
    assert_refused(&["analyse", file], &["no game"]);
}

/// Starts the program with pipes on all three streams.
fn start(arguments: &[&str]) -> Child {
    Process::new(env!("CARGO_BIN_EXE_otrera"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The program must end by itself, with success and without a word on standard error.
#[track_caller]
fn assert_ends_quietly(mut child: Child) {
    let deadline = Instant::now() + PATIENCE;
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None if Instant::now() > deadline => {
                let _ = child.kill();
                panic!("it goes on though nobody reads what it prints");
            }
            None => thread::sleep(Duration::from_millis(5)),
        }
    };
    let mut error = String::new();
    child.stderr.take().unwrap().read_to_string(&mut error).unwrap();
    assert_eq!(status.code(), Some(0), "{error}");
    assert!(error.is_empty(), "{error}");
}

#[test]
fn a_reader_who_leaves_ends_the_program_quietly() {
    // It prints a line for each position, and has many left when the first has been read.
    let mut child = start(&["bench", "--nodes", "3000"]);
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    assert!(line.contains("nodes/s"), "{line}");
    drop(output);
    assert_ends_quietly(child);

    for arguments in
        [&["--help"][..], &["analyse", "--nodes", "10"], &["analyse", "--nodes", "10", "--json"]]
    {
        let mut child = start(arguments);
        drop(child.stdout.take());
        assert_ends_quietly(child);
    }
}

#[test]
fn an_engine_whose_reader_leaves_in_a_search_ends_quietly() {
    let mut child = start(&["uci"]);
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    input.write_all(b"go infinite\n").unwrap();
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    assert!(line.starts_with("info "), "{line}");
    drop(output);
    // A search whose lines have settled reports every second: it is found out then at the latest.
    assert_ends_quietly(child);
}

#[test]
fn an_engine_ends_with_its_input() {
    for (arguments, lines) in
        [(&[][..], ""), (&["uci"], "uci\n"), (&["ugi"], "go infinite\n"), (&["uci"], "go infinite")]
    {
        let output = otrera(arguments).write_stdin(lines).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{lines:?}");
        assert!(output.stderr.is_empty(), "{lines:?}");
        if lines.starts_with("go") {
            let text = String::from_utf8(output.stdout).unwrap();
            assert!(text.lines().last().unwrap().starts_with("bestmove "), "{text}");
        }
    }
}

#[test]
fn an_engine_goes_on_after_what_it_cannot_do() {
    let lines = "nonsense\n\
        setoption name Hash value 1048576\n\
        setoption name Debug Log File value /nowhere/at/all\n\
        position fen nonsense\n\
        isready\n\
        go nodes 1\n";
    let mut child = start(&["uci"]);
    let mut input = child.stdin.take().unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    input.write_all(lines.as_bytes()).unwrap();
    let mut notes = 0;
    for line in output.lines().map(Result::unwrap) {
        notes += u32::from(line.starts_with("info string "));
        if line.starts_with("bestmove ") {
            break;
        }
    }
    // One for each of the four lines that cannot be done.
    assert_eq!(notes, 4);
    drop(input);
    assert_ends_quietly(child);
}

/// Linux has a file that is always full.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    for arguments in [
        &["--help"][..],
        &["perft", "1"],
        &["bench", "--nodes", "1"],
        &["analyse", "--nodes", "1", "--json"],
        &["uci"],
    ] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut child = Process::new(env!("CARGO_BIN_EXE_otrera"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(full)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(b"uci\n").unwrap_or_default();
        let output = child.wait_with_output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.starts_with("otrera: "), "{arguments:?}: {error}");
        assert_eq!(error.trim_end().lines().count(), 1, "{arguments:?}: {error}");
    }
}

/// Runs `otrera solve`, which must leave with this exit code, and returns the lines it prints.
#[track_caller]
fn solved(arguments: &[&str], code: i32) -> Vec<String> {
    let output = otrera(&[&["solve"], arguments].concat()).output().unwrap();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// What follows these words at the beginning of one of the lines.
#[track_caller]
fn after<'a>(lines: &'a [String], words: &str) -> &'a str {
    let line = lines.iter().find_map(|line| line.strip_prefix(words));
    line.unwrap_or_else(|| panic!("no line begins with '{words}': {lines:?}"))
}

#[test]
fn solve_tells_who_wins_and_how() {
    // An amazon at each end of a strip: whoever moves first wins (the oracle of strips), and shoots
    // at the other's neighbour, for else that one has more left.
    let lines = solved(&["Q4q w", "--all", "--margin", "--verify"], 0);
    assert_eq!(lines[0], "white wins");
    let mv = after(&lines, "winning move: ");
    assert!(after(&lines, "winning moves, ").split(' ').any(|winning| winning == mv), "{lines:?}");
    assert!(after(&lines, "line: ").starts_with(mv));
    assert!(after(&lines, "nodes: ").contains("time: "));
    assert!(after(&lines, "verified: ").contains("every reply loses"));
    // With four squares between the two the strip is worth three moves to whoever moves first (the
    // oracle): so many more may the other one have beside it, and it still loses.
    assert_eq!(after(&lines, "moves to spare: "), "3");
    assert_eq!(solved(&["Q4q b"], 0)[0], "black wins");

    // White has three free moves, Black none, and it is Black's turn.
    let lines = solved(&["Q3*q w", "--verify"], 0);
    assert_eq!(lines[0], "white wins");
    let lines = solved(&["Q3*q b"], 0);
    assert_eq!(lines[..2], ["white wins", "black cannot move"]);
    // Black moves to b1 at last, having one free move to White's three.
    let lines = solved(&["Q3*1q b"], 0);
    assert_eq!(lines[0], "white wins");
    assert!(after(&lines, "every move loses; hardest to refute: ").contains('/'));
}

#[test]
fn solve_says_when_it_could_not() {
    let start = "3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w";
    let lines = solved(&[start, "--nodes", "1000"], 3);
    assert!(lines[0].starts_with("not solved within "), "{lines:?}");
    assert_eq!(lines.len(), 1);
    let lines = solved(&[start, "--time", "0.1"], 3);
    assert!(lines[0].starts_with("not solved within "), "{lines:?}");
}
