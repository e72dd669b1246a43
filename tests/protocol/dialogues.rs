//! Every dialogue in `protocol.md` is carried out, as it is written.
//!
//! A dialogue is a fenced block whose language is a dialect. `> ` begins a line to the engine, and
//! `< ` a line from it. In a line from the engine `…` stands for any text, and a line that is
//! nothing but `…` for any number of lines. After the last line the input is closed; what the
//! engine says then must have been written, too.

use otrera::engine::{OptionKind, Options};
use otrera::protocol::Dialect;

use crate::client::Client;

const TEXT: &str = include_str!("../../protocol.md");

/// A block of the text.
struct Dialogue {
    dialect: Dialect,
    /// The line of the text that it begins on, from 1.
    number: usize,
    /// Its lines, each with its number.
    lines: Vec<(usize, &'static str)>,
}

fn dialogues() -> Vec<Dialogue> {
    let mut dialogues: Vec<Dialogue> = Vec::new();
    let mut inside = false;
    for (index, line) in TEXT.lines().enumerate() {
        match line {
            "```uci" | "```ugi" => {
                let dialect = if line.ends_with("uci") { Dialect::Uci } else { Dialect::Ugi };
                dialogues.push(Dialogue { dialect, number: index + 1, lines: Vec::new() });
                inside = true;
            }
            "```" => inside = false,
            line if inside => {
                let dialogue = dialogues.last_mut().expect("a line outside all blocks");
                dialogue.lines.push((index + 1, line));
            }
            _ => {}
        }
    }
    dialogues
}

/// Whether a line is as `pattern` says.
fn fits(pattern: &str, line: &str) -> bool {
    let mut parts = pattern.split('…');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = line.strip_prefix(first) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(place) => rest = &rest[place + part.len()..],
            None => return false,
        }
    }
    true
}

fn carry_out(dialect: Dialect, lines: &[(usize, &str)]) {
    let client = Client::new(Some(dialect));
    let mut skipping = false;
    let mut last = lines;
    for (place, (number, line)) in lines.iter().enumerate() {
        if let Some(input) = line.strip_prefix("> ") {
            client.send(input);
        } else if *line == "< …" {
            skipping = true;
        } else if let Some(pattern) = line.strip_prefix("<") {
            let pattern = pattern.strip_prefix(' ').unwrap_or(pattern);
            loop {
                let said = client.line();
                if fits(pattern, &said) {
                    break;
                }
                assert!(skipping, "protocol.md:{number}: the engine said {said:?}");
            }
            skipping = false;
        } else {
            panic!("protocol.md:{number}: neither '> ' nor '< '");
        }
        last = &lines[place..];
    }
    let rest = client.close();
    assert!(skipping || rest.is_empty(), "protocol.md:{}: then it said {rest:?}", last[0].0);
}

#[test]
fn every_dialogue_goes_as_it_is_written() {
    let dialogues = dialogues();
    assert!(dialogues.len() >= 8, "{} dialogues", dialogues.len());
    for Dialogue { dialect, number, lines } in dialogues {
        assert!(!lines.is_empty(), "protocol.md:{number}: an empty dialogue");
        carry_out(dialect, &lines);
    }
}

#[test]
fn every_command_has_its_heading() {
    let client = Client::new(None);
    let help = client.answers("help");
    client.close();
    let mut commands = help.iter().take_while(|line| !line.starts_with("Options")).skip(1);
    // A command stands two columns in, and its explanation six in the next line.
    while let (Some(command), Some(_)) = (commands.next(), commands.next()) {
        let words: Vec<&str> = command.split_whitespace().collect();
        let name = match words[..] {
            ["go", "perft", ..] => "go perft",
            _ => words[0],
        };
        let heading = format!("### `{name}");
        assert!(TEXT.lines().any(|line| line.starts_with(&heading)), "{heading}");
    }
}

#[test]
fn every_option_has_its_row() {
    for spec in Options::new().specs() {
        let row = format!("| `{}` | ", spec.name);
        let found = TEXT.lines().find(|line| line.starts_with(&row)).unwrap_or_default();
        assert!(found.contains(&format!("| {} |", spec.doc)), "{row}: {found}");
        if let OptionKind::Spin { default, min, max } = spec.kind {
            let range = if min == max { min.to_string() } else { format!("{min} to {max}") };
            assert!(found.contains(&format!("{row}{range} | {default} |")), "{found}");
        }
    }
}

#[test]
fn patterns_fit_what_they_say() {
    assert!(fits("readyok", "readyok"));
    assert!(!fits("readyok", "readyok "));
    assert!(fits("info … score cp … pv …", "info depth 1 score cp 3 nodes 1 pv a"));
    assert!(!fits("info … score cp … pv …", "info depth 1 score mate 3 nodes 1 pv a"));
    assert!(fits("bestmove …", "bestmove d1d7,d7g7"));
    assert!(fits("a…b", "ab"));
    assert!(!fits("a…b", "a"));
}
