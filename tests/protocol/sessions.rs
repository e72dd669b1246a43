//! Whole sessions.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use otrera::amazons::{Move, Position};
use otrera::endgame::RegionProver;
use otrera::eval::Evaluation;
use otrera::protocol::{Command, Dialect, Info, Response, Score, serve};

use crate::client::Client;

const START: &str = "3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w - - 0 1";

/// White has moves on a1 and b1, Black on e1: settled, and White wins whoever moves.
const SETTLED: &str = "2Q*q1 w - - 0 1";

fn uci() -> Client {
    Client::new(Some(Dialect::Uci))
}

fn fen(client: &Client) -> String {
    let lines = client.answers("d");
    lines.iter().find_map(|line| line.strip_prefix("Fen: ")).expect("no FEN").to_owned()
}

/// What an info line says; fails on a line of another kind.
fn info(line: &str) -> Info {
    match Dialect::Uci.parse_response(line) {
        Ok(Response::Info(info)) => info,
        other => panic!("{line} is {other:?}"),
    }
}

fn assert_legal(best: &str, position: &str) {
    let position = Position::from_fen(position).unwrap();
    let mv = Move::read(best, &position).unwrap();
    assert_eq!(position.check_move(mv), Ok(()), "{best}");
}

#[test]
fn the_first_line_tells_the_dialect() {
    for (hello, done) in [("uci", "uciok"), ("ugi", "ugiok")] {
        let client = Client::new(None);
        assert_eq!(
            client.answer("sausage"),
            "info string Unknown command: 'sausage'; help lists the commands"
        );
        client.send(hello);
        let lines = client.until(done);
        assert!(lines[0].starts_with("id name Otrera "), "{lines:?}");
        assert!(lines.iter().any(|line| line.contains("UCI_Variant type combo default amazons")));
        client.close();
    }
    let client = Client::new(Some(Dialect::Ugi));
    assert!(client.answer("uci").starts_with("info string Unknown command"));
}

#[test]
fn a_position_is_all_or_nothing() {
    let client = uci();
    assert_eq!(client.answers("position startpos moves d1d7,d7g7 "), [""; 0]);
    let after = "3q2q3/10/10/q2Q2*2q/10/10/Q8Q/10/10/6Q3 b - - 1 1";
    assert_eq!(fen(&client), after);
    for (bad, named) in [
        ("position startpos moves d1d7,d7g7 d1d7,d7g7", "move 2: 'd1d7,d7g7'"),
        ("position startpos moves e2e4", "'e2e4'"),
        ("position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "rank 8"),
        ("position fen 3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 x", "'x'"),
        ("position fen", "position fen"),
    ] {
        let answer = client.answer(bad);
        assert!(answer.starts_with("info string ") && answer.contains(named), "{answer}");
        assert_eq!(fen(&client), after);
    }
    assert_eq!(client.answers("position fen 3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w"), [""; 0]);
    assert_eq!(fen(&client), START);
    client.close();
}

#[test]
fn undo_and_flip_change_the_game_and_say_when_they_cannot() {
    let client = uci();
    client.send("position startpos moves d1-d7/g7");
    assert_eq!(client.answers("undo"), [""; 0]);
    assert_eq!(fen(&client), START);
    assert_eq!(client.answer("undo"), "info string there is no move to take back");
    assert_eq!(client.answers("flip"), [""; 0]);
    assert_eq!(fen(&client), START.replace(" w ", " b "));
    client.close();
}

#[test]
fn a_search_scores_every_line_and_its_moves_are_legal() {
    let client = uci();
    client.send("setoption name multipv value 3");
    client.send("setoption name UCI_ShowWDL value true");
    let (lines, best) = client.search("go nodes 3000");
    assert_legal(&best, START);
    let last = &lines[lines.len() - 3..];
    for (index, line) in last.iter().enumerate() {
        let info = info(line);
        assert_eq!(info.multipv, Some(index as u32 + 1));
        assert!(info.score.is_some());
        assert_eq!(info.nodes, Some(3000));
        assert_eq!(info.wdl.map(|wdl| wdl.iter().sum()), Some(1000));
        assert_eq!(info.depth, Some(info.pv.len() as u32));
        let mut position = Position::start();
        for text in &info.pv {
            let mv = Move::read(text, &position).unwrap();
            position.try_move(mv).unwrap();
        }
    }
    assert_eq!(info(&last[0]).pv[0], best);
    client.close();
}

#[test]
fn searchmoves_and_depth_and_mate_limit_the_search() {
    let client = uci();
    let (_, best) = client.search("go nodes 500 searchmoves a4-a5/a4 j4-j5/j4");
    assert!(["a4a5,a5a4", "j4j5,j5j4"].contains(&best.as_str()), "{best}");
    assert_eq!(
        client.answer("go nodes 500 searchmoves a4a5,a5a4 d1d10,d10d9"),
        "info string nothing is searched: 'd1d10,d10d9' is illegal: the amazon on d1 cannot reach d10"
    );
    let (lines, _) = client.search("go depth 2");
    assert!(info(lines.last().unwrap()).depth >= Some(2));
    client.send(&format!("position fen {SETTLED}"));
    let (lines, _) = client.search("go mate 2");
    assert!(lines.last().unwrap().contains("score mate 2"), "{lines:?}");
    client.close();
}

#[test]
fn counting_is_told_move_by_move() {
    let client = uci();
    client.send("go perft 1");
    let lines = client.until("Nodes searched");
    assert_eq!(lines.len(), 2176 + 2);
    assert!(lines[..2176].iter().all(|line| line.ends_with(": 1")));
    assert_eq!(lines[2176..], ["", "Nodes searched: 2176"]);
    client.send("go perft 0");
    assert_eq!(client.until("Nodes searched"), ["", "Nodes searched: 1"]);
    // Far too much to finish: it can be stopped.
    client.send("go perft 5");
    client.send("isready");
    assert_eq!(client.line(), "readyok");
    client.send("stop");
    assert!(client.until("Nodes searched")[0].contains("stopped"));
    client.close();
}

#[test]
fn no_legal_move_is_told_in_both_dialects() {
    // White's only amazon is shut in.
    let lost = "position fen Q*2/**2/4/3q w - - 0 1";
    let client = uci();
    client.send(lost);
    client.send("go movetime 100");
    assert_eq!(client.until("bestmove"), ["info depth 0 score mate 0", "bestmove (none)"]);
    // No amazons at all is a loss, too.
    client.send("position fen 4/4/4/3q w");
    client.send("go infinite");
    assert_eq!(client.line_within(Duration::from_millis(200)), None);
    client.send("stop");
    assert_eq!(client.until("bestmove"), ["info depth 0 score mate 0", "bestmove (none)"]);
    assert!(client.answer("eval").contains("black has won"));
    client.close();

    let client = Client::new(Some(Dialect::Ugi));
    assert_eq!(client.answer("query result"), "response none");
    client.send(lost);
    assert_eq!(client.answer("query gameover"), "response true");
    assert_eq!(client.answer("query result"), "response p2win");
    assert_eq!(client.answer("query p1turn"), "response true");
    client.close();
}

#[test]
fn ugi_answers_in_two_words_and_counts_turns() {
    let client = Client::new(None);
    client.send("ugi");
    client.until("ugiok");
    client.send("uginewgame");
    client.send("position startpos");
    client.send("go p1time 200 p2time 200 p1inc 10 p2inc 10");
    let lines = client.until("bestmove");
    assert_eq!(lines.last().unwrap().split(' ').count(), 2, "{lines:?}");
    client.send(&format!("position fen {SETTLED}"));
    client.send("go p1time 1000 p2time 1000");
    let lines = client.until("bestmove");
    // White, Black, White, and Black has no move: three turns, two of them White's own.
    assert!(lines[0].contains("score mate 3 "), "{lines:?}");
    client.close();
}

#[test]
fn a_search_is_never_deaf() {
    let client = uci();
    client.send("go infinite");
    client.until("info depth");
    for question in ["isready", "query p1turn", "d", "eval", "help", "uci", "nonsense"] {
        client.send(question);
    }
    let lines = client.until("info string Unknown command: 'nonsense'");
    assert!(lines.iter().any(|line| line == "readyok"));
    assert!(lines.iter().any(|line| line == "uciok"));
    assert!(!lines.iter().any(|line| line.starts_with("bestmove")));
    client.send("stop");
    let best = client.until("bestmove").pop().unwrap();
    assert_legal(best.split(' ').nth(1).unwrap(), START);
    client.close();
}

#[test]
fn stop_is_answered_soon() {
    let client = uci();
    for threads in [1, 1, 1, 2, 16, 64, 64, 1] {
        client.send(&format!("setoption name Threads value {threads}"));
        client.send("go infinite");
        client.until("info depth");
        let asked = Instant::now();
        client.send("stop");
        client.until("bestmove");
        // The target is 20 ms, and 50 with threads without number; a loaded machine gets some grace.
        assert!(asked.elapsed() < Duration::from_millis(500), "{:?}", asked.elapsed());
    }
    // Nothing runs: nothing to say.
    assert_eq!(client.answers("stop"), [""; 0]);
    client.close();
}

#[test]
fn quit_and_the_end_of_input_end_a_search_and_still_tell_its_move() {
    for end in ["quit", ""] {
        let client = uci();
        client.send("go infinite");
        client.until("info depth");
        let lines = if end.is_empty() {
            client.close()
        } else {
            client.send(end);
            client.wait()
        };
        assert!(lines.last().unwrap().starts_with("bestmove "), "{lines:?}");
    }
    let client = uci();
    client.send("go perft 6");
    client.send("quit");
    client.wait();
}

#[test]
fn a_last_line_without_a_line_feed_counts() {
    let client = uci();
    client.send_bytes(b"isready\r\nquery p1turn");
    assert_eq!(client.close(), ["readyok", "response true"]);
}

#[test]
fn what_changes_the_game_waits_for_the_end_of_the_search() {
    let client = uci();
    client.send("go infinite");
    client.until("info depth");
    client.send("position startpos moves d1d7,d7g7");
    client.send("go nodes 50");
    let said = client.until("info string go waits");
    assert!(said.iter().any(|line| {
        line == "info string position waits for the end of the search; stop ends it"
    }));
    client.send("stop");
    let first = client.until("bestmove").pop().unwrap();
    assert_legal(first.split(' ').nth(1).unwrap(), START);
    let second = client.until("bestmove").pop().unwrap();
    assert_legal(
        second.split(' ').nth(1).unwrap(),
        "3q2q3/10/10/q2Q2*2q/10/10/Q8Q/10/10/6Q3 b - - 1 1",
    );
    client.close();
}

#[test]
fn pondering_answers_after_the_hit_and_never_before() {
    let client = uci();
    client.send("position startpos moves d1d7,d7g7");
    // A clock that would be over at once, were it running.
    client.send("go ponder wtime 50 btime 50");
    let pondering = Instant::now();
    while pondering.elapsed() < Duration::from_millis(300) {
        if let Some(line) = client.line_within(Duration::from_millis(50)) {
            assert!(line.starts_with("info depth"), "{line}");
        }
    }
    client.send("ponderhit");
    let hit = Instant::now();
    client.until("bestmove");
    assert!(hit.elapsed() < Duration::from_secs(1));
    assert!(client.answer("ponderhit").contains("no search is pondering"));

    // A miss: stop, and the answer is for the position that was pondered on.
    client.send("go ponder wtime 1000 btime 1000");
    client.until("info depth");
    client.send("stop");
    client.until("bestmove");
    client.close();
}

#[test]
fn pondering_on_what_is_decided_waits_too() {
    let client = uci();
    for position in [SETTLED, "Q*2/**2/4/3q w - - 0 1"] {
        client.send(&format!("position fen {position}"));
        client.send("go ponder wtime 1000 btime 1000");
        while let Some(line) = client.line_within(Duration::from_millis(200)) {
            assert!(line.starts_with("info depth"), "{line}");
        }
        client.send("ponderhit");
        client.until("bestmove");
    }
    client.close();
}

#[test]
fn move_times_and_clocks_are_kept() {
    for threads in [1, 2, 64] {
        keep_move_times_and_clocks(threads);
    }
}

fn keep_move_times_and_clocks(threads: usize) {
    let client = uci();
    client.send(&format!("setoption name Threads value {threads}"));
    client.search("go nodes 1");
    let took = |go: &str| {
        let asked = Instant::now();
        let (lines, best) = client.search(go);
        assert!(lines.iter().any(|line| line.contains(" score ")), "{go}");
        assert_legal(&best, START);
        asked.elapsed()
    };
    assert!(took("go movetime 10") < Duration::from_millis(300));
    assert!(took("go wtime 0 btime 0") < Duration::from_millis(300));
    assert!(took("go wtime -500 btime 1000") < Duration::from_millis(300));
    assert!(took("go wtime 100 btime 100 winc 1 binc 1") < Duration::from_millis(400));
    // Only the opponent's clock is told: it is taken for both.
    assert!(took("go btime 100") < Duration::from_millis(400));
    let long = took("go movetime 300");
    assert!(long >= Duration::from_millis(290), "{long:?}");
    client.close();
}

#[test]
fn a_settled_position_is_answered_by_counting() {
    let client = uci();
    client.send(&format!("position fen {SETTLED}"));
    let asked = Instant::now();
    let (lines, _) = client.search("go movetime 5000");
    assert!(asked.elapsed() < Duration::from_secs(2));
    assert!(lines.last().unwrap().contains("score mate 2 "), "{lines:?}");
    let territory = client.answers("territory");
    assert!(territory.contains(&"Moves left for certain: white 2, black 1".to_owned()));
    // Analysis searches all the same, and comes to the same result.
    client.send("setoption name UCI_AnalyseMode value true");
    let (lines, _) = client.search("go nodes 100");
    assert!(lines.last().unwrap().contains("score mate "), "{lines:?}");
    client.close();
}

#[test]
fn reference_players_play_legal_moves_and_repeat_themselves() {
    let client = uci();
    let mut moves = Vec::new();
    for settings in [
        ["setoption name Player value greedy", "setoption name Seed value 1"],
        ["setoption name Player value greedy", "setoption name Seed value 2"],
        ["setoption name Player value random", "setoption name Seed value 1"],
        ["setoption name Player value random", "setoption name Seed value 1"],
        ["setoption name Player value random", "setoption name Seed value 2"],
    ] {
        settings.iter().for_each(|line| client.send(line));
        client.send("position startpos");
        let (lines, best) = client.search("go movetime 20");
        assert!(lines.iter().any(|line| line.contains(" score ")), "{lines:?}");
        assert_legal(&best, START);
        moves.push(best);
    }
    assert_eq!(moves[0], moves[1]);
    assert_eq!(moves[2], moves[3]);
    // One move in 2176 would be drawn twice.
    assert_ne!(moves[3], moves[4]);
    client.close();
}

/// The steps that fastchess takes with an engine it is asked to check, as they matter here: its
/// positions and moves are those of chess.
#[test]
fn a_chess_client_gets_an_error_a_score_and_a_move() {
    const CHESS: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let client = Client::new(None);
    client.send("uci");
    client.until("uciok");
    client.send("isready");
    client.until("readyok");
    for setup in [
        "position startpos".to_owned(),
        "position startpos moves e2e4 e7e5".to_owned(),
        format!("position fen {CHESS}"),
        format!("position fen {CHESS} moves e2e4 e7e5"),
        "position fen 3r1k2/8/8/8/8/8/8/4K3 b - - 0 1".to_owned(),
    ] {
        for go in [
            "go wtime 100 winc 100 btime 100 binc 100",
            "go btime 100 binc 100 wtime 100 winc 100",
            "go wtime 100 btime 100",
            "go movetime 50",
            "go nodes 100",
            "go depth 1",
        ] {
            client.send("ucinewgame");
            let wrong = setup != "position startpos";
            let said = client.answers(&setup);
            assert_eq!(said.len(), usize::from(wrong), "{setup}: {said:?}");
            assert!(said.iter().all(|line| line.starts_with("info string ")));
            let (lines, best) = client.search(go);
            let last = info(lines.last().unwrap());
            assert!(matches!(last.score, Some(Score::Centipawns(_))));
            assert!(last.depth.is_some() && last.nodes.is_some() && last.time.is_some());
            assert!(!last.pv.is_empty());
            assert_legal(&best, START);
        }
    }
    client.send("quit");
    client.wait();
}

#[test]
fn options_are_those_of_the_table_and_errors_change_nothing() {
    let client = uci();
    client.send("uci");
    let declared = client.until("uciok");
    for line in &declared {
        if let Ok(Response::Option { name, kind }) = Dialect::Uci.parse_response(line) {
            // What is printed is accepted: the default, whatever the case of the name.
            let value = match kind {
                otrera::engine::OptionKind::Check { default } => default.to_string(),
                otrera::engine::OptionKind::Spin { default, .. } => default.to_string(),
                otrera::engine::OptionKind::Combo { default, .. } => default,
                otrera::engine::OptionKind::Text { default } => default,
                otrera::engine::OptionKind::Button => String::new(),
            };
            let set = Command::SetOption { name: name.to_lowercase(), value: Some(value) };
            assert_eq!(client.answers(&Dialect::Uci.print_command(&set)), [""; 0], "{name}");
        }
    }
    assert_eq!(
        client.answer("setoption name Hash value lots"),
        "info string option Hash cannot be 'lots': it takes a whole number from 1 to 262144"
    );
    assert_eq!(
        client.answer("setoption name Style value Risky"),
        "info string no option is named 'Style'"
    );
    assert!(client.answer("setoption name Debug Log File value /").contains("cannot be opened"));
    client.close();
}

#[test]
fn evaluations_are_chosen_and_a_bad_network_is_refused() {
    let embedded = include_bytes!("../../src/eval/network.otrera");
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path.display().to_string()
    };
    let mut flipped = embedded.to_vec();
    flipped[embedded.len() / 2] ^= 4;
    let [whole, damaged, cut] = [
        write("whole", embedded),
        write("damaged", &flipped),
        write("cut", &embedded[..embedded.len() / 2]),
    ];
    let client = uci();
    client.send("position startpos moves d1d7,d7g7");
    let network = client.answer("eval");
    assert_eq!(client.answers("setoption name EvalType value classical"), [""; 0]);
    let classical = client.answer("eval");
    assert_ne!(network, classical);
    // A network is not looked at while the classical evaluation is wanted.
    assert_eq!(client.answers(&format!("setoption name EvalFile value {whole}")), [""; 0]);
    assert_eq!(client.answer("eval"), classical);
    assert_eq!(client.answers("setoption name EvalType value network"), [""; 0]);
    assert_eq!(client.answer("eval"), network);
    let nowhere = format!("{whole}/nowhere");
    for (file, complaint) in [
        (damaged, "its checksum is wrong"),
        (cut, "bytes long where"),
        (nowhere, "cannot be read"),
        (folder.path().display().to_string(), "cannot be read"),
    ] {
        let answer = client.answer(&format!("setoption name EvalFile value {file}"));
        assert!(answer.starts_with("info string the evaluation stays as it was: '"), "{answer}");
        assert!(answer.contains(complaint), "{answer}");
        assert_eq!(client.answer("eval"), network);
    }
    assert_eq!(client.answers("setoption name EvalFile value <empty>"), [""; 0]);
    assert_eq!(client.answer("eval"), network);
    client.close();
}

#[test]
fn the_debug_log_holds_both_directions_with_their_times() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let client = uci();
    client.send(&format!("setoption name Debug Log File value {}", file.path().display()));
    client.send("query p1turn");
    client.send("setoption name Debug Log File value <empty>");
    client.send("isready");
    client.close();
    let log = std::fs::read_to_string(file.path()).unwrap();
    let lines: Vec<(&str, &str)> =
        log.lines().map(|line| line.split_at("2026-01-31T12:34:56.789Z".len())).collect();
    assert_eq!(
        lines.iter().map(|(_, text)| *text).collect::<Vec<_>>(),
        [
            " >> query p1turn",
            " << response true",
            " >> setoption name Debug Log File value <empty>"
        ]
    );
    assert!(lines.iter().all(|(time, _)| time.starts_with("20") && time.ends_with('Z')));
}

#[test]
fn a_closed_pipe_ends_the_session_quietly() {
    struct Closed;
    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let input = io::Cursor::new("uci\nisready\ngo infinite\n");
    let served = serve(Evaluation::default(), RegionProver::default(), None, input, Closed);
    assert!(served.is_ok());
}

#[test]
fn the_tree_of_the_last_move_is_used_again() {
    let client = uci();
    client.send("position startpos");
    client.send("go nodes 20000");
    let lines = client.until("bestmove");
    let words: Vec<&str> = lines.last().unwrap().split(' ').collect();
    client.send(&format!("position startpos moves {} {}", words[1], words[3]));
    // With the tree of the first search below it, one node is enough for a line of some depth.
    let (lines, _) = client.search("go nodes 1");
    assert!(info(lines.last().unwrap()).depth > Some(1), "{lines:?}");
    client.send("setoption name Clear Hash");
    let (lines, _) = client.search("go nodes 1");
    assert_eq!(info(lines.last().unwrap()).depth, Some(1), "{lines:?}");
    client.close();
}
