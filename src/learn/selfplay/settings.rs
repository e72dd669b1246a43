//! How games of self-play are played.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Everything that decides how a game goes, besides its number and the players.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// With the number of a game, the seed of all that is drawn in it.
    pub seed: u64,
    /// Visits of a full search for a queen step.
    pub visits: u32,
    /// Visits of the full search for the arrow after it, on top of those kept.
    pub arrow_visits: u32,
    /// The part of the turns that are searched fully and recorded.
    pub full_share: f64,
    /// The other turns are searched with the visits of a full one divided by this.
    pub cheap_divisor: u32,
    /// The most turns played at random before anything is searched; how many they are is drawn.
    pub random_plies: u16,
    /// For how many turns from the start steps are drawn in proportion to their visits, at least.
    pub drawn_plies_least: u16,
    /// And at most; how many they are is drawn.
    pub drawn_plies_most: u16,
    /// How much of the priors of the steps of a turn that is searched fully is noise.
    pub noise_share: f32,
    /// Memory for the tree in MiB.
    pub hash: u16,
    /// Shapes that may be looked at for one filling when a settled game is counted.
    pub count_budget: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            seed: 1,
            visits: 200,
            arrow_visits: 100,
            full_share: 0.4,
            cheap_divisor: 4,
            random_plies: 3,
            drawn_plies_least: 6,
            drawn_plies_most: 19,
            noise_share: 0.25,
            hash: 8,
            count_budget: 20_000,
        }
    }
}

/// A setting that makes no sense.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{name} must be {range}, not {given}")]
pub struct SettingsError {
    name: &'static str,
    range: &'static str,
    given: String,
}

impl Settings {
    /// Checks that games can be played like this.
    ///
    /// # Errors
    /// The first setting that makes no sense.
    pub fn check(&self) -> Result<(), SettingsError> {
        fn check(
            good: bool,
            name: &'static str,
            range: &'static str,
            given: impl ToString,
        ) -> Result<(), SettingsError> {
            if good { Ok(()) } else { Err(SettingsError { name, range, given: given.to_string() }) }
        }
        // With both together a count of visits still fits into 16 bits.
        let searches = 2..=30_000;
        check(searches.contains(&self.visits), "visits", "2 to 30000", self.visits)?;
        let arrow_visits = self.arrow_visits;
        check(searches.contains(&arrow_visits), "arrow visits", "2 to 30000", arrow_visits)?;
        let divisors = 1..=1000;
        check(
            divisors.contains(&self.cheap_divisor),
            "the divisor of cheap searches",
            "1 to 1000",
            self.cheap_divisor,
        )?;
        let shares = 0.0..=1.0;
        check(
            shares.contains(&self.full_share),
            "the share of full turns",
            "0 to 1",
            self.full_share,
        )?;
        check(
            (0.0..=0.9).contains(&self.noise_share),
            "the share of noise",
            "0 to 0.9",
            self.noise_share,
        )?;
        check(self.random_plies <= 100, "random plies", "0 to 100", self.random_plies)?;
        check(
            self.drawn_plies_least <= self.drawn_plies_most,
            "the least number of drawn plies",
            "no more than the most",
            self.drawn_plies_least,
        )?;
        check((1..=1024).contains(&self.hash), "the memory of the tree", "1 to 1024 MiB", self.hash)
    }
}
