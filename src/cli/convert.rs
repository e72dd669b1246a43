//! `otrera convert`: records from one form to another.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};

use crate::amazons::{Notation, Position};
use crate::record::{self, Record, sgf, text};

/// Convert game records between tag-pair text, SGF and lists of moves
#[derive(Args, Debug)]
pub struct Arguments {
    /// The file to read, in either form of record or as a bare list of moves; - for standard input
    input: PathBuf,
    /// The file to write; - for standard output
    output: PathBuf,
    /// The form to write; by the ending of the output's name if not given
    #[arg(long, value_enum, value_name = "FORM")]
    to: Option<Form>,
    /// How --to moves writes moves
    #[arg(long, default_value = Notation::Canonical.name(), value_name = "NAME")]
    notation: Notation,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Form {
    /// Tag-pair text, which holds everything
    Pgn,
    /// SGF, with the thoughts in comments
    Sgf,
    /// The moves alone, a game on each line, for games from the start of the game
    Moves,
    /// The last position of each game, on a line
    Fen,
}

/// Runs the conversion.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let form = form(arguments)?;
    let text = read(&arguments.input)?;
    let name = || arguments.input.display().to_string();
    let records = record::read(&text).with_context(name)?;
    let mut written = String::new();
    for (index, record) in records.iter().enumerate() {
        match form {
            Form::Pgn => written.push_str(&text::write(record)),
            Form::Sgf => written.push_str(&sgf::write(record)),
            Form::Fen => written.push_str(&(record.last_position().fen() + "\n")),
            Form::Moves => {
                let line = moves(record, arguments.notation)
                    .with_context(|| format!("game {} of {}", index + 1, name()))?;
                written.push_str(&line);
            }
        }
    }
    write(&arguments.output, &written)?;
    if arguments.output != Path::new("-") {
        writeln!(
            io::stdout(),
            "{} games written to {}",
            records.len(),
            arguments.output.display()
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

fn form(arguments: &Arguments) -> anyhow::Result<Form> {
    let ending = arguments.output.extension().and_then(|ending| ending.to_str());
    match (arguments.to, ending) {
        (Some(form), _) => Ok(form),
        (None, Some("sgf")) => Ok(Form::Sgf),
        (None, Some("pgn" | "txt")) => Ok(Form::Pgn),
        _ => bail!(
            "the name {} does not tell the form (.pgn, .txt, .sgf); --to does",
            arguments.output.display()
        ),
    }
}

/// The moves on a line, as a file of openings has them.
fn moves(record: &Record, notation: Notation) -> anyhow::Result<String> {
    if record.start != Position::start() {
        bail!("a list of moves cannot begin from another position than the start");
    }
    if [Notation::Spaces, Notation::SpacedBrackets].contains(&notation) {
        bail!("moves with blanks in them ({}) cannot be told apart on a line", notation.name());
    }
    let moves = record.walk().map(|(position, ply)| ply.mv.written(notation, &position));
    Ok(moves.collect::<Vec<_>>().join(" ") + "\n")
}

/// The text of a file, or of standard input for `-`.
pub(super) fn read(path: &Path) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    let name = || path.display().to_string();
    if path == Path::new("-") {
        io::stdin().lock().read_to_end(&mut bytes)?;
    } else {
        File::open(path).and_then(|mut file| file.read_to_end(&mut bytes)).with_context(name)?;
    }
    // Old records come in all encodings; what is not UTF-8 can only stand in names and comments.
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    if path == Path::new("-") {
        io::stdout().lock().write_all(text.as_bytes())?;
        return Ok(());
    }
    fs::write(path, text).with_context(|| path.display().to_string())
}
