//! The order of things in a run, with workers that only pretend to work: whenever they are
//! interrupted, what comes out in the end is the same.

use std::cell::{Cell, RefCell};

use super::state::{Played, Trained};
use super::*;
use crate::arena::statistics::{Games, Hypothesis, Pairs};
use crate::eval::network::{Weights, file};
use crate::learn::contest::Standing;

/// Workers that leave files behind as the real ones do, and write down what they are asked for.
#[derive(Default)]
struct Actors {
    /// So many stages are worked at before one is interrupted; none is if there is no number.
    patience: Cell<Option<u32>>,
    /// The results of the contests, by generation; level where there is none.
    verdicts: Vec<Option<Hypothesis>>,
    asked: RefCell<Vec<String>>,
}

impl Actors {
    /// Whether the stage can be worked at to its end.
    fn may_finish(&self) -> bool {
        match self.patience.get() {
            Some(0) => false,
            left => {
                self.patience.set(left.map(|left| left - 1));
                true
            }
        }
    }

    fn note(&self, words: String) {
        self.asked.borrow_mut().push(words);
    }
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_str().unwrap().to_owned()
}

impl Stages for Actors {
    fn selfplay(&self, task: &Task) -> Result<Option<Played>, GenerationsError> {
        fs::write(task.files.games(task.generation), "half").unwrap();
        if !self.may_finish() {
            return Ok(None);
        }
        let teacher = match &task.teacher {
            Teacher::Classical => "classical".to_owned(),
            Teacher::Network(path) => name(path),
        };
        self.note(format!("{} games from {} by {teacher}", task.settings.games, task.games.start));
        let games = task.settings.games;
        Ok(Some(Played { games, records: 20 * games }))
    }

    fn train(
        &self,
        task: &Task,
        data: &[PathBuf],
        window: u64,
        from: Option<&Path>,
    ) -> Result<Option<Trained>, GenerationsError> {
        fs::create_dir_all(task.files.training(task.generation)).unwrap();
        if !self.may_finish() {
            return Ok(None);
        }
        let names: Vec<String> = data.iter().map(|path| name(path)).collect();
        let from = from.map_or("nothing".to_owned(), |path| {
            if path.ends_with("checkpoint") { name(path.parent().unwrap()) } else { name(path) }
        });
        self.note(format!("train on {window} of {} from {from}", names.join(" ")));
        Ok(Some(Trained { window, policy_loss: 2.0, value_loss: 0.5 }))
    }

    fn contest(&self, task: &Task) -> Result<Option<Standing>, GenerationsError> {
        if !self.may_finish() {
            return Ok(None);
        }
        let verdict = self.verdicts.get(task.generation as usize).copied().flatten();
        let pairs = match verdict {
            // Three quarters of the points are 400 log10(3) = 190.85 Elo points.
            Some(Hypothesis::H1) => Pairs { ll: 1, ww: 3, ..Pairs::default() },
            Some(Hypothesis::H0) => Pairs { ll: 3, ww: 1, ..Pairs::default() },
            None => Pairs { ll: 1, ww: 1, ..Pairs::default() },
        };
        let games = Games { wins: 2 * pairs.ww, draws: 0, losses: 2 * pairs.ll };
        Ok(Some(Standing { pairs, games, verdict, ..Standing::default() }))
    }
}

fn small() -> Settings {
    Settings { games: 100, window: 150, ..Settings::default() }
}

fn open(directory: &Path) -> Run {
    Run::open(directory).unwrap()
}

fn work(run: &mut Run, generations: u32, actors: &Actors) -> bool {
    run.work(Some(generations), actors, &AtomicBool::new(false), &|_| ()).unwrap()
}

/// A run with these settings and verdicts, without interruptions.
fn finished(directory: &Path, verdicts: &[Option<Hypothesis>]) -> (Table, Vec<String>) {
    let actors = Actors { verdicts: verdicts.to_vec(), ..Actors::default() };
    let mut run = open(directory);
    run.set_settings(small()).unwrap();
    assert!(work(&mut run, verdicts.len() as u32, &actors));
    (run.table(), actors.asked.into_inner())
}

/// The table without what differs from run to run.
fn timeless(mut table: Table) -> Table {
    table.rows.iter_mut().for_each(|row| row.seconds = Seconds::default());
    table
}

const VERDICTS: [Option<Hypothesis>; 4] =
    [Some(Hypothesis::H0), Some(Hypothesis::H1), Some(Hypothesis::H0), None];

#[test]
fn the_best_network_plays_and_the_last_weights_are_trained_on() {
    let directory = tempfile::tempdir().unwrap();
    let (table, asked) = finished(directory.path(), &VERDICTS);
    // The windows are 100, sqrt(150 * 200) = 173, sqrt(150 * 300) = 212, sqrt(150 * 400) = 244.
    assert_eq!(
        asked,
        [
            "100 games from 0 by classical",
            "train on 100 of games-0000.data from nothing",
            // The first network takes over whatever the contest says.
            "100 games from 100 by network-0000.otrera",
            "train on 173 of games-0000.data games-0001.data from train-0000",
            "100 games from 200 by network-0001.otrera",
            "train on 212 of games-0000.data games-0001.data games-0002.data from train-0001",
            // The third one was no better.
            "100 games from 300 by network-0001.otrera",
            "train on 244 of games-0001.data games-0002.data games-0003.data from train-0002",
        ]
    );
    let promoted: Vec<bool> = table.rows.iter().map(|row| row.judged.promoted).collect();
    assert_eq!(promoted, [true, true, false, true]);
    let gain = 400.0 * 3f64.log10();
    let expected = [-gain, 0.0, -gain, 0.0];
    for (row, expected) in table.rows.iter().zip(expected) {
        assert!((row.elo - expected).abs() < 1e-9, "{} is not {expected}", row.elo);
    }
}

#[test]
fn interruptions_change_nothing() {
    let whole = tempfile::tempdir().unwrap();
    let (table, asked) = finished(whole.path(), &VERDICTS);
    // Twelve stages in all, interrupted in the first, in the second, …
    for patience in 0..12 {
        let directory = tempfile::tempdir().unwrap();
        let actors = Actors { verdicts: VERDICTS.to_vec(), ..Actors::default() };
        actors.patience.set(Some(patience));
        let mut run = open(directory.path());
        run.set_settings(small()).unwrap();
        assert!(!work(&mut run, 4, &actors));
        drop(run);
        actors.patience.set(None);
        let mut run = open(directory.path());
        assert!(work(&mut run, 4, &actors));
        assert_eq!(timeless(run.table()), timeless(table.clone()), "{patience}");
        assert_eq!(actors.asked.into_inner(), asked, "{patience}");
    }
}

#[test]
fn a_stage_keeps_the_settings_it_began_with() {
    let directory = tempfile::tempdir().unwrap();
    let actors = Actors::default();
    actors.patience.set(Some(0));
    let mut run = open(directory.path());
    run.set_settings(small()).unwrap();
    assert!(!work(&mut run, 2, &actors));
    let mut changed = Settings { games: 50, window: 10, ..small() };
    changed.train.batch = 77;
    run.set_settings(changed).unwrap();
    actors.patience.set(None);
    assert!(work(&mut run, 2, &actors));
    // The first games had begun, the training had not.
    assert_eq!(
        actors.asked.into_inner(),
        [
            "100 games from 0 by classical",
            "train on 31 of games-0000.data from nothing",
            "50 games from 100 by network-0000.otrera",
            "train on 38 of games-0001.data from train-0000",
        ]
    );
    let text = run.table().text();
    assert_eq!(text.lines().nth(3), Some("     games: 100 -> 50"), "{text}");
    assert_eq!(text.lines().count(), 4);
}

#[test]
fn two_runs_do_not_share_a_directory() {
    let directory = tempfile::tempdir().unwrap();
    let first = open(directory.path());
    let error = Run::open(directory.path()).unwrap_err().to_string();
    assert_eq!(error, format!("another run is at work in {}", directory.path().display()));
    drop(first);
    open(directory.path());
}

#[test]
fn a_run_begins_with_the_network_it_is_given() {
    let directory = tempfile::tempdir().unwrap();
    let network = directory.path().join("given.otrera");
    let other = directory.path().join("other.otrera");
    fs::write(&network, file::encode(&Weights::zero(), "given")).unwrap();
    fs::write(&other, file::encode(&Weights::zero(), "other")).unwrap();
    let actors = Actors { verdicts: vec![Some(Hypothesis::H0)], ..Actors::default() };
    let mut run = open(&directory.path().join("run"));
    run.set_settings(small()).unwrap();
    run.start_from(&network).unwrap();
    run.train_from(&other).unwrap();
    assert!(work(&mut run, 2, &actors));
    let asked = actors.asked.borrow();
    assert_eq!(asked[0], "100 games from 0 by start.otrera");
    assert_eq!(asked[1], "train on 100 of games-0000.data from start.checkpoint");
    // A network that is not promoted does not take over from another.
    assert_eq!(asked[2], "100 games from 100 by start.otrera");
    // The same again is no change, another one comes too late.
    run.start_from(&network).unwrap();
    run.train_from(&other).unwrap();
    for error in [run.start_from(&other).unwrap_err(), run.train_from(&network).unwrap_err()] {
        assert!(matches!(error, GenerationsError::Begun { .. }), "{error}");
    }
    let damaged = directory.path().join("damaged.otrera");
    fs::write(&damaged, &file::encode(&Weights::zero(), "")[1..]).unwrap();
    let error = open(&directory.path().join("new")).start_from(&damaged).unwrap_err();
    assert!(matches!(error, GenerationsError::Network { .. }), "{error}");
}

#[test]
fn what_cannot_be_understood_is_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let files = Files::new(directory.path());
    fs::write(files.state(), "{}").unwrap();
    let error = Run::open(directory.path()).unwrap_err();
    assert!(matches!(error, GenerationsError::Unreadable { .. }), "{error}");
    assert_eq!(fs::read_to_string(files.state()).unwrap(), "{}");
    let newer = State { version: VERSION + 1, ..State::new() };
    write_json(&files.state(), &newer).unwrap();
    let error = Run::open(directory.path()).unwrap_err().to_string();
    assert!(error.ends_with("has the form 2; this program knows the form 1"), "{error}");
    let nowhere = directory.path().join("nowhere");
    assert!(matches!(Table::read(&nowhere), Err(GenerationsError::Empty(_))));
    fs::remove_file(files.state()).unwrap();
    let mut run = open(directory.path());
    for settings in [
        Settings { games: 0, ..small() },
        Settings { promotion_score: 1.5, ..small() },
        Settings { contest: contest::Settings { games: 1_000_000, ..small().contest }, ..small() },
    ] {
        assert!(run.set_settings(settings).is_err());
        assert_eq!(run.settings(), &Settings::default());
    }
}

#[test]
fn promotion_follows_the_rule() {
    let standing = |verdict, ww| Standing {
        verdict,
        pairs: Pairs { ww, ll: 2, ..Pairs::default() },
        ..Standing::default()
    };
    let promotes =
        |promotion, verdict, ww| Settings { promotion, ..small() }.promotes(&standing(verdict, ww));
    for (promotion, h0, behind, level, h1) in [
        (Promotion::Accepted, false, false, false, true),
        (Promotion::Score, false, false, true, true),
        (Promotion::Always, true, true, true, true),
    ] {
        assert_eq!(promotes(promotion, Some(Hypothesis::H0), 2), h0);
        assert_eq!(promotes(promotion, None, 1), behind);
        assert_eq!(promotes(promotion, None, 2), level);
        assert_eq!(promotes(promotion, Some(Hypothesis::H1), 2), h1);
    }
}

#[test]
fn the_table_is_there_in_three_forms() {
    let directory = tempfile::tempdir().unwrap();
    let (table, _) = finished(directory.path(), &VERDICTS);
    let [text, json, plot] =
        Files::new(directory.path()).tables().map(|path| fs::read_to_string(path).unwrap());
    assert_eq!(text.lines().count(), 5);
    assert!(text.lines().all(|line| line.len() == text.lines().next().unwrap().len()), "{text}");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["rows"].as_array().unwrap().len(), 4);
    assert!(plot.starts_with("<svg") && plot.contains("generation"), "{plot}");
    assert_eq!(Table::read(directory.path()).unwrap(), table);
}
