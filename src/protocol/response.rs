//! What an engine tells the GUI.

use std::fmt::Write;
use std::time::Duration;

use thiserror::Error;

use super::dialect::Spelling;
use super::words::{Words, one_line};
use crate::amazons::excerpt;
use crate::engine::OptionKind;

/// A line from an engine to a GUI. Moves are text here.
#[derive(Clone, PartialEq, Debug)]
pub enum Response {
    /// The engine's name.
    Name(String),
    /// Who wrote it.
    Author(String),
    /// The declaration of an option.
    Option {
        /// Its name.
        name: String,
        /// What it takes.
        kind: OptionKind,
    },
    /// The end of the answer to the greeting.
    HelloDone,
    /// The answer to `isready`.
    ReadyOk,
    /// What the search has found so far.
    Info(Info),
    /// A remark for people.
    Note(String),
    /// The end of a search.
    BestMove {
        /// The move; `None` when there is no legal one.
        best: Option<String>,
        /// The reply that the engine expects.
        expected: Option<String>,
    },
    /// The answer to `query`.
    Answer(Answer),
    /// Any other line: boards, tables, what an engine prints when it starts.
    Text(String),
}

/// The answers to UGI's `query`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Yes.
    True,
    /// No.
    False,
    /// The first player has won.
    P1Win,
    /// The second player has won.
    P2Win,
    /// Nobody has won, and the game is over.
    Draw,
    /// The game is not over.
    None,
}

impl Answer {
    const WORDS: [(&str, Answer); 6] = [
        ("true", Answer::True),
        ("false", Answer::False),
        ("p1win", Answer::P1Win),
        ("p2win", Answer::P2Win),
        ("draw", Answer::Draw),
        ("none", Answer::None),
    ];
}

impl From<bool> for Answer {
    fn from(yes: bool) -> Answer {
        if yes { Answer::True } else { Answer::False }
    }
}

/// A score, for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Score {
    /// An estimate. What a hundred of them are worth is each engine's own affair.
    Centipawns(i32),
    /// A proven win within this many turns of both sides together.
    WinIn(u16),
    /// A proven loss within this many turns of both sides together; 0 when it is lost already.
    LossIn(u16),
}

/// Whether a score is exact.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// The true score is this or more.
    Lower,
    /// The true score is this or less.
    Upper,
}

/// What an `info` line says. Every part may be missing.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Info {
    /// Length of the best line that is believed, in turns.
    pub depth: Option<u32>,
    /// Length of the longest line looked at, in turns.
    pub seldepth: Option<u32>,
    /// The rank of this line among the best, from 1.
    pub multipv: Option<u32>,
    /// The score, for the side to move.
    pub score: Option<Score>,
    /// Whether the score is only a bound.
    pub bound: Option<Bound>,
    /// The chances of win, draw and loss for the side to move, in permille.
    pub wdl: Option<[u16; 3]>,
    /// Positions evaluated.
    pub nodes: Option<u64>,
    /// Positions evaluated in a second.
    pub nps: Option<u64>,
    /// How full the memory is, in permille.
    pub hashfull: Option<u16>,
    /// Positions found in tables, or proven.
    pub tbhits: Option<u64>,
    /// Time since the search began.
    pub time: Option<Duration>,
    /// The best line, whole turns.
    pub pv: Vec<String>,
}

/// Why a line is no response, though it begins like one.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ResponseError {
    /// Something must follow.
    #[error("{after} is not followed by {wanted}")]
    Missing {
        /// The word that is last.
        after: String,
        /// What is missing.
        wanted: &'static str,
    },
    /// A word that cannot stand there.
    #[error("'{word}' after {after} is not {wanted}")]
    Wrong {
        /// The word before it.
        after: String,
        /// What was written.
        word: String,
        /// What is wanted there.
        wanted: &'static str,
    },
}

fn missing(after: &str, wanted: &'static str) -> ResponseError {
    ResponseError::Missing { after: after.to_owned(), wanted }
}

fn wrong(after: &str, word: &str, wanted: &'static str) -> ResponseError {
    ResponseError::Wrong { after: after.to_owned(), word: excerpt(word), wanted }
}

pub(super) fn parse(line: &str, spelling: &Spelling) -> Result<Response, ResponseError> {
    let mut words = Words::new(line);
    let response = match words.next() {
        Some("id") => match words.next() {
            Some("name") => Response::Name(words.rest().to_owned()),
            Some("author") => Response::Author(words.rest().to_owned()),
            _ => Response::Text(line.trim_end().to_owned()),
        },
        Some("option") => option(&mut words)?,
        Some(word) if word == spelling.hello_done => Response::HelloDone,
        Some("readyok") => Response::ReadyOk,
        Some("info") => {
            let mut after = words;
            if after.next() == Some("string") {
                Response::Note(after.rest().to_owned())
            } else {
                Response::Info(info(&mut words, spelling)?)
            }
        }
        Some("bestmove") => best_move(&mut words)?,
        Some("response") => {
            let word = words.next().ok_or_else(|| missing("response", "an answer"))?;
            let found = Answer::WORDS.iter().find(|(name, _)| *name == word);
            let wanted = "true, false, p1win, p2win, draw or none";
            Response::Answer(found.ok_or_else(|| wrong("response", word, wanted))?.1)
        }
        _ => Response::Text(line.trim_end().to_owned()),
    };
    Ok(response)
}

/// A word for a move, or one of the words that engines write for none.
fn move_word(word: &str) -> Option<String> {
    let none = ["(none)", "none", "0000"].contains(&word);
    (!none).then(|| word.to_owned())
}

fn best_move(words: &mut Words<'_>) -> Result<Response, ResponseError> {
    let best = words.next().ok_or_else(|| missing("bestmove", "a move"))?;
    let expected = match words.next() {
        Some("ponder") => {
            let word = words.next().ok_or_else(|| missing("ponder", "a move"))?;
            move_word(word)
        }
        _ => None,
    };
    Ok(Response::BestMove { best: move_word(best), expected })
}

fn number<T: std::str::FromStr>(words: &mut Words<'_>, after: &str) -> Result<T, ResponseError> {
    let word = words.next().ok_or_else(|| missing(after, "a number"))?;
    word.parse().map_err(|_| wrong(after, word, "a number that fits there"))
}

/// Reads what follows `info`. Words that are not known are skipped, as UCI demands.
fn info(words: &mut Words<'_>, spelling: &Spelling) -> Result<Info, ResponseError> {
    let mut info = Info::default();
    while let Some(word) = words.next() {
        match word {
            "depth" => info.depth = Some(number(words, word)?),
            "seldepth" => info.seldepth = Some(number(words, word)?),
            "multipv" => info.multipv = Some(number(words, word)?),
            "score" => info.score = Some(score(words, spelling)?),
            "lowerbound" => info.bound = Some(Bound::Lower),
            "upperbound" => info.bound = Some(Bound::Upper),
            "wdl" => {
                info.wdl = Some([number(words, word)?, number(words, word)?, number(words, word)?]);
            }
            "nodes" => info.nodes = Some(number(words, word)?),
            "nps" => info.nps = Some(number(words, word)?),
            "hashfull" => info.hashfull = Some(number(words, word)?),
            "tbhits" => info.tbhits = Some(number(words, word)?),
            "time" => info.time = Some(Duration::from_millis(number(words, word)?)),
            "pv" => info.pv = words.by_ref().map(str::to_owned).collect(),
            // The rest of the line is free text.
            "string" => break,
            _ => {}
        }
    }
    Ok(info)
}

fn score(words: &mut Words<'_>, spelling: &Spelling) -> Result<Score, ResponseError> {
    const WANTED: &str = "cp or mate";
    match words.next().ok_or_else(|| missing("score", WANTED))? {
        "cp" => Ok(Score::Centipawns(number(words, "cp")?)),
        "mate" => {
            let number: i16 = number(words, "mate")?;
            let size = number.unsigned_abs();
            Ok(if number > 0 {
                Score::WinIn(spelling.mate.win_turns(size))
            } else {
                Score::LossIn(spelling.mate.loss_turns(size))
            })
        }
        word => Err(wrong("score", word, WANTED)),
    }
}

fn option(words: &mut Words<'_>) -> Result<Response, ResponseError> {
    match words.next() {
        Some("name") => {}
        Some(word) => return Err(wrong("option", word, "name")),
        None => return Err(missing("option", "name and a name")),
    }
    let (name, _) = words.until("type");
    if name.is_empty() {
        return Err(missing("option name", "a name"));
    }
    const WANTED: &str = "check, spin, combo, button or string";
    let kind = match words.next().ok_or_else(|| missing("type", WANTED))? {
        "check" => {
            let on = match words.until("default").1.then(|| words.next()).flatten() {
                None | Some("false") => false,
                Some("true") => true,
                Some(word) => return Err(wrong("default", word, "true or false")),
            };
            OptionKind::Check { default: on }
        }
        "spin" => spin(words)?,
        "combo" => combo(words),
        "button" => OptionKind::Button,
        "string" => {
            words.until("default");
            let default = if words.rest() == "<empty>" { "" } else { words.rest() };
            OptionKind::Text { default: default.to_owned() }
        }
        word => return Err(wrong("type", word, WANTED)),
    };
    Ok(Response::Option { name: name.to_owned(), kind })
}

fn spin(words: &mut Words<'_>) -> Result<OptionKind, ResponseError> {
    let (mut default, mut min, mut max) = (0, i64::MIN, i64::MAX);
    while let Some(word) = words.next() {
        match word {
            "default" => default = number(words, word)?,
            "min" => min = number(words, word)?,
            "max" => max = number(words, word)?,
            _ => {}
        }
    }
    Ok(OptionKind::Spin { default, min, max })
}

/// Default and values of a combo may be of several words, and come in any order.
fn combo(words: &mut Words<'_>) -> OptionKind {
    let mut default = String::new();
    let mut vars: Vec<String> = Vec::new();
    let mut in_default = true;
    for word in words {
        match word {
            "default" => in_default = true,
            "var" => {
                in_default = false;
                vars.push(String::new());
            }
            _ => {
                let text = match vars.last_mut() {
                    Some(var) if !in_default => var,
                    _ => &mut default,
                };
                if !text.is_empty() {
                    text.push(' ');
                }
                text.push_str(word);
            }
        }
    }
    OptionKind::Combo { default, vars }
}

pub(super) fn print(response: &Response, spelling: &Spelling) -> String {
    match response {
        Response::Name(name) => format!("id name {}", one_line(name)),
        Response::Author(author) => format!("id author {}", one_line(author)),
        Response::Option { name, kind } => format!("option name {name} type {}", print_kind(kind)),
        Response::HelloDone => spelling.hello_done.to_owned(),
        Response::ReadyOk => "readyok".to_owned(),
        Response::Info(info) => print_info(info, spelling),
        Response::Note(text) => format!("info string {}", disarmed(text)),
        Response::BestMove { best, expected } => {
            let mut line = format!("bestmove {}", best.as_deref().unwrap_or("(none)"));
            if let Some(reply) = expected.as_deref().filter(|_| spelling.expected_reply) {
                let _ = write!(line, " ponder {reply}");
            }
            line
        }
        Response::Answer(answer) => {
            let found = Answer::WORDS.iter().find(|(_, other)| other == answer);
            format!("response {}", found.map_or("none", |(name, _)| *name))
        }
        Response::Text(text) => one_line(text),
    }
}

/// A remark in one line and without the two words that some clients look for anywhere in a line.
fn disarmed(text: &str) -> String {
    one_line(text).replace("bestmove", "best-move").replace("readyok", "ready-ok")
}

fn print_kind(kind: &OptionKind) -> String {
    match kind {
        OptionKind::Check { default } => format!("check default {default}"),
        OptionKind::Spin { default, min, max } => {
            format!("spin default {default} min {min} max {max}")
        }
        OptionKind::Combo { default, vars } => {
            let vars: String = vars.iter().map(|var| format!(" var {var}")).collect();
            format!("combo default {default}{vars}")
        }
        OptionKind::Button => "button".to_owned(),
        OptionKind::Text { default } if default.is_empty() => "string default <empty>".to_owned(),
        OptionKind::Text { default } => format!("string default {default}"),
    }
}

fn print_info(info: &Info, spelling: &Spelling) -> String {
    let mut line = "info".to_owned();
    let word = |line: &mut String, name: &str, number: Option<u128>| {
        if let Some(number) = number {
            let _ = write!(line, " {name} {number}");
        }
    };
    word(&mut line, "depth", info.depth.map(u128::from));
    word(&mut line, "seldepth", info.seldepth.map(u128::from));
    word(&mut line, "multipv", info.multipv.map(u128::from));
    match info.score {
        None => {}
        Some(Score::Centipawns(cp)) => word_signed(&mut line, "score cp", i64::from(cp)),
        Some(Score::WinIn(turns)) => {
            word_signed(&mut line, "score mate", i64::from(spelling.mate.of_win(turns)));
        }
        Some(Score::LossIn(turns)) => {
            word_signed(&mut line, "score mate", -i64::from(spelling.mate.of_loss(turns)));
        }
    }
    match info.bound {
        None => {}
        Some(Bound::Lower) => line.push_str(" lowerbound"),
        Some(Bound::Upper) => line.push_str(" upperbound"),
    }
    if let Some([win, draw, loss]) = info.wdl {
        let _ = write!(line, " wdl {win} {draw} {loss}");
    }
    word(&mut line, "nodes", info.nodes.map(u128::from));
    word(&mut line, "nps", info.nps.map(u128::from));
    word(&mut line, "hashfull", info.hashfull.map(u128::from));
    word(&mut line, "tbhits", info.tbhits.map(u128::from));
    word(&mut line, "time", info.time.map(|time| time.as_millis()));
    if !info.pv.is_empty() {
        let _ = write!(line, " pv {}", info.pv.join(" "));
    }
    line
}

fn word_signed(line: &mut String, name: &str, number: i64) {
    let _ = write!(line, " {name} {number}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Dialect;

    #[test]
    fn other_engines_lines_are_understood() {
        let parse = |line| Dialect::Uci.parse_response(line);
        assert_eq!(
            parse("option name UCI_Variant type combo default amazons var amazons var chess"),
            Ok(Response::Option {
                name: "UCI_Variant".into(),
                kind: OptionKind::Combo {
                    default: "amazons".into(),
                    vars: vec!["amazons".into(), "chess".into()]
                }
            })
        );
        let line = "info depth 5 seldepth 7 multipv 1 score cp -34 upperbound nodes 1 nps 2 \
                    hashfull 0 tbhits 0 time 12 currmovenumber 3 pv d1d7,d7g7 d10d8,d8d10";
        let Ok(Response::Info(info)) = parse(line) else { panic!() };
        assert_eq!(info.score, Some(Score::Centipawns(-34)));
        assert_eq!(info.bound, Some(Bound::Upper));
        assert_eq!(info.time, Some(Duration::from_millis(12)));
        assert_eq!(info.pv, ["d1d7,d7g7", "d10d8,d8d10"]);
        assert_eq!(
            parse("bestmove (none)\r"),
            Ok(Response::BestMove { best: None, expected: None })
        );
        assert_eq!(parse("Stockfish 17"), Ok(Response::Text("Stockfish 17".into())));
        assert_eq!(
            parse("bestmove").unwrap_err().to_string(),
            "bestmove is not followed by a move"
        );
        assert_eq!(
            parse("info depth x").unwrap_err().to_string(),
            "'x' after depth is not a number that fits there"
        );
    }

    #[test]
    fn mate_counts_what_the_dialect_counts() {
        let info = |score| Response::Info(Info { score: Some(score), ..Info::default() });
        let uci = |score| Dialect::Uci.print_response(&info(score));
        let ugi = |score| Dialect::Ugi.print_response(&info(score));
        assert_eq!(uci(Score::WinIn(1)), "info score mate 1");
        assert_eq!(uci(Score::WinIn(5)), "info score mate 3");
        assert_eq!(uci(Score::LossIn(4)), "info score mate -2");
        assert_eq!(uci(Score::LossIn(0)), "info score mate 0");
        assert_eq!(ugi(Score::WinIn(5)), "info score mate 5");
        assert_eq!(ugi(Score::LossIn(4)), "info score mate -4");
    }

    #[test]
    fn ugi_never_tells_the_expected_reply() {
        let response = Response::BestMove { best: Some("a".into()), expected: Some("b".into()) };
        assert_eq!(Dialect::Uci.print_response(&response), "bestmove a ponder b");
        assert_eq!(Dialect::Ugi.print_response(&response), "bestmove a");
    }

    #[test]
    fn remarks_are_one_line_and_free_of_the_words_that_clients_look_for() {
        let note = Response::Note("a bestmove\nis readyok".into());
        assert_eq!(Dialect::Uci.print_response(&note), "info string a best-move is ready-ok");
    }
}
