//! Positions and moves as text.

use otrera::amazons::{FenError, Move, Notation, NotationError, Position, Square, Step};
use proptest::prelude::*;

use crate::positions;

const START: &str = "3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w - - 0 1";

fn read(text: &str) -> Move {
    Move::read(text, &Position::start()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn fen_error(text: &str) -> String {
    Position::from_fen(text).expect_err(text).to_string()
}

fn move_error(text: &str) -> String {
    Move::read(text, &Position::start()).expect_err(text).to_string()
}

#[test]
fn the_start_and_the_position_after_a_move_are_written_as_the_dialect_writes_them() {
    let mut position = Position::start();
    assert_eq!(position.fen(), START);
    position.play_move(read("d1-d7/g7"));
    assert_eq!(position.fen(), "3q2q3/10/10/q2Q2*2q/10/10/Q8Q/10/10/6Q3 b - - 1 1");
    position.play_move(read("d10-d8/d10"));
    assert_eq!(position.fen(), "3*2q3/10/3q6/q2Q2*2q/10/10/Q8Q/10/10/6Q3 w - - 2 2");
}

#[test]
fn every_position_survives_its_fen() {
    positions::many(1, 400, |rng, position, _| {
        let fen = position.fen();
        let again = Position::from_fen(&fen).unwrap();
        assert_eq!((&again, again.hash()), (position, position.hash()), "{fen}");
        assert_eq!((again.turns(), again.full_turn()), (position.turns(), position.full_turn()));
        assert_eq!(again.fen(), fen);
        let mut steps = Vec::new();
        position.for_each_step(|step| steps.push(step));
        if let Some(&step) = rand::seq::IndexedRandom::choose(&steps[..], rng) {
            let mut half = position.clone();
            half.play(step);
            let again: Position = half.fen().parse().unwrap();
            assert_eq!((&again, again.hash()), (&half, half.hash()));
            assert_eq!(again.shooter(), Some(step.target()));
        }
    });
}

#[test]
fn a_fen_may_be_cut_after_the_side_to_move() {
    let fields: Vec<&str> = START.split(' ').collect();
    for length in 2..=6 {
        let cut = fields[..length].join(" ");
        let position = Position::from_fen(&cut).unwrap();
        assert_eq!(position.fen(), START, "{cut}");
    }
    assert_eq!(Position::from_fen("  1Q/q*\t b \n").unwrap().fen(), "1Q/q* b - - 0 1");
    assert_eq!(Position::from_fen("Q1q w - - 7 0").unwrap().fen(), "Q1q w - - 7 1");
}

#[test]
fn boards_without_amazons_and_boards_of_one_square_are_positions() {
    for fen in ["10/10 w - - 0 1", "1 b - - 0 1", "* w - - 3 2", "Q w - - 0 1", "q/1/q/1 b - - 0 9"]
    {
        assert_eq!(Position::from_fen(fen).unwrap().fen(), fen);
    }
}

#[test]
fn a_bad_fen_is_told_by_its_bad_part() {
    assert_eq!(fen_error(""), "the FEN is empty");
    assert_eq!(fen_error(" \n"), "the FEN is empty");
    assert_eq!(
        fen_error("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
        "rank 8 holds 'r': only Q, q, * and numbers are possible"
    );
    assert_eq!(
        fen_error("1/1/1/1/1/1/1/1/1/1/1 w"),
        "the board has 11 ranks: at most 10 are possible"
    );
    assert_eq!(
        fen_error("10/91* w"),
        "rank 1 holds the run '91': a number from 1 to 10 is expected"
    );
    assert_eq!(fen_error("3/0Q3 w"), "rank 1 holds the run '0': a number from 1 to 10 is expected");
    assert_eq!(fen_error("10/10Q w"), "rank 1 has 11 squares: 1 to 10 are possible");
    assert_eq!(fen_error("3//3 w"), "rank 2 has 0 squares: 1 to 10 are possible");
    assert_eq!(fen_error("10/9/10 w"), "rank 2 has 9 squares where the top rank has 10");
    assert_eq!(fen_error("10/10"), "the side to move is missing: w or b must follow the board");
    assert_eq!(fen_error("Q1 x"), "the side to move is 'x': w or b is expected");
    assert_eq!(fen_error("Q1 w KQ"), "the third field is 'KQ': - is expected");
    assert_eq!(
        fen_error("Q1 w - - -1"),
        "the number of half-moves is '-1': a number from 0 to 65535 is expected"
    );
    assert_eq!(
        fen_error("Q1 w - - +1"),
        "the number of half-moves is '+1': a number from 0 to 65535 is expected"
    );
    assert_eq!(
        fen_error("Q1 w - - 0 65536"),
        "the full-move number is '65536': a number from 0 to 65535 is expected"
    );
    assert_eq!(fen_error("Q1 w - - 0 1 moves"), "'moves' follows the last field");
    let shooter = "- is expected, or the square of an amazon of the side to move that can shoot";
    for (fen, found) in
        [("Q1q w - b1", "b1"), ("Q1q w - c1", "c1"), ("Q* w - a1", "a1"), ("Q1 w - 7", "7")]
    {
        assert_eq!(fen_error(fen), format!("the fourth field is '{found}': {shooter}"));
    }
}

#[test]
fn errors_stay_short_and_printable() {
    let long = "Ψ".repeat(1_000_000);
    let errors = [
        fen_error(&long),
        fen_error(&format!("{} w", "1".repeat(1_000_000))),
        fen_error(&format!("Q1 {long}")),
        fen_error("Q1 \u{1b}[31m"),
        fen_error("Q\u{7} w"),
        move_error(&long),
        move_error(&"a1".repeat(1_000_000)),
        move_error("d1-\u{1b}[31m"),
        "x".repeat(1_000_000).parse::<Square>().unwrap_err().to_string(),
        long.parse::<Notation>().unwrap_err().to_string(),
    ];
    for error in errors {
        assert!(error.chars().count() < 300, "{error}");
        assert!(!error.chars().any(char::is_control), "{error:?}");
    }
}

#[test]
fn every_notation_of_the_rules_is_read() {
    let expected = Move::new(square("d1"), square("d7"), square("g7"));
    let spellings = [
        "d1-d7/g7",
        "d1d7/g7",
        "d1d7,d7g7",
        "d1-d7(g7)",
        "d1-d7 (g7)",
        "d1 d7 g7",
        "d1–d7,g7;",
        "d1-d7-g7",
        "d1/d7/g7",
        "d1d7g7",
        "Qd1-d7,g7",
        "Qdd7,g7",
        "djddgd",
        "DJDDGD",
        "D1-D7/G7",
        "1. d1-d7/g7",
        "1.d1d7g7",
        "1... d1-d7/g7",
        "12 d1d7,d7g7",
        "3) d1 d7 g7",
        "1. Qdd7,g7",
        " d1-d7/g7 ",
        "d1-d7/g7 ;",
        "QDD7,G7",
        "qd1d7g7",
        "Q1d7,g7",
        "d1\td7\tg7",
        "1. djddgd",
        "d1 - d7 / g7",
    ];
    for text in spellings {
        assert_eq!(read(text), expected, "{text}");
    }
    let ten = Move::new(square("d10"), square("d8"), square("d10"));
    for text in ["d10-d8/d10", "d10d8d10", "d10d8,d8d10", "D10D8/D10", "DADCDA", "dadcda"] {
        assert_eq!(read(text), ten, "{text}");
    }
}

fn square(name: &str) -> Square {
    name.parse().unwrap()
}

#[test]
fn rows_of_letters_are_counted_from_the_top_of_the_board_at_hand() {
    let eight: Position = "2q2q2/8/q6q/8/8/Q6Q/8/2Q2Q2 w".parse().unwrap();
    assert_eq!(Move::read("chcafa", &eight).unwrap().to_string(), "c1-c8/f8");
    assert_eq!(
        Move::read("chcifa", &eight).unwrap_err().to_string(),
        "'ci' in the move 'chcifa' names no square of a board with 8 ranks"
    );
}

#[test]
fn a_short_form_means_the_only_legal_move_that_fits() {
    // From a2 and c2 the square b3 can be reached, and from both a1 is a possible shot; d4 only
    // if the amazon of c2 has gone.
    let position: Position = "4/4/Q1Q1/4 w".parse().unwrap();
    let read = |text: &str| Move::read(text, &position);
    assert_eq!(read("Qab3,a4").unwrap().to_string(), "a2-b3/a4");
    assert_eq!(read("Qcb3,a4").unwrap().to_string(), "c2-b3/a4");
    assert_eq!(read("Qb3,c2").unwrap().to_string(), "c2-b3/c2");
    assert_eq!(
        read("Qb3,a4").unwrap_err().to_string(),
        "'Qb3,a4' can mean a2-b3/a4 or c2-b3/a4: name the square that the amazon leaves"
    );
    assert_eq!(read("Qdb3,a4").unwrap_err().to_string(), "no legal move is meant by 'Qdb3,a4'");
    assert!(matches!(read("b3,a4"), Err(NotationError::Squares { squares: 2, .. })));
}

#[test]
fn a_bad_move_is_told_by_its_bad_part() {
    let no_square = "is no square: a letter a to j and a number 1 to 10 are expected";
    assert_eq!(move_error(" "), "the move is empty");
    for text in ["0000", ";", "12.", "1..."] {
        let error = format!("the move '{text}' names 0 squares: a move is from, to and arrow");
        assert_eq!(move_error(text), error);
    }
    assert_eq!(move_error("d1-k7/g7"), format!("'k7/g7' in the move 'd1-k7/g7' {no_square}"));
    assert_eq!(move_error("e2e4"), "the move 'e2e4' names 2 squares: a move is from, to and arrow");
    assert_eq!(move_error("d1-d7/g7/"), format!("'/' in the move 'd1-d7/g7/' {no_square}"));
    assert_eq!(move_error("d1-d7/g7)"), format!("')' in the move 'd1-d7/g7)' {no_square}"));
    assert_eq!(move_error("-d1-d7/g7"), format!("'-d1-d7/g7' in the move '-d1-d7/g7' {no_square}"));
    assert_eq!(move_error("d1-/k7"), format!("'k7' in the move 'd1-/k7' {no_square}"));
    assert_eq!(move_error("d1-d0/g7"), format!("'d0/g7' in the move 'd1-d0/g7' {no_square}"));
    assert_eq!(
        move_error("d1d7,d6g7"),
        "the arrow of 'd1d7,d6g7' starts from d6, and the amazon arrives on d7"
    );
    assert_eq!(
        move_error("d1d7d7g7g8"),
        "the move 'd1d7d7g7g8' names 5 squares: a move is from, to and arrow"
    );
    assert_eq!(
        move_error("djddgk"),
        "'gk' in the move 'djddgk' names no square of a board with 10 ranks"
    );
    assert_eq!(
        move_error("resign"),
        "'re' in the move 'resign' names no square of a board with 10 ranks"
    );
    assert_eq!(
        move_error("(none)"),
        "'(none' in the move '(none)' is no square: a letter a to j and a number 1 to 10 are expected"
    );
}

#[test]
fn every_notation_round_trips_in_every_position() {
    positions::many(2, 150, |rng, position, moves| {
        let some = (0..4).filter_map(|_| rand::seq::IndexedRandom::choose(moves, rng));
        for (&mv, notation) in some.flat_map(|mv| Notation::ALL.map(|notation| (mv, notation))) {
            let text = mv.written(notation, position);
            assert_eq!(Move::read(&text, position), Ok(mv), "{text} in {position:?}");
            let numbered = format!("{}. {text}", position.full_turn());
            assert_eq!(Move::read(&numbered, position), Ok(mv), "{numbered}");
            let loud = text.to_uppercase();
            assert_eq!(Move::read(&loud, position), Ok(mv), "{loud}");
        }
    });
}

#[test]
fn notations_are_found_by_their_names() {
    for notation in Notation::ALL {
        assert_eq!(notation.name().parse(), Ok(notation));
        assert_eq!(notation.name().to_uppercase().parse(), Ok(notation));
    }
    let error = "morse".parse::<Notation>().unwrap_err().to_string();
    assert!(error.starts_with("'morse' is no notation: canonical, plain, uci,"), "{error}");
}

#[test]
fn steps_survive_their_code() {
    for from in Square::all() {
        assert_eq!(Step::from_code(Step::Arrow(from).code()), Step::Arrow(from));
        for to in Square::all() {
            let step = Step::Queen { from, to };
            assert_eq!(Step::from_code(step.code()), step);
        }
    }
}

proptest! {
    #[test]
    fn junk_is_an_error_and_no_panic(text in any::<String>()) {
        prop_assert!(Position::from_fen(&text).is_err());
        let _ = Move::read(&text, &Position::start());
        let _ = text.parse::<Square>();
    }

    #[test]
    fn almost_a_fen_never_panics(text in "[Qq*0-9/ wb-]{0,60}") {
        if let Ok(position) = Position::from_fen(&text) {
            prop_assert_eq!(Position::from_fen(&position.fen()), Ok(position));
        }
    }

    #[test]
    fn almost_a_move_never_panics(text in "[Qqa-kA-K0-9/,;(). –Ψ-]{0,14}") {
        if let Ok(mv) = Move::read(&text, &Position::start()) {
            prop_assert_eq!(Move::read(&mv.to_string(), &Position::start()), Ok(mv));
        }
    }

    #[test]
    fn a_mutilated_fen_never_panics(at in 0..START.len(), character in any::<char>()) {
        let mut text = START.to_owned();
        text.replace_range(at..at + 1, character.encode_utf8(&mut [0; 4]));
        match Position::from_fen(&text) {
            Ok(position) => prop_assert!(Position::from_fen(&position.fen()).is_ok()),
            Err(FenError::Empty) => prop_assert!(false, "there is something: {}", text),
            Err(_) => {}
        }
    }
}
