//! Whole trainings, small ones.

use std::fs::{self, File};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use tempfile::TempDir;

use super::games;
use crate::eval::network::file;
use crate::learn::data::{Header, Source, Writer};
use crate::learn::train::dataset::GameSamples;
use crate::learn::train::{Length, Progress, Report, Settings, Summary, TrainError, run};

fn write(path: &Path, numbers: Range<u64>) {
    let source = Source { engine: "none".to_owned(), network: None };
    let header = Header {
        source,
        settings: serde_json::Value::Null,
        games: numbers.clone(),
        shard: 0,
        shards: 1,
    };
    let file = File::create(path).expect("a file");
    let mut writer = Writer::new(file, &header).expect("a header");
    numbers.map(games::random).for_each(|game| writer.write(&game).expect("a game"));
    writer.finish().expect("written");
}

fn settings() -> Settings {
    Settings { length: Length::Steps(40), batch: 64, ..Settings::default() }
}

/// A directory with two files of games.
struct Place {
    directory: TempDir,
    data: Vec<PathBuf>,
}

impl Place {
    fn new() -> Place {
        let directory = tempfile::tempdir().expect("a directory");
        let data = ["one", "two"].map(|name| directory.path().join(name)).to_vec();
        write(&data[0], 0..25);
        write(&data[1], 25..50);
        Place { directory, data }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn train(&self, settings: &Settings, name: &str) -> Result<Summary, TrainError> {
        run(settings, &self.data, &self.path(name), None, &AtomicBool::new(false), &mut |_| ())
    }

    fn network(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name).join("network.otrera")).expect("a network")
    }
}

fn threads(count: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(count).build().expect("threads")
}

#[test]
fn a_network_is_learned_and_told_about() {
    let place = Place::new();
    let summary = place.train(&settings(), "out").expect("a training");
    let report = summary.report.expect("it was not interrupted");
    let held_out = (0..50).filter(|&number| GameSamples::is_held_out(number)).count();
    assert_eq!((report.games, report.held_out_games, report.steps), (50, held_out, 40));
    let first = report.curve.first().expect("points");
    let last = report.curve.last().expect("points");
    assert!(last.trained.value < first.trained.value - 0.01, "{first:?} {last:?}");
    assert!(last.trained.policy < first.trained.policy, "{first:?} {last:?}");
    assert!(report.findings.same_best_step > 0.95 && report.findings.records > 0);
    assert!(report.findings.value_difference < 0.005);
    assert!(report.sources.iter().all(|source| source.games == 25 && source.fault.is_none()));

    let written = fs::read(place.path("out/report.json")).expect("a report");
    assert_eq!(serde_json::from_slice::<Report>(&written).expect("as written"), report);
    let cut: usize = report.rounding.iter().map(|rounding| rounding.cut).sum();
    assert_eq!(cut, 0);
    let (weights, provenance) = file::decode(&place.network("out")).expect("a network");
    assert_eq!(file::checksum(&weights), report.network);
    assert!(provenance.contains("50 games") && provenance.contains("40 steps"), "{provenance}");
    for picture in ["losses.svg", "calibration.svg"] {
        let text = fs::read_to_string(place.path("out").join(picture)).expect("a picture");
        assert!(text.starts_with("<svg") && text.trim_end().ends_with("</svg>"));
    }
}

#[test]
fn threads_and_interruptions_change_nothing() {
    let place = Place::new();
    let settings = Settings { length: Length::Passes(1.9), ..settings() };
    threads(1).install(|| place.train(&settings, "whole")).expect("a training");
    let stop = AtomicBool::new(false);
    let mut stops = 0;
    threads(3).install(|| {
        loop {
            stop.store(false, Ordering::Relaxed);
            // Stopped whenever it tells of a step.
            let mut observe = |progress: &Progress| {
                stop.store(matches!(progress, Progress::Training { .. }), Ordering::Relaxed);
            };
            let directory = place.path("halting");
            let summary = run(&settings, &place.data, &directory, None, &stop, &mut observe);
            let summary = summary.expect("a training");
            if summary.report.is_some() {
                break;
            }
            assert!(summary.step < summary.steps);
            assert!(!directory.join("network.otrera").exists());
            stops += 1;
        }
    });
    assert!(stops > 1);
    assert_eq!(place.network("whole"), place.network("halting"));
    let again = place.train(&settings, "whole").expect("it is done already");
    assert!(again.report.is_some());
    assert_eq!(place.network("whole"), place.network("halting"));
}

#[test]
fn another_training_is_not_mixed_in() {
    let mut place = Place::new();
    let settings = Settings { length: Length::Steps(2), ..settings() };
    place.train(&settings, "out").expect("a training");
    let other = Settings { rate: 0.001, ..settings.clone() };
    let refused = place.train(&other, "out").expect_err("other settings");
    assert!(matches!(refused, TrainError::OtherTraining { difference: "other settings", .. }));
    let start = place.path("out/checkpoint");
    let begin = |place: &Place, directory: &str, start: &Path| {
        let (stop, directory) = (AtomicBool::new(false), place.path(directory));
        run(&settings, &place.data, &directory, Some(start), &stop, &mut |_| ())
    };
    let refused = begin(&place, "out", &start).expect_err("another start");
    assert!(matches!(refused, TrainError::OtherTraining { difference: "another start", .. }));
    let report = begin(&place, "next", &start).expect("a training").report.expect("done");
    assert_eq!(report.steps, 2);
    assert_ne!(place.network("next"), place.network("out"));

    place.data.pop();
    let refused = place.train(&settings, "out").expect_err("other games");
    assert!(matches!(refused, TrainError::OtherTraining { difference: "other games", .. }));
    fs::write(&start, b"OTRERATR damaged").expect("a file");
    assert!(matches!(place.train(&settings, "out"), Err(TrainError::Checkpoint { .. })));
}

#[test]
fn a_cut_file_gives_what_is_before_the_cut() {
    let place = Place::new();
    let bytes = fs::read(&place.data[1]).expect("a file");
    fs::write(&place.data[1], &bytes[..bytes.len() - 1]).expect("a file");
    let settings = Settings { length: Length::Steps(1), ..settings() };
    let report = place.train(&settings, "out").expect("a training").report.expect("done");
    assert!(report.sources[1].games < 25 && report.sources[1].fault.is_some());
    assert_eq!(report.games as u64, 25 + report.sources[1].games);
}

#[test]
fn only_the_last_games_are_read() {
    let place = Place::new();
    let settings = Settings { length: Length::Steps(1), last_games: Some(10), ..settings() };
    let report = place.train(&settings, "out").expect("a training").report.expect("done");
    assert_eq!((report.games, report.sources.len()), (10, 1));
}

#[test]
fn what_cannot_be_trained_is_refused() {
    let mut place = Place::new();
    for wrong in [
        Settings { batch: 0, ..settings() },
        Settings { rate: f32::NAN, ..settings() },
        Settings { result_share: 1.5, ..settings() },
        Settings { length: Length::Passes(0.0), ..settings() },
        Settings { last_games: Some(0), ..settings() },
    ] {
        assert!(matches!(place.train(&wrong, "out"), Err(TrainError::Settings { .. })));
    }
    place.data = vec![place.path("missing")];
    assert!(matches!(place.train(&settings(), "out"), Err(TrainError::Data { .. })));
    place.data = vec![place.path("empty")];
    write(&place.data[0], 0..0);
    assert!(matches!(place.train(&settings(), "out"), Err(TrainError::NoRecords)));
    assert!(!place.path("out/checkpoint").exists());
}
