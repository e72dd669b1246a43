//! From the words of the command line to the settings of a match.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::words::{Group, WordError, groups, split_arguments};
use crate::arena::openings::Form;
use crate::arena::player::{Deadlines, Entrant};
use crate::arena::process::Launch;
use crate::arena::referee::{Resign, Rules};
use crate::arena::schedule::{Format, Order};
use crate::arena::statistics::{Model, Sprt};
use crate::arena::time_control::{Allowance, read_seconds};
use crate::protocol::Dialect;

/// All that the command line says.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    pub entrants: Vec<Arc<Entrant>>,
    pub format: Format,
    pub rounds: u32,
    pub games: u32,
    /// Whether two games after another share an opening.
    pub pairs: bool,
    pub openings: Option<OpeningFile>,
    pub seed: Option<u64>,
    pub sprt: Option<Sprt>,
    pub rules: Rules,
    pub concurrency: usize,
    pub recover: bool,
    /// The record file, and whether it is added to.
    pub records: Option<(PathBuf, bool)>,
    pub results: Option<PathBuf>,
    pub log: Option<PathBuf>,
    pub report: Option<PathBuf>,
    /// A report after so many games.
    pub rating_interval: Option<usize>,
    pub event: String,
    pub deadlines: Deadlines,
}

/// What follows `-openings`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpeningFile {
    pub path: PathBuf,
    pub form: Form,
    pub order: Order,
    pub plies: Option<usize>,
    /// The first opening used, counted from 0.
    pub first: usize,
}

const ENGINE_KEYS: [&str; 12] = [
    "cmd",
    "name",
    "args",
    "dir",
    "proto",
    "tc",
    "st",
    "nodes",
    "depth",
    "timemargin",
    "restart",
    "option.",
];

/// Options that may follow `-resume`: they change nothing about the games already played.
const WHEN_RESUMED: [&str; 9] = [
    "-rounds",
    "-concurrency",
    "-recover",
    "-log",
    "-report",
    "-ratinginterval",
    "-startup-ms",
    "-ping-ms",
    "-stall-ms",
];

/// The settings while the words are read.
struct Reader<'a> {
    folder: &'a Path,
    settings: Settings,
    engines: Vec<Group<'a>>,
    each: Vec<(&'a str, &'a str)>,
    repeat: Option<bool>,
}

impl Settings {
    /// Reads a command line. Paths in it begin from `folder`. `later` are words that were added
    /// when the match was taken up again.
    ///
    /// # Errors
    /// Which word is wrong, and why.
    pub fn read(words: &[String], later: &[String], folder: &Path) -> Result<Settings, WordError> {
        let mut reader = Reader::new(folder);
        reader.read_all(groups(words)?)?;
        let later = groups(later)?;
        if let Some(group) = later.iter().find(|group| !WHEN_RESUMED.contains(&group.option)) {
            let said = format!("{} cannot be changed when a match is resumed", group.option);
            return Err(WordError::Senseless(said));
        }
        reader.read_all(later)?;
        reader.finish()
    }
}

impl<'a> Reader<'a> {
    fn new(folder: &'a Path) -> Reader<'a> {
        let settings = Settings {
            entrants: Vec::new(),
            format: Format::RoundRobin,
            rounds: 1,
            games: 2,
            pairs: true,
            openings: None,
            seed: None,
            sprt: None,
            rules: Rules { adjudicate: true, resign: None, max_moves: None },
            concurrency: 1,
            recover: false,
            records: None,
            results: None,
            log: None,
            report: None,
            rating_interval: None,
            event: "Otrera match".to_owned(),
            deadlines: Deadlines::default(),
        };
        Reader { folder, settings, engines: Vec::new(), each: Vec::new(), repeat: None }
    }

    fn read_all(&mut self, groups: Vec<Group<'a>>) -> Result<(), WordError> {
        let mut seen = Vec::new();
        for group in groups {
            if group.option != "-engine" && seen.contains(&group.option) {
                return Err(WordError::Twice(group.option.to_owned()));
            }
            seen.push(group.option);
            self.read(group)?;
        }
        Ok(())
    }

    fn read(&mut self, group: Group<'a>) -> Result<(), WordError> {
        let settings = &mut self.settings;
        let path = |name: &str| self.folder.join(name);
        let millis = |group: &Group| group.number(1u64).map(Duration::from_millis);
        match group.option {
            "-engine" => self.engines.push(group),
            "-each" => self.each = group.pairs(&ENGINE_KEYS)?,
            "-tournament" => {
                settings.format = match group.only("roundrobin or gauntlet")? {
                    "roundrobin" => Format::RoundRobin,
                    "gauntlet" => Format::Gauntlet,
                    other => {
                        return Err(group.wrong("", other, "roundrobin or gauntlet is expected"));
                    }
                }
            }
            "-rounds" => settings.rounds = group.number(1)?,
            "-games" => settings.games = group.number(1)?,
            "-repeat" => {
                group.alone()?;
                self.repeat = Some(true);
            }
            "-norepeat" => {
                group.alone()?;
                self.repeat = Some(false);
            }
            "-openings" => settings.openings = Some(openings(&group, self.folder)?),
            "-srand" => settings.seed = Some(group.number(0)?),
            "-sprt" => settings.sprt = Some(sprt(&group)?),
            "-resign" => settings.rules.resign = Some(resign(&group)?),
            "-noadjudication" => {
                group.alone()?;
                settings.rules.adjudicate = false;
            }
            "-maxmoves" => settings.rules.max_moves = Some(group.number(1)?),
            "-concurrency" => settings.concurrency = group.number(1)?,
            "-recover" => {
                group.alone()?;
                settings.recover = true;
            }
            "-pgnout" => settings.records = Some(records(&group, self.folder)?),
            "-result" => settings.results = Some(path(group.file()?)),
            "-log" => settings.log = Some(path(group.file()?)),
            "-report" => settings.report = Some(path(group.file()?)),
            "-ratinginterval" => settings.rating_interval = Some(group.number(1)?),
            "-event" => settings.event = group.only("a name")?.to_owned(),
            "-startup-ms" => settings.deadlines.start = millis(&group)?,
            "-ping-ms" => settings.deadlines.ready = millis(&group)?,
            "-stall-ms" => settings.deadlines.search = millis(&group)?,
            other => return Err(WordError::UnknownOption(other.to_owned())),
        }
        Ok(())
    }

    fn finish(self) -> Result<Settings, WordError> {
        let Reader { folder, mut settings, engines, each, repeat } = self;
        for group in &engines {
            let entrant = entrant(group, &each, folder)?;
            settings.entrants.push(Arc::new(entrant));
        }
        name_apart(&mut settings.entrants, &engines)?;
        if settings.entrants.len() < 2 {
            let said = format!("{} engines given; a match needs two", settings.entrants.len());
            return Err(WordError::Senseless(said));
        }
        settings.pairs = repeat.unwrap_or(settings.games.is_multiple_of(2));
        if settings.sprt.is_some() && settings.entrants.len() != 2 {
            let said = "-sprt compares two engines, and more are given";
            return Err(WordError::Senseless(said.to_owned()));
        }
        Ok(settings)
    }
}

fn openings(group: &Group, folder: &Path) -> Result<OpeningFile, WordError> {
    let mut file = OpeningFile {
        path: PathBuf::new(),
        form: Form::Lines,
        order: Order::Sequential,
        plies: None,
        first: 0,
    };
    let mut form = None;
    for (key, value) in group.pairs(&["file", "format", "order", "plies", "start"])? {
        match key {
            "file" => file.path = folder.join(value),
            "format" => form = Some(group.parse(key, value)?),
            "plies" => file.plies = Some(group.parse_number(key, value, 0)?),
            "start" => file.first = group.parse_number(key, value, 1usize)? - 1,
            _ => {
                file.order = match value {
                    "sequential" => Order::Sequential,
                    "random" => Order::Random,
                    _ => return Err(group.wrong(key, value, "sequential or random is expected")),
                }
            }
        }
    }
    if file.path.as_os_str().is_empty() {
        let (option, wanted) = (group.option.to_owned(), "file=NAME");
        return Err(WordError::Missing { option, wanted });
    }
    let is_record =
        ["pgn", "sgf"].iter().any(|end| file.path.extension().is_some_and(|e| e == *end));
    file.form = form.unwrap_or(if is_record { Form::Records } else { Form::Lines });
    Ok(file)
}

fn sprt(group: &Group) -> Result<Sprt, WordError> {
    let (mut elo0, mut elo1, mut alpha, mut beta) = (None, None, 0.05, 0.05);
    let mut model = Model::default();
    for (key, value) in group.pairs(&["elo0", "elo1", "alpha", "beta", "model"])? {
        match key {
            "elo0" => elo0 = Some(group.parse(key, value)?),
            "elo1" => elo1 = Some(group.parse(key, value)?),
            "alpha" => alpha = group.parse(key, value)?,
            "beta" => beta = group.parse(key, value)?,
            _ => model = group.parse(key, value)?,
        }
    }
    let (Some(elo0), Some(elo1)) = (elo0, elo1) else {
        let (option, wanted) = (group.option.to_owned(), "elo0=NUMBER elo1=NUMBER");
        return Err(WordError::Missing { option, wanted });
    };
    Sprt::new(elo0, elo1, alpha, beta, model)
        .map_err(|error| WordError::Senseless(format!("-sprt: {error}")))
}

fn resign(group: &Group) -> Result<Resign, WordError> {
    let mut rule = Resign { moves: 3, score: 1000 };
    for (key, value) in group.pairs(&["movecount", "score"])? {
        match key {
            "movecount" => rule.moves = group.parse_number(key, value, 1)?,
            _ => rule.score = group.parse_number(key, value, 1)?,
        }
    }
    Ok(rule)
}

fn records(group: &Group, folder: &Path) -> Result<(PathBuf, bool), WordError> {
    if let [word] = group.words
        && !word.contains('=')
    {
        return Ok((folder.join(word), true));
    }
    let (mut path, mut append) = (None, true);
    for (key, value) in group.pairs(&["file", "append"])? {
        match key {
            "file" => path = Some(folder.join(value)),
            _ => append = group.parse_switch(key, value)?,
        }
    }
    let (option, wanted) = (group.option.to_owned(), "file=NAME");
    path.map(|path| (path, append)).ok_or(WordError::Missing { option, wanted })
}

/// An engine, from its own words and those for all.
fn entrant(group: &Group, each: &[(&str, &str)], folder: &Path) -> Result<Entrant, WordError> {
    let own = group.pairs(&ENGINE_KEYS)?;
    let is_option = |key: &str| key.starts_with("option.");
    let for_all = each.iter().filter(|(key, _)| !own.iter().any(|(other, _)| other == key));
    let mut entrant = Entrant {
        name: String::new(),
        launch: Launch { program: PathBuf::new(), arguments: Vec::new(), folder: None },
        dialect: Dialect::Uci,
        options: Vec::new(),
        allowance: Allowance::default(),
        restart: false,
    };
    for (key, value) in for_all.chain(&own).copied() {
        if is_option(key) {
            let value = (!value.is_empty()).then(|| value.to_owned());
            entrant.options.push((key["option.".len()..].to_owned(), value));
        } else {
            take(&mut entrant, group, key, value, folder)?;
        }
    }
    if entrant.launch.program.as_os_str().is_empty() {
        let (option, wanted) = (group.option.to_owned(), "cmd=PROGRAM");
        return Err(WordError::Missing { option, wanted });
    }
    if !entrant.allowance.is_limited() {
        let program = entrant.launch.program.display();
        let said =
            format!("the engine {program} has no limit: tc=, st=, nodes= or depth= is needed");
        return Err(WordError::Senseless(said));
    }
    // A folder of its own or the match's, so that it is the same when the match is taken up
    // elsewhere.
    entrant.launch.folder.get_or_insert_with(|| folder.to_owned());
    Ok(entrant)
}

fn take(
    entrant: &mut Entrant,
    group: &Group,
    key: &str,
    value: &str,
    folder: &Path,
) -> Result<(), WordError> {
    let allowance = &mut entrant.allowance;
    match key {
        // A name without a slash is looked up in PATH.
        "cmd" if value.contains('/') => entrant.launch.program = folder.join(value),
        "cmd" => entrant.launch.program = value.into(),
        "name" => entrant.name = value.to_owned(),
        "args" => {
            entrant.launch.arguments = split_arguments(value)
                .ok_or_else(|| group.wrong(key, value, "a quotation mark is not closed"))?;
        }
        "dir" => entrant.launch.folder = Some(folder.join(value)),
        "proto" => {
            entrant.dialect = match value {
                "uci" => Dialect::Uci,
                "ugi" => Dialect::Ugi,
                _ => return Err(group.wrong(key, value, "uci or ugi is expected")),
            }
        }
        "tc" if ["inf", "infinite"].contains(&value) => allowance.clock = None,
        "tc" => allowance.clock = Some(group.parse(key, value)?),
        "st" => {
            let time = read_seconds(value).filter(|time| !time.is_zero());
            let wanted = "a number of seconds is expected";
            allowance.move_time = Some(time.ok_or_else(|| group.wrong(key, value, wanted))?);
        }
        "nodes" => allowance.nodes = Some(group.parse_number(key, value, 1)?),
        "depth" => allowance.depth = Some(group.parse_number(key, value, 1)?),
        "timemargin" => {
            allowance.margin = Duration::from_millis(group.parse_number(key, value, 0u64)?);
        }
        _ => entrant.restart = group.parse_switch(key, value)?,
    }
    Ok(())
}

/// Gives engines without a name that of their program, numbered where it is taken.
fn name_apart(entrants: &mut [Arc<Entrant>], engines: &[Group]) -> Result<(), WordError> {
    for index in 0..entrants.len() {
        let taken = |name: &str| {
            entrants.iter().enumerate().any(|(other, known)| other != index && known.name == name)
        };
        let name = &entrants[index].name;
        if !name.is_empty() {
            if taken(name) {
                let said =
                    format!("two engines are called '{name}' ({})", engines[index].words.join(" "));
                return Err(WordError::Senseless(said));
            }
            continue;
        }
        let program = entrants[index].launch.program.file_stem();
        let plain = program.map_or_else(|| "engine".into(), |stem| stem.to_string_lossy());
        let name = (1..)
            .map(|number| if number == 1 { plain.to_string() } else { format!("{plain} {number}") })
            .find(|name| !taken(name));
        Arc::make_mut(&mut entrants[index]).name = name.unwrap_or_default();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Settings, WordError> {
        let words: Vec<String> = line.split('|').map(str::to_owned).collect();
        Settings::read(&words, &[], Path::new("/here"))
    }

    fn error(line: &str) -> String {
        read(line).unwrap_err().to_string()
    }

    const TWO: &str = "-engine|cmd=./a|-engine|cmd=b|-each|nodes=10";

    #[test]
    fn a_command_line_of_fastchess_is_understood() {
        let settings = read(
            "-engine|cmd=./new|name=New|option.Hash=16|tc=40/1:30+0.5|args=-x 'y z'|\
             -engine|cmd=old|dir=sub|proto=ugi|st=0.5|timemargin=50|restart=on|\
             -each|option.Hash=64|option.Threads=1|nodes=5000|\
             -rounds|500|-games|2|-repeat|-openings|file=book.epd|format=epd|order=random|start=3|\
             -srand|7|-sprt|elo0=-5|elo1=0|alpha=0.05|beta=0.1|model=logistic|\
             -resign|movecount=4|score=800|-maxmoves|40|-concurrency|2|-recover|\
             -pgnout|file=games.pgn|append=false|-log|file=log.txt|-result|r.jsonl|-ratinginterval|10",
        )
        .unwrap();
        let [new, old] = &settings.entrants[..] else { panic!("two engines") };
        assert_eq!((new.name.as_str(), old.name.as_str()), ("New", "old"));
        assert_eq!(new.launch.program, Path::new("/here/./new"));
        assert_eq!(new.launch.arguments, ["-x", "y z"]);
        assert_eq!(
            new.options,
            [("Threads".into(), Some("1".into())), ("Hash".into(), Some("16".into()))]
        );
        assert_eq!(new.allowance.to_string(), "40/90+0.5 nodes 5000");
        assert_eq!(old.launch.program, Path::new("old"));
        assert_eq!(old.launch.folder.as_deref(), Some(Path::new("/here/sub")));
        assert_eq!((old.dialect, old.restart), (Dialect::Ugi, true));
        assert_eq!(old.allowance.margin, Duration::from_millis(50));
        assert_eq!((settings.rounds, settings.games, settings.pairs), (500, 2, true));
        let openings = settings.openings.unwrap();
        assert_eq!((openings.order, openings.first), (Order::Random, 2));
        assert_eq!(settings.seed, Some(7));
        let expected = Sprt::new(-5.0, 0.0, 0.05, 0.1, Model::Logistic).unwrap();
        assert_eq!(settings.sprt, Some(expected));
        assert_eq!(settings.rules.resign, Some(Resign { moves: 4, score: 800 }));
        assert_eq!(settings.rules.max_moves, Some(40));
        assert_eq!(settings.records, Some(("/here/games.pgn".into(), false)));
        assert_eq!(settings.results.as_deref(), Some(Path::new("/here/r.jsonl")));
    }

    #[test]
    fn engines_without_names_are_told_apart() {
        let settings = read("-engine|cmd=a|-engine|cmd=./a|-engine|cmd=x/a|name=a 3|-each|nodes=1");
        let names: Vec<String> =
            settings.unwrap().entrants.iter().map(|entrant| entrant.name.clone()).collect();
        assert_eq!(names, ["a", "a 2", "a 3"]);
        assert!(error("-engine|cmd=a|name=x|-engine|cmd=b|name=x|-each|nodes=1").contains("'x'"));
    }

    #[test]
    fn pairs_are_the_rule_for_even_numbers_of_games() {
        let pairs = |more: &str| read(&format!("{TWO}{more}")).unwrap().pairs;
        assert!(pairs("") && pairs("|-games|4") && pairs("|-repeat"));
        assert!(!pairs("|-games|1") && !pairs("|-norepeat"));
    }

    #[test]
    fn errors_name_the_offending_word() {
        for (line, part) in [
            ("-engine|cmd=a|nodes=1", "1 engines given"),
            ("-engine|cmd=a|-engine|cmd=b", "the engine a has no limit"),
            ("-engine|nodes=1|-engine|cmd=b|nodes=1", "-engine must be followed by cmd=PROGRAM"),
            ("-engine|cmd=a|tc=x|-engine|cmd=b|-each|nodes=1", "'x' in the time control"),
            ("-engine|cmd=a|proto=xboard", "'xboard' after -engine proto="),
            ("-rounds", "-rounds must be followed by a number"),
            ("-rounds|0", "'0' after -rounds"),
            ("-rounds|1|2", "'2' after -rounds"),
            ("-recover|yes", "'yes' after -recover"),
            ("-bogus", "there is no option '-bogus'"),
            ("-sprt|elo0=0", "-sprt must be followed by elo0="),
            ("-sprt|elo0=5|elo1=0", "elo0=5 must be below elo1=0"),
            ("-openings|order=random", "-openings must be followed by file="),
            ("-openings|file=x|order=best", "'best' after -openings order="),
            ("-rounds|1|-rounds|2", "-rounds is given twice"),
        ] {
            assert!(error(line).contains(part), "{line}: {}", error(line));
        }
        let three = "-engine|cmd=a|-engine|cmd=b|-engine|cmd=c|-each|nodes=1|-sprt|elo0=0|elo1=5";
        assert!(error(three).contains("two engines"), "{}", error(three));
    }

    #[test]
    fn a_resumed_match_keeps_its_terms() {
        let words: Vec<String> = TWO.split('|').map(str::to_owned).collect();
        let resume = |later: &str| {
            let later: Vec<String> = later.split('|').map(str::to_owned).collect();
            Settings::read(&words, &later, Path::new("/"))
        };
        assert_eq!(resume("-rounds|9").unwrap().rounds, 9);
        let error = resume("-games|4").unwrap_err().to_string();
        assert_eq!(error, "-games cannot be changed when a match is resumed");
    }
}
