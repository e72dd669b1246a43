//! Game records: what is written is read back exactly, and what people write is understood.

use std::time::Duration;

use otrera::amazons::{Move, Notation, Position};
use otrera::game::{Colour, Outcome};
use otrera::record::{self, Ply, Record, RecordErrorKind, Score, Thought, sgf, text};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::Value;

/// The moves of a game of `tests/data/amazons.json`, the oracle that two programs agree on.
fn oracle_moves(game: &str) -> Vec<String> {
    let oracle: Value = serde_json::from_str(include_str!("data/amazons.json")).unwrap();
    let moves = oracle["games"][game]["moves"].as_array().expect("the game is there");
    moves.iter().map(|mv| mv.as_str().unwrap().to_owned()).collect()
}

fn played(moves: &[String]) -> Record {
    let mut record = Record::new(Position::start());
    let mut position = Position::start();
    for text in moves {
        let mv = Move::read(text, &position).unwrap();
        position.try_move(mv).unwrap();
        record.plies.push(Ply::from(mv));
    }
    record
}

fn moves_of(record: &Record) -> Vec<Move> {
    record.plies.iter().map(|ply| ply.mv).collect()
}

/// A random game of at most `plies` moves.
fn random_game(seed: u64, plies: usize) -> Record {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut record = Record::new(Position::start());
    let mut position = Position::start();
    for _ in 0..plies {
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        let mv = moves[rng.random_range(0..moves.len())];
        position.play_move(mv);
        record.plies.push(Ply::from(mv));
    }
    record
}

fn scores() -> impl Strategy<Value = Score> {
    prop_oneof![
        any::<i32>().prop_map(Score::Centipawns),
        any::<u16>().prop_map(Score::WinIn),
        any::<u16>().prop_map(Score::LossIn),
    ]
}

fn thoughts() -> impl Strategy<Value = Thought> {
    let time = prop::option::of(0u64..10_000_000_000);
    (prop::option::of(scores()), any::<Option<u32>>(), any::<Option<u64>>(), time).prop_map(
        |(score, depth, nodes, micros)| Thought {
            score,
            depth,
            nodes,
            time: micros.map(Duration::from_micros),
        },
    )
}

fn remarks() -> impl Strategy<Value = Option<String>> {
    prop::option::of("[a-r(\\]\\[;\"\\\\]{1,9}( [a-zé:]{1,9}){0,20}")
}

fn records() -> impl Strategy<Value = Record> {
    let plies = prop::collection::vec((thoughts(), remarks()), 0..90);
    let result = prop_oneof![
        Just(None),
        Just(Some(Outcome::Win(Colour::White))),
        Just(Some(Outcome::Win(Colour::Black))),
        Just(Some(Outcome::Draw)),
    ];
    (any::<u64>(), 0usize..6, plies, remarks(), result, "[a-z \"\\\\{}\\[\\];%é]{0,12}").prop_map(
        |(seed, skipped, notes, preface, result, event)| {
            let mut record = random_game(seed, notes.len() + skipped);
            let opening = record.plies.drain(..skipped.min(record.plies.len()));
            for ply in opening {
                record.start.play_move(ply.mv);
            }
            for (ply, (thought, remark)) in record.plies.iter_mut().zip(notes) {
                (ply.thought, ply.remark) = (thought, remark);
            }
            record.preface = preface;
            record.result = result.or_else(|| otrera::game::Game::outcome(&record.last_position()));
            record.tags.set("Event", &event);
            record.tags.set("White", "Otrera 1");
            record
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn tag_pair_text_is_read_back_exactly(games in prop::collection::vec(records(), 1..4)) {
        let text: String = games.iter().map(text::write).collect();
        prop_assert_eq!(record::read(&text).unwrap(), games);
    }

    #[test]
    fn sgf_is_read_back_exactly(games in prop::collection::vec(records(), 1..4)) {
        let text: String = games.iter().map(sgf::write).collect();
        prop_assert_eq!(record::read(&text).unwrap(), games);
    }

    #[test]
    fn every_notation_is_read_in_a_bare_list_of_moves(seed: u64, notation in 0usize..14) {
        let notation = Notation::ALL[notation];
        let game = random_game(seed, 40);
        let text: String = game
            .walk()
            .map(|(position, ply)| ply.mv.written(notation, &position) + "\n")
            .collect();
        let read = record::read(&text).unwrap();
        prop_assert_eq!(read.len(), 1);
        prop_assert_eq!(moves_of(&read[0]), moves_of(&game));
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "[\\[\\](){};.*$!?\\\\\"a-j0-9 \nQé–/-]{0,80}") {
        let _ = record::read(&text);
        let _ = record::read(&format!("(;{text}"));
        let _ = record::read(&format!("(;GM[18]B[djddgd]{text})"));
    }

    #[test]
    fn a_broken_record_is_an_error_or_a_game(game in records(), cut: prop::sample::Index) {
        for text in [text::write(&game), sgf::write(&game)] {
            let mut end = cut.index(text.len());
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            let _ = record::read(&text[..end]);
        }
    }
}

#[test]
fn lines_are_at_most_eighty_columns_wide() {
    let mut game = played(&oracle_moves("sample_A_1994"));
    for ply in &mut game.plies {
        ply.thought.depth = Some(3);
        ply.remark = Some("a remark of several words".to_owned());
    }
    let text = text::write(&game);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(text.contains("1. g1-g9/d9 {/3 a remark"), "{text}");
}

#[test]
fn the_text_of_a_match_looks_as_its_readers_expect() {
    let mut game = played(&oracle_moves("short_finished_game"));
    game.plies.truncate(3);
    game.tags.set("White", "A \"quoted\" name");
    game.tags.set("Black", "B");
    game.result = Some(Outcome::Win(Colour::Black));
    game.plies[0].thought = Thought {
        score: Some(Score::Centipawns(-35)),
        depth: Some(12),
        nodes: Some(4000),
        time: Some(Duration::from_millis(153)),
    };
    game.plies[2].remark = Some("Black wins: White's time is up".to_owned());
    let expected = "[Event \"?\"]
[Site \"?\"]
[Date \"????.??.??\"]
[Round \"?\"]
[White \"A \\\"quoted\\\" name\"]
[Black \"B\"]
[Result \"0-1\"]

1. d1-d6/g9 {-0.35/12 0.153s n=4000} d10-f10/e10 2. a4-f9/e9 {Black wins:
White's time is up} 0-1

";
    assert_eq!(text::write(&game), expected);
}

#[test]
fn people_write_in_many_ways() {
    let text = "% a line for other programs
[White \"First\"] [Black \"Second\"]
; a comment to the end of the line
1. d1-d6 (g9) ! {fine} (1. d1-d7/g7 {not (played} d10-d8/d10) d10-f10(e10)
2.a4f9,f9e9 $1 2... A7–A10,B10; 3 D6 a9 b9? ; the end
j7-j10/h10 0-1

1. Qdd6,g9 *

[White \"Third\"]
[Result \"1-0\"]
[White \"Fourth\"]
[FEN \"2Q/3/q2 b\"]
1... a1-c1/a3";
    let games = record::read(text).unwrap();
    assert_eq!(games.len(), 4);
    let expected = played(&oracle_moves("short_finished_game")[..6]);
    assert_eq!(moves_of(&games[0]), moves_of(&expected));
    assert_eq!(games[0].tags.get("White"), Some("First"));
    assert_eq!(games[0].result, Some(Outcome::Win(Colour::Black)));
    assert_eq!(games[0].preface.as_deref(), Some("a comment to the end of the line"));
    assert_eq!(games[0].plies[0].remark.as_deref(), Some("fine"));
    assert_eq!((games[1].plies.len(), games[1].result), (1, None));
    assert_eq!(games[2].result, Some(Outcome::Win(Colour::White)));
    assert_eq!(games[3].tags.get("White"), Some("Fourth"));
    assert_eq!(games[3].plies.len(), 1);
}

#[test]
fn the_result_may_be_on_the_board() {
    let moves = oracle_moves("short_finished_game");
    let text = moves.join(" ");
    let games = record::read(&text).unwrap();
    let ended = otrera::game::Game::outcome(&played(&moves).last_position());
    assert!(ended.is_some());
    assert_eq!(games[0].result, ended);
}

#[test]
fn sgf_of_other_programs_is_understood() {
    let text = "(;GaMe[18]FF[4]SiZe[10]PB[First]PW[Second]RE[B+Resign]C[Hello \\] there]
;B[djddgd]C[+0.10/3 good](;W[dadcda])(;W[gagbgc];B[xxxxxx]))";
    let games = record::read(text).unwrap();
    assert_eq!(games[0].tags.get("White"), Some("First"));
    assert_eq!(games[0].result, Some(Outcome::Win(Colour::White)));
    assert_eq!(games[0].preface.as_deref(), Some("Hello ] there"));
    let written: Vec<String> = moves_of(&games[0]).iter().map(Move::to_string).collect();
    assert_eq!(written, ["d1-d7/g7", "d10-d8/d10"]);
    assert_eq!(games[0].plies[0].thought.depth, Some(3));
    assert_eq!(games[0].plies[0].remark.as_deref(), Some("good"));

    let eight = record::read("(;GM[18]SZ[8];B[chcfef])").unwrap();
    assert_eq!(moves_of(&eight[0])[0].to_string(), "c1-c3/e3");
}

#[test]
fn errors_name_the_line_and_the_move() {
    let error = |text: &str| record::read(text).unwrap_err();
    let illegal = error("[White \"A\"]\n\n1. d1-d7/g7 d10-d8/d10\n2. d1-d2/d3");
    assert_eq!(illegal.line, 4);
    assert!(matches!(illegal.kind, RecordErrorKind::Illegal { plies: 2, .. }));
    assert_eq!(
        illegal.to_string(),
        "line 4: after 2 moves, d1-d2/d3 is illegal: no white amazon stands on d1"
    );
    let unreadable = error("1. d1-d7/g7\n1... e2e4");
    assert_eq!(unreadable.line, 2);
    assert!(matches!(unreadable.kind, RecordErrorKind::Unreadable { plies: 1, .. }));
    assert_eq!(error("[White A]\n").kind, RecordErrorKind::Header);
    assert_eq!(
        error("d1-d7/g7 {and\n").to_string(),
        "line 1: a comment that begins here does not end"
    );
    assert_eq!(error("\n[FEN \"x w\"]\n\n*").line, 2);
    assert!(error("(;GM[1]SZ[19];B[pd])").to_string().contains("GM[18]"));
    assert!(error("(;GM[18]SZ[7])").to_string().contains("7x7"));
    assert!(error("(;GM[18]SZ[77])").to_string().contains("SZ[77]"));
    assert!(error("(;GM[18]B[djddgd]").to_string().contains("does not end"));
}
