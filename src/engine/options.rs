//! The options of the engine. One table declares each of them once; what the protocols print, what
//! they accept, and what the program's text says of an option all come from it.

use std::fmt;
use std::time::Duration;

use thiserror::Error;

use super::reference::Style;
use super::selection::{EvalType, SelectionError};

use crate::amazons::excerpt;
use crate::search::MOST_THREADS;

/// What values an option takes, in the terms of UCI.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OptionKind {
    /// On or off.
    Check {
        /// The value at the start.
        default: bool,
    },
    /// A whole number in a range, both ends included.
    Spin {
        /// The value at the start.
        default: i64,
        /// The least value.
        min: i64,
        /// The greatest value.
        max: i64,
    },
    /// One of several words.
    Combo {
        /// The value at the start.
        default: String,
        /// All values.
        vars: Vec<String>,
    },
    /// Something to be done, without a value.
    Button,
    /// Any text.
    Text {
        /// The value at the start.
        default: String,
    },
}

/// The declaration of one option.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OptionSpec {
    /// Its name, compared without regard to case.
    pub name: &'static str,
    /// What values it takes.
    pub kind: OptionKind,
    /// What it does, in a sentence.
    pub doc: &'static str,
}

/// Names the options in the order of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Id {
    Hash,
    ClearHash,
    Threads,
    EvalType,
    EvalFile,
    MultiPv,
    Ponder,
    MoveOverhead,
    Variant,
    ShowWdl,
    AnalyseMode,
    Player,
    Seed,
    DebugLogFile,
}

fn spin(default: i64, min: i64, max: i64) -> OptionKind {
    OptionKind::Spin { default, min, max }
}

/// The table.
fn table() -> Vec<(Id, OptionSpec)> {
    let off = OptionKind::Check { default: false };
    let rows = [
        (
            Id::Hash,
            "Hash",
            spin(64, 1, 1 << 18),
            "Megabytes (MiB) for everything that grows while the engine searches.",
        ),
        (
            Id::ClearHash,
            "Clear Hash",
            OptionKind::Button,
            "Forgets everything found in earlier searches.",
        ),
        (
            Id::Threads,
            "Threads",
            spin(1, 1, MOST_THREADS.into()),
            "Search threads. With one and a limit on nodes the engine gives the same answer again.",
        ),
        (
            Id::EvalType,
            "EvalType",
            OptionKind::Combo {
                default: EvalType::NAMES[0].into(),
                vars: EvalType::NAMES.map(String::from).into(),
            },
            "What judges positions: the network that was learned from self-play, or the classical \
             evaluation by formula.",
        ),
        (
            Id::EvalFile,
            "EvalFile",
            OptionKind::Text { default: String::new() },
            "The file of a network to play with; empty for the one that the engine brings along.",
        ),
        (Id::MultiPv, "MultiPV", spin(1, 1, 256), "How many best lines are reported."),
        (
            Id::Ponder,
            "Ponder",
            off.clone(),
            "Says that the engine will be told to think on the opponent's time, so that it spends \
             a little more of its own.",
        ),
        (
            Id::MoveOverhead,
            "Move Overhead",
            spin(10, 0, 5000),
            "Milliseconds lost between engine and clock on each move; the engine answers that much \
             earlier.",
        ),
        (
            Id::Variant,
            "UCI_Variant",
            OptionKind::Combo { default: "amazons".into(), vars: vec!["amazons".into()] },
            "The game; its name is how a GUI learns that this engine plays it.",
        ),
        (
            Id::ShowWdl,
            "UCI_ShowWDL",
            off.clone(),
            "Adds the chances of win, draw and loss, in permille, to each score.",
        ),
        (
            Id::AnalyseMode,
            "UCI_AnalyseMode",
            off,
            "Uses all the time it is given: no early answer when the choice seems clear, and no \
             answer without a search when the position can be counted or solved.",
        ),
        (
            Id::Player,
            "Player",
            OptionKind::Combo {
                default: Style::NAMES[0].into(),
                vars: Style::NAMES.map(String::from).into(),
            },
            "Who chooses the moves: the search; or, to have something to measure it against, the \
             static evaluation after each legal move (greedy), or chance (random).",
        ),
        (
            Id::Seed,
            "Seed",
            spin(0, 0, i64::from(u32::MAX)),
            "What the random player's moves depend on besides the position.",
        ),
        (
            Id::DebugLogFile,
            "Debug Log File",
            OptionKind::Text { default: String::new() },
            "Appends every line read and written, with its time, to this file; empty for none.",
        ),
    ];
    rows.map(|(id, name, kind, doc)| (id, OptionSpec { name, kind, doc })).into()
}

/// A value that an option has been given.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Setting {
    Check(bool),
    Spin(i64),
    Text(String),
    Nothing,
}

/// What the engine must do at once because an option was set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Nothing: the value is looked up when it is needed.
    None,
    /// Take this much memory, in bytes.
    Resize(usize),
    /// Forget everything found in earlier searches.
    Clear,
    /// Search with so many threads.
    Threads(usize),
    /// Judge positions as [`Options::eval_type`] and [`Options::eval_file`] say.
    Evaluation,
    /// Log to the file that [`Options::debug_log_file`] names from now on.
    Log,
}

/// Why an option was not set.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum OptionError {
    /// There is no such option.
    #[error("no option is named '{0}'")]
    Unknown(String),
    /// The value is missing.
    #[error("option {name} needs a value: {wanted}")]
    Missing {
        /// The option.
        name: &'static str,
        /// What it takes.
        wanted: String,
    },
    /// The value is not one that the option takes.
    #[error("option {name} cannot be '{value}': it takes {wanted}")]
    Value {
        /// The option.
        name: &'static str,
        /// The value it was given.
        value: String,
        /// What it takes.
        wanted: String,
    },
    /// There is no such evaluation.
    #[error("the evaluation stays as it was: {0}")]
    Selection(SelectionError),
}

impl fmt::Display for OptionKind {
    /// What the option takes, for people.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionKind::Check { .. } => f.write_str("true or false"),
            OptionKind::Spin { min, max, .. } if min == max => write!(f, "{min} and nothing else"),
            OptionKind::Spin { min, max, .. } => write!(f, "a whole number from {min} to {max}"),
            OptionKind::Combo { vars, .. } => f.write_str(&vars.join(" or ")),
            OptionKind::Button => f.write_str("no value"),
            OptionKind::Text { .. } => f.write_str("any text"),
        }
    }
}

/// All options with their present values.
#[derive(Clone, Debug)]
pub struct Options {
    table: Vec<(Id, OptionSpec)>,
    settings: Vec<Setting>,
}

impl Default for Options {
    fn default() -> Options {
        Options::new()
    }
}

impl Options {
    /// Every option at its default.
    pub fn new() -> Options {
        let table = table();
        let settings = table
            .iter()
            .map(|(_, spec)| match &spec.kind {
                OptionKind::Check { default } => Setting::Check(*default),
                OptionKind::Spin { default, .. } => Setting::Spin(*default),
                OptionKind::Combo { default, .. } | OptionKind::Text { default } => {
                    Setting::Text(default.clone())
                }
                OptionKind::Button => Setting::Nothing,
            })
            .collect();
        Options { table, settings }
    }

    /// The declarations, in the order they are to be printed.
    pub fn specs(&self) -> impl Iterator<Item = &OptionSpec> {
        self.table.iter().map(|(_, spec)| spec)
    }

    /// Sets an option, named without regard to case. A button may be given a value, which means
    /// nothing: one client does so. On an error every option stays as it was.
    ///
    /// # Errors
    /// When there is no such option, or it does not take that value.
    pub fn set(&mut self, name: &str, value: Option<&str>) -> Result<Effect, OptionError> {
        let place = self
            .table
            .iter()
            .position(|(_, spec)| spec.name.eq_ignore_ascii_case(name))
            .ok_or_else(|| OptionError::Unknown(excerpt(name)))?;
        let (id, spec) = &self.table[place];
        let id = *id;
        self.settings[place] = read(spec, value)?;
        Ok(match id {
            Id::Hash => Effect::Resize(self.hash_bytes()),
            Id::ClearHash => Effect::Clear,
            Id::Threads => Effect::Threads(self.threads()),
            Id::EvalType | Id::EvalFile => Effect::Evaluation,
            Id::DebugLogFile => Effect::Log,
            _ => Effect::None,
        })
    }

    /// The memory budget of the search, in bytes.
    pub fn hash_bytes(&self) -> usize {
        usize::try_from(self.spin(Id::Hash)).unwrap_or(usize::MAX).saturating_mul(1 << 20)
    }

    /// How many threads search.
    pub fn threads(&self) -> usize {
        self.spin(Id::Threads) as usize
    }

    /// How many best lines to report.
    pub fn multipv(&self) -> usize {
        self.spin(Id::MultiPv) as usize
    }

    /// Whether the engine may be told to ponder.
    pub fn ponder(&self) -> bool {
        self.check(Id::Ponder)
    }

    /// What is lost between engine and clock on each move.
    pub fn move_overhead(&self) -> Duration {
        Duration::from_millis(self.spin(Id::MoveOverhead).unsigned_abs())
    }

    /// The file that lines are logged to; empty for none.
    pub fn debug_log_file(&self) -> &str {
        self.text(Id::DebugLogFile)
    }

    /// What judges positions.
    pub fn eval_type(&self) -> EvalType {
        EvalType::named(self.text(Id::EvalType))
    }

    /// The file of the network; empty for the one that the engine brings along.
    pub fn eval_file(&self) -> &str {
        self.text(Id::EvalFile)
    }

    /// Whether to report the chances of win, draw and loss.
    pub fn show_wdl(&self) -> bool {
        self.check(Id::ShowWdl)
    }

    /// Whether to use all the time given.
    pub fn analyse_mode(&self) -> bool {
        self.check(Id::AnalyseMode)
    }

    /// Who chooses the moves.
    pub(super) fn style(&self) -> Style {
        match self.text(Id::Player) {
            "greedy" => Style::Greedy,
            "random" => Style::Random { seed: self.spin(Id::Seed).unsigned_abs() },
            _ => Style::Search,
        }
    }

    fn setting(&self, id: Id) -> &Setting {
        &self.settings[id as usize]
    }

    fn spin(&self, id: Id) -> i64 {
        match self.setting(id) {
            Setting::Spin(number) => *number,
            other => unreachable!("{id:?} is declared a number and holds {other:?}"),
        }
    }

    fn check(&self, id: Id) -> bool {
        match self.setting(id) {
            Setting::Check(on) => *on,
            other => unreachable!("{id:?} is declared a switch and holds {other:?}"),
        }
    }

    fn text(&self, id: Id) -> &str {
        match self.setting(id) {
            Setting::Text(text) => text,
            other => unreachable!("{id:?} is declared a text and holds {other:?}"),
        }
    }
}

/// Reads the value of an option.
fn read(spec: &OptionSpec, value: Option<&str>) -> Result<Setting, OptionError> {
    if spec.kind == OptionKind::Button {
        return Ok(Setting::Nothing);
    }
    let wanted = || spec.kind.to_string();
    let value =
        value.ok_or_else(|| OptionError::Missing { name: spec.name, wanted: wanted() })?.trim();
    let setting = match &spec.kind {
        OptionKind::Check { .. } if value.eq_ignore_ascii_case("true") => {
            Some(Setting::Check(true))
        }
        OptionKind::Check { .. } if value.eq_ignore_ascii_case("false") => {
            Some(Setting::Check(false))
        }
        OptionKind::Spin { min, max, .. } => {
            value.parse().ok().filter(|number| (*min..=*max).contains(number)).map(Setting::Spin)
        }
        OptionKind::Combo { vars, .. } => vars
            .iter()
            .find(|var| var.eq_ignore_ascii_case(value))
            .map(|var| Setting::Text(var.clone())),
        OptionKind::Text { .. } => Some(Setting::Text(value.to_owned())),
        OptionKind::Check { .. } | OptionKind::Button => None,
    };
    setting.ok_or_else(|| OptionError::Value {
        name: spec.name,
        value: excerpt(value),
        wanted: wanted(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_its_names() {
        for (place, (id, _)) in table().iter().enumerate() {
            assert_eq!(*id as usize, place, "{id:?}");
        }
    }

    #[test]
    fn defaults_lie_in_their_ranges_and_names_and_docs_are_sound() {
        let options = Options::new();
        let mut names = Vec::new();
        for spec in options.specs() {
            match &spec.kind {
                OptionKind::Spin { default, min, max } => {
                    assert!((min..=max).contains(&default), "{}", spec.name);
                }
                OptionKind::Combo { default, vars } => {
                    assert!(vars.contains(default), "{}", spec.name);
                }
                _ => {}
            }
            assert!(spec.doc.ends_with('.'), "{}", spec.name);
            names.push(spec.name.to_ascii_lowercase());
        }
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count, "two options share a name");
    }

    #[test]
    fn values_are_read_whatever_the_case_and_kept_on_errors() {
        let mut options = Options::new();
        assert_eq!(options.set("hAsH", Some("16")), Ok(Effect::Resize(16 << 20)));
        assert_eq!(options.set("clear hash", Some("true")), Ok(Effect::Clear));
        assert_eq!(options.set("ponder", Some("TRUE")), Ok(Effect::None));
        assert!(options.ponder());
        let error = options.set("Hash", Some("0")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "option Hash cannot be '0': it takes a whole number from 1 to 262144"
        );
        assert_eq!(options.hash_bytes(), 16 << 20);
        assert!(matches!(options.set("Hush", Some("1")), Err(OptionError::Unknown(_))));
        assert!(matches!(options.set("MultiPV", None), Err(OptionError::Missing { .. })));
        assert_eq!(options.set("debug log file", Some("a log")), Ok(Effect::Log));
        assert_eq!(options.debug_log_file(), "a log");
    }
}
