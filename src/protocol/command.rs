//! What a GUI tells the engine.

use std::fmt::Write;
use std::time::Duration;

use thiserror::Error;

use super::dialect::Spelling;
use super::words::Words;
use crate::amazons::excerpt;
use crate::engine::Limits;
use crate::game::Colour;

/// A line from a GUI to an engine. Moves and positions are text here: what they mean depends on
/// the game and on the position they are read in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// The greeting: tell name and options.
    Hello,
    /// Answer at once, also during a search.
    IsReady,
    /// The next position is of another game.
    NewGame,
    /// Set an option.
    SetOption {
        /// Its name, whatever the case.
        name: String,
        /// The value, where one is given.
        value: Option<String>,
    },
    /// Set up a position.
    Position {
        /// Where the moves begin.
        start: Start,
        /// The moves played from there.
        moves: Vec<String>,
    },
    /// Search.
    Go(Limits<String>),
    /// Count the positions that lie this many turns ahead.
    Perft(u32),
    /// End the search and answer.
    Stop,
    /// The opponent has played the expected move: go on under the limits given.
    PonderHit,
    /// Take the last turn back.
    Undo,
    /// Give the other side the turn.
    Flip,
    /// Show the board.
    Display,
    /// Show the static evaluation.
    Eval,
    /// Show who owns what and how many moves are left.
    Territory,
    /// A question about the rules.
    Query(Query),
    /// List the commands.
    Help,
    /// Leave.
    Quit,
}

/// Where the moves of a position begin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Start {
    /// The start of the game.
    Standard,
    /// This position.
    Fen(String),
}

/// What UGI's `query` asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Query {
    /// Is the first player to move?
    P1Turn,
    /// Is the game over?
    GameOver,
    /// Who has won?
    Result,
}

impl Query {
    const WORDS: [(&str, Query); 3] =
        [("p1turn", Query::P1Turn), ("gameover", Query::GameOver), ("result", Query::Result)];
}

/// Why a line is no command. Each is one sentence that names the offending part.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum CommandError {
    /// The first word is no command.
    #[error("Unknown command: '{0}'; help lists the commands")]
    Unknown(String),
    /// Something must follow.
    #[error("{after} must be followed by {wanted}")]
    Missing {
        /// The word that is last.
        after: String,
        /// What is missing.
        wanted: &'static str,
    },
    /// A word that does not belong there.
    #[error("'{word}' means nothing after {command}{wanted}")]
    Unexpected {
        /// The command.
        command: String,
        /// The word.
        word: String,
        /// What could stand there, as the end of the sentence.
        wanted: &'static str,
    },
    /// A number is wanted.
    #[error("'{word}' after {after} is not a whole number from {min} to {max}")]
    Number {
        /// The word before it.
        after: String,
        /// What was written.
        word: String,
        /// The least number.
        min: i64,
        /// The greatest number.
        max: i64,
    },
}

/// One line of `help`.
pub(super) struct Usage {
    /// The first word of the command.
    pub(super) word: &'static str,
    /// What may follow.
    pub(super) rest: &'static str,
    /// What it does.
    pub(super) doc: &'static str,
}

/// Every command and what it does, in the words of this dialect.
pub(super) fn usages(spelling: &Spelling) -> Vec<Usage> {
    let go = match spelling.time {
        ["wtime", _] => {
            "[wtime MS] [btime MS] [winc MS] [binc MS] [movestogo N] [movetime MS] [depth N] \
             [nodes N] [mate N] [infinite] [ponder] [searchmoves MOVE …]"
        }
        _ => {
            "[p1time MS] [p2time MS] [p1inc MS] [p2inc MS] [movestogo N] [movetime MS] [depth N] \
             [nodes N] [mate N] [infinite] [ponder] [searchmoves MOVE …]"
        }
    };
    [
        (spelling.hello, "", "tell name and options"),
        ("isready", "", "answer at once, also during a search"),
        (spelling.new_game, "", "forget the last game"),
        ("setoption", "name NAME [value VALUE]", "set an option"),
        ("position", "startpos|fen FEN [moves MOVE …]", "set up a position"),
        ("go", go, "search"),
        ("go perft", "N", "count the positions N turns ahead"),
        ("stop", "", "end the search and answer"),
        ("ponderhit", "", "the expected move was played: search on, on the own clock"),
        ("undo", "", "take the last turn back"),
        ("flip", "", "give the other side the turn"),
        ("d", "", "show the board"),
        ("eval", "", "show the static evaluation"),
        ("territory", "", "show regions and the moves left in them"),
        ("query", "p1turn|gameover|result", "answer a question about the rules"),
        ("help", "", "show this list"),
        ("quit", "", "leave"),
    ]
    .map(|(word, rest, doc)| Usage { word, rest, doc })
    .into()
}

/// Milliseconds on the wire: far more than any game lasts.
const LONGEST: i64 = 1 << 52;

pub(super) fn parse(line: &str, spelling: &Spelling) -> Result<Option<Command>, CommandError> {
    let mut words = Words::new(line);
    let Some(word) = words.next() else { return Ok(None) };
    let command = match word {
        _ if word == spelling.hello => Command::Hello,
        _ if word == spelling.new_game => Command::NewGame,
        "isready" => Command::IsReady,
        "setoption" => set_option(&mut words)?,
        "position" => position(&mut words)?,
        "go" => go(&mut words, spelling)?,
        "stop" => Command::Stop,
        "ponderhit" => Command::PonderHit,
        "undo" => Command::Undo,
        "flip" => Command::Flip,
        "d" => Command::Display,
        "eval" => Command::Eval,
        "territory" => Command::Territory,
        "query" => query(&mut words)?,
        "help" => Command::Help,
        "quit" => Command::Quit,
        _ => return Err(CommandError::Unknown(excerpt(word))),
    };
    match words.next() {
        None => Ok(Some(command)),
        Some(extra) => Err(unexpected(word, extra, "")),
    }
}

fn unexpected(command: &str, word: &str, wanted: &'static str) -> CommandError {
    CommandError::Unexpected { command: command.to_owned(), word: excerpt(word), wanted }
}

fn missing(after: &str, wanted: &'static str) -> CommandError {
    CommandError::Missing { after: after.to_owned(), wanted }
}

/// Reads the number after the word `after`; what is below `min` is an error, and so is what is
/// above `max`.
fn number(words: &mut Words<'_>, after: &str, min: i64, max: i64) -> Result<i64, CommandError> {
    let word = words.next().ok_or_else(|| missing(after, "a number"))?;
    word.parse().ok().filter(|number| (min..=max).contains(number)).ok_or_else(|| {
        CommandError::Number { after: after.to_owned(), word: excerpt(word), min, max }
    })
}

/// Reads milliseconds. Clocks below zero happen, and stand for no time at all.
fn milliseconds(words: &mut Words<'_>, after: &str) -> Result<Duration, CommandError> {
    let number = number(words, after, -LONGEST, LONGEST)?;
    Ok(Duration::from_millis(u64::try_from(number).unwrap_or(0)))
}

fn set_option(words: &mut Words<'_>) -> Result<Command, CommandError> {
    const WANTED: &str = "name NAME, and value VALUE where the option takes one";
    match words.next() {
        None => return Err(missing("setoption", WANTED)),
        Some("name") => {}
        Some(word) => {
            return Err(unexpected("setoption", word, ", which is followed by name NAME"));
        }
    }
    let (name, has_value) = words.until("value");
    if name.is_empty() {
        return Err(missing("setoption name", "the name of an option"));
    }
    let value = has_value.then(|| match words.rest() {
        "<empty>" => String::new(),
        value => value.to_owned(),
    });
    *words = Words::new("");
    Ok(Command::SetOption { name: name.to_owned(), value })
}

fn position(words: &mut Words<'_>) -> Result<Command, CommandError> {
    const WANTED: &str = "startpos, or fen and a position";
    let start = match words.next() {
        None => return Err(missing("position", WANTED)),
        Some("startpos") => match words.next() {
            None => return Ok(Command::Position { start: Start::Standard, moves: Vec::new() }),
            Some("moves") => Start::Standard,
            Some(word) => return Err(unexpected("position startpos", word, " but moves")),
        },
        Some("fen") => {
            let (fen, _) = words.until("moves");
            if fen.is_empty() {
                return Err(missing("position fen", "a position"));
            }
            Start::Fen(fen.to_owned())
        }
        Some(word) => return Err(unexpected("position", word, " but startpos or fen")),
    };
    Ok(Command::Position { start, moves: words.map(str::to_owned).collect() })
}

fn go(words: &mut Words<'_>, spelling: &Spelling) -> Result<Command, CommandError> {
    let mut limits = Limits::default();
    while let Some(word) = words.next() {
        let of_colour = |names: [&str; 2]| names.iter().position(|name| *name == word);
        if let Some(colour) = of_colour(spelling.time) {
            limits.time[colour] = Some(milliseconds(words, word)?);
            continue;
        }
        if let Some(colour) = of_colour(spelling.increment) {
            limits.increment[colour] = Some(milliseconds(words, word)?);
            continue;
        }
        match word {
            "movestogo" => {
                limits.moves_to_go = Some(number(words, word, 0, i64::from(u16::MAX))? as u32);
            }
            "movetime" => limits.move_time = Some(milliseconds(words, word)?),
            "depth" => limits.depth = Some(number(words, word, 0, i64::from(u16::MAX))? as u32),
            "nodes" => limits.nodes = Some(number(words, word, 0, i64::MAX)?.unsigned_abs()),
            "mate" => {
                let number = number(words, word, 1, i64::from(u16::MAX / 4))? as u16;
                limits.mate = Some(spelling.mate.win_turns(number));
            }
            "infinite" => limits.infinite = true,
            "ponder" => limits.ponder = true,
            "perft" => return Ok(Command::Perft(number(words, word, 0, 1000)? as u32)),
            "searchmoves" => {
                limits.moves = words.by_ref().map(str::to_owned).collect();
                if limits.moves.is_empty() {
                    return Err(missing(word, "one move or more"));
                }
            }
            _ => return Err(unexpected("go", word, "; help lists what may stand there")),
        }
    }
    Ok(Command::Go(limits))
}

fn query(words: &mut Words<'_>) -> Result<Command, CommandError> {
    const WANTED: &str = "p1turn, gameover or result";
    let word = words.next().ok_or_else(|| missing("query", WANTED))?;
    let found = Query::WORDS.iter().find(|(name, _)| *name == word);
    let (_, query) =
        found.ok_or_else(|| unexpected("query", word, " but p1turn, gameover or result"))?;
    Ok(Command::Query(*query))
}

pub(super) fn print(command: &Command, spelling: &Spelling) -> String {
    match command {
        Command::Hello => spelling.hello.to_owned(),
        Command::NewGame => spelling.new_game.to_owned(),
        Command::IsReady => "isready".to_owned(),
        Command::SetOption { name, value: None } => format!("setoption name {name}"),
        Command::SetOption { name, value: Some(value) } if value.is_empty() => {
            format!("setoption name {name} value <empty>")
        }
        Command::SetOption { name, value: Some(value) } => {
            format!("setoption name {name} value {value}")
        }
        Command::Position { start, moves } => {
            let mut line = match start {
                Start::Standard => "position startpos".to_owned(),
                Start::Fen(fen) => format!("position fen {fen}"),
            };
            append_moves(&mut line, " moves", moves);
            line
        }
        Command::Go(limits) => print_go(limits, spelling),
        Command::Perft(depth) => format!("go perft {depth}"),
        Command::Stop => "stop".to_owned(),
        Command::PonderHit => "ponderhit".to_owned(),
        Command::Undo => "undo".to_owned(),
        Command::Flip => "flip".to_owned(),
        Command::Display => "d".to_owned(),
        Command::Eval => "eval".to_owned(),
        Command::Territory => "territory".to_owned(),
        Command::Query(query) => {
            let found = Query::WORDS.iter().find(|(_, other)| other == query);
            format!("query {}", found.map_or("", |(name, _)| *name))
        }
        Command::Help => "help".to_owned(),
        Command::Quit => "quit".to_owned(),
    }
}

fn append_moves(line: &mut String, word: &str, moves: &[String]) {
    if !moves.is_empty() {
        line.push_str(word);
        for mv in moves {
            line.push(' ');
            line.push_str(mv);
        }
    }
}

fn print_go(limits: &Limits<String>, spelling: &Spelling) -> String {
    let mut line = "go".to_owned();
    let mut word = |name: &str, number: Option<u128>| {
        if let Some(number) = number {
            let _ = write!(line, " {name} {number}");
        }
    };
    let millis = |time: Option<Duration>| time.map(|time| time.as_millis());
    for colour in Colour::BOTH.map(Colour::index) {
        word(spelling.time[colour], millis(limits.time[colour]));
    }
    for colour in Colour::BOTH.map(Colour::index) {
        word(spelling.increment[colour], millis(limits.increment[colour]));
    }
    word("movestogo", limits.moves_to_go.map(u128::from));
    word("movetime", millis(limits.move_time));
    word("depth", limits.depth.map(u128::from));
    word("nodes", limits.nodes.map(u128::from));
    word("mate", limits.mate.map(|turns| u128::from(spelling.mate.of_win(turns))));
    if limits.infinite {
        line.push_str(" infinite");
    }
    if limits.ponder {
        line.push_str(" ponder");
    }
    append_moves(&mut line, " searchmoves", &limits.moves);
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Dialect;

    fn uci(line: &str) -> Result<Option<Command>, CommandError> {
        Dialect::Uci.parse_command(line)
    }

    fn error(line: &str) -> String {
        uci(line).unwrap_err().to_string()
    }

    #[test]
    fn the_clients_quirks_are_understood() {
        assert_eq!(uci(""), Ok(None));
        assert_eq!(uci(" \t\r"), Ok(None));
        assert_eq!(uci("isready\r"), Ok(Some(Command::IsReady)));
        assert_eq!(
            uci("position startpos moves "),
            Ok(Some(Command::Position { start: Start::Standard, moves: vec![] }))
        );
        assert_eq!(
            uci("position fen 3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w moves d1d7,d7g7"),
            Ok(Some(Command::Position {
                start: Start::Fen("3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w".into()),
                moves: vec!["d1d7,d7g7".into()]
            }))
        );
        assert_eq!(
            uci("setoption name Clear Hash value true"),
            Ok(Some(Command::SetOption { name: "Clear Hash".into(), value: Some("true".into()) }))
        );
        assert_eq!(
            uci("setoption name Debug Log File value  /tmp/my  log.txt "),
            Ok(Some(Command::SetOption {
                name: "Debug Log File".into(),
                value: Some("/tmp/my  log.txt".into())
            }))
        );
    }

    #[test]
    fn go_reads_all_its_words() {
        let line = "go wtime 1000 btime -5 winc 10 binc 20 movestogo 3 movetime 50 depth 4 \
                    nodes 500 mate 3 infinite ponder searchmoves d1d7,d7g7 a4-a5/a4";
        let Ok(Some(Command::Go(limits))) = uci(line) else { panic!("{:?}", uci(line)) };
        assert_eq!(limits.time, [Some(Duration::from_secs(1)), Some(Duration::ZERO)]);
        assert_eq!(limits.increment, [10, 20].map(|ms| Some(Duration::from_millis(ms))));
        assert_eq!(limits.moves_to_go, Some(3));
        assert_eq!(limits.move_time, Some(Duration::from_millis(50)));
        assert_eq!((limits.depth, limits.nodes), (Some(4), Some(500)));
        // Three own moves are five turns.
        assert_eq!(limits.mate, Some(5));
        assert!(limits.infinite && limits.ponder);
        assert_eq!(limits.moves, ["d1d7,d7g7", "a4-a5/a4"]);

        let ugi = Dialect::Ugi.parse_command("go p1time 7 p2time 8 p1inc 1 p2inc 2 mate 4");
        let Ok(Some(Command::Go(limits))) = ugi else { panic!("{ugi:?}") };
        assert_eq!(limits.time, [7, 8].map(|ms| Some(Duration::from_millis(ms))));
        assert_eq!(limits.mate, Some(4));
        assert_eq!(uci("go perft 3"), Ok(Some(Command::Perft(3))));
    }

    #[test]
    fn errors_name_the_offending_part() {
        assert_eq!(error("xyz a b"), "Unknown command: 'xyz'; help lists the commands");
        assert_eq!(error("ugi"), "Unknown command: 'ugi'; help lists the commands");
        assert_eq!(error("stop it"), "'it' means nothing after stop");
        assert_eq!(error("go wtime"), "wtime must be followed by a number");
        assert_eq!(error("go depth x"), "'x' after depth is not a whole number from 0 to 65535");
        assert_eq!(
            error("go nodes 99999999999999999999"),
            "'99999999999999999999' after nodes is not a whole number from 0 to \
             9223372036854775807"
        );
        assert_eq!(
            error("go fast"),
            "'fast' means nothing after go; help lists what may stand there"
        );
        assert_eq!(error("go searchmoves"), "searchmoves must be followed by one move or more");
        assert_eq!(
            error("position"),
            "position must be followed by startpos, or fen and a position"
        );
        assert_eq!(error("position fen moves"), "position fen must be followed by a position");
        assert_eq!(
            error("position e2e4"),
            "'e2e4' means nothing after position but startpos or fen"
        );
        assert_eq!(
            error("position startpos d1d7,d7g7"),
            "'d1d7,d7g7' means nothing after position startpos but moves"
        );
        assert_eq!(
            error("setoption Hash 16"),
            "'Hash' means nothing after setoption, which is followed by name NAME"
        );
        assert_eq!(
            error("setoption name value 3"),
            "setoption name must be followed by the name of an option"
        );
        assert_eq!(
            error("query winner"),
            "'winner' means nothing after query but p1turn, gameover or result"
        );
    }

    #[test]
    fn help_names_every_command() {
        for dialect in Dialect::ALL {
            for usage in usages(dialect.spelling()) {
                let known = dialect.parse_command(usage.word);
                assert!(!matches!(known, Err(CommandError::Unknown(_))), "{}", usage.word);
            }
        }
    }
}
