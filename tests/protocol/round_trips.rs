//! Commands and responses survive being printed and read again, and no line of any kind makes the
//! parsers panic.

use std::time::Duration;

use otrera::engine::{Limits, OptionKind};
use otrera::protocol::{
    Answer, Bound, Command, Dialect, Info, LONGEST_LINE, LineError, Lines, Query, Response, Score,
    Start,
};
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;

fn dialect() -> impl Strategy<Value = Dialect> {
    prop_oneof![Just(Dialect::Uci), Just(Dialect::Ugi)]
}

fn mv() -> impl Strategy<Value = String> {
    "[a-j]([1-9]|10)[a-j]([1-9]|10),[a-j]([1-9]|10)[a-j]([1-9]|10)"
}

fn millis() -> impl Strategy<Value = Duration> {
    (0..1u64 << 40).prop_map(Duration::from_millis)
}

/// Words that are none of the grammar's own.
fn words() -> impl Strategy<Value = String> {
    vec("[A-Z][a-z0-9_/]{0,8}", 1..4).prop_map(|words| words.join(" "))
}

fn limits() -> impl Strategy<Value = Limits<String>> {
    let clocks = ([of(millis()), of(millis())], [of(millis()), of(millis())]);
    let counts = (of(0..1000u32), of(millis()), of(0..u64::MAX / 2), of(0..1000u32));
    // A win takes an odd number of turns.
    let mate = of((1..1000u16).prop_map(|moves| 2 * moves - 1));
    (clocks, counts, mate, any::<[bool; 2]>(), vec(mv(), 0..4)).prop_map(
        |((time, increment), (moves_to_go, move_time, nodes, depth), mate, flags, moves)| Limits {
            time,
            increment,
            moves_to_go,
            move_time,
            nodes,
            depth,
            mate,
            infinite: flags[0],
            ponder: flags[1],
            moves,
        },
    )
}

fn command() -> impl Strategy<Value = Command> {
    let start = prop_oneof![Just(Start::Standard), "[0-9q*Q/]{1,30} [wb]".prop_map(Start::Fen)];
    let bare = [
        Command::Hello,
        Command::IsReady,
        Command::NewGame,
        Command::Stop,
        Command::PonderHit,
        Command::Undo,
        Command::Flip,
        Command::Display,
        Command::Eval,
        Command::Territory,
        Command::Help,
        Command::Quit,
        Command::Query(Query::P1Turn),
        Command::Query(Query::GameOver),
        Command::Query(Query::Result),
    ];
    prop_oneof![
        proptest::sample::select(bare.to_vec()),
        (0..1000u32).prop_map(Command::Perft),
        (words(), of(prop_oneof![words(), Just(String::new())]))
            .prop_map(|(name, value)| Command::SetOption { name, value }),
        (start, vec(mv(), 0..5)).prop_map(|(start, moves)| Command::Position { start, moves }),
        limits().prop_map(Command::Go),
    ]
}

fn score() -> impl Strategy<Value = Score> {
    prop_oneof![
        any::<i32>().prop_map(Score::Centipawns),
        (0..100u16).prop_map(|moves| Score::WinIn(2 * moves + 1)),
        (0..100u16).prop_map(|moves| Score::LossIn(2 * moves)),
    ]
}

fn info() -> impl Strategy<Value = Info> {
    let counts = (of(any::<u32>()), of(any::<u32>()), of(any::<u32>()));
    let bound = of(prop_oneof![Just(Bound::Lower), Just(Bound::Upper)]);
    let speed = (of(any::<u64>()), of(any::<u64>()), of(any::<u16>()), of(any::<u64>()));
    let rest = (of(any::<[u16; 3]>()), of(millis()), vec(mv(), 0..5));
    (counts, of(score()), bound, speed, rest).prop_map(|(counts, score, bound, speed, rest)| {
        let (depth, seldepth, multipv) = counts;
        let (nodes, nps, hashfull, tbhits) = speed;
        let (wdl, time, pv) = rest;
        Info { depth, seldepth, multipv, score, bound, wdl, nodes, nps, hashfull, tbhits, time, pv }
    })
}

fn kind() -> impl Strategy<Value = OptionKind> {
    prop_oneof![
        any::<bool>().prop_map(|default| OptionKind::Check { default }),
        any::<[i64; 3]>().prop_map(|[default, min, max]| OptionKind::Spin { default, min, max }),
        (words(), vec(words(), 1..4))
            .prop_map(|(default, vars)| OptionKind::Combo { default, vars }),
        Just(OptionKind::Button),
        prop_oneof![words(), Just(String::new())].prop_map(|default| OptionKind::Text { default }),
    ]
}

fn response() -> impl Strategy<Value = Response> {
    let bare = [
        Response::HelloDone,
        Response::ReadyOk,
        Response::Answer(Answer::True),
        Response::Answer(Answer::False),
        Response::Answer(Answer::P1Win),
        Response::Answer(Answer::P2Win),
        Response::Answer(Answer::Draw),
        Response::Answer(Answer::None),
        Response::BestMove { best: None, expected: None },
    ];
    prop_oneof![
        proptest::sample::select(bare.to_vec()),
        words().prop_map(Response::Name),
        words().prop_map(Response::Author),
        words().prop_map(Response::Note),
        words().prop_map(Response::Text),
        (words(), kind()).prop_map(|(name, kind)| Response::Option { name, kind }),
        info().prop_map(Response::Info),
        (mv(), of(mv()))
            .prop_map(|(best, expected)| Response::BestMove { best: Some(best), expected }),
    ]
}

proptest! {
    #[test]
    fn a_command_that_is_printed_and_read_is_the_same(dialect in dialect(), command in command()) {
        let line = dialect.print_command(&command);
        prop_assert_eq!(dialect.parse_command(&line), Ok(Some(command)), "{}", line);
    }

    #[test]
    fn a_response_that_is_printed_and_read_is_the_same(
        dialect in dialect(),
        response in response(),
    ) {
        let line = dialect.print_response(&response);
        let expected = match response {
            // UGI has no word for the expected reply.
            Response::BestMove { best, .. } if dialect == Dialect::Ugi => {
                Response::BestMove { best, expected: None }
            }
            response => response,
        };
        prop_assert_eq!(dialect.parse_response(&line), Ok(expected), "{}", line);
    }

    #[test]
    fn every_error_is_one_short_line(dialect in dialect(), line in "\\PC{0,200}") {
        if let Err(error) = dialect.parse_command(&line) {
            let answer = dialect.print_response(&Response::Note(error.to_string()));
            prop_assert_eq!(answer.lines().count(), 1);
            prop_assert!(!answer.contains("bestmove") && !answer.contains("readyok"));
            prop_assert!(answer.chars().count() < 300, "{}", answer);
        }
        let _ = dialect.parse_response(&line);
    }

    #[test]
    fn lines_of_any_bytes_are_text_or_an_error(bytes in vec(any::<u8>(), 0..300)) {
        let ends = bytes.iter().filter(|byte| **byte == b'\n').count();
        let lines: Vec<Result<String, LineError>> = Lines::new(bytes.as_slice()).collect();
        prop_assert!(lines.len() == ends || lines.len() == ends + 1);
        for line in lines.into_iter().flatten() {
            prop_assert!(line.len() <= LONGEST_LINE);
        }
    }
}
