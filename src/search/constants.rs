//! The numbers that shape the search.

/// Constants of selection. Values are in `[-1, 1]` and priors sum to one.
pub(super) struct Constants {
    /// How much the search explores: the weight of prior times square root of the visits.
    pub cpuct: f32,
    /// How far exploration follows the spread of the values below a node: 0 not at all, 1 in
    /// proportion.
    pub spread_share: f32,
    /// The spread at which exploration is what `cpuct` says; also what a node is taken to have
    /// before it has seen any.
    pub usual_spread: f32,
    /// How many visits with the usual spread a node is taken to have had.
    pub spread_visits: f32,
    /// How much worse than its parent an untried step is taken to be, once all the prior is
    /// visited; it grows with the square root of the prior visited.
    pub fpu_reduction: f32,
    /// In the end a step competes with the most visited one if it has this share of its visits.
    pub choice_share: f32,
    /// How many standard errors below its mean the value of a step is taken to be in that.
    pub choice_doubt: f32,
}

impl Constants {
    /// What exploration is multiplied with at a node: more where values differ, less where they
    /// agree (D. Wu's variance-scaled exploration, KataGo 1.9). `variance` is that of the values of
    /// `visits` visits.
    #[inline]
    pub fn exploration(&self, variance: f32, visits: u32) -> f32 {
        let visits = visits as f32;
        let usual = self.usual_spread * self.usual_spread;
        let variance =
            (variance * visits + usual * self.spread_visits) / (visits + self.spread_visits);
        let relative = variance.sqrt() / self.usual_spread;
        self.cpuct * (1.0 + self.spread_share * (relative - 1.0))
    }
}

impl Default for Constants {
    fn default() -> Constants {
        Constants {
            cpuct: 1.3,
            spread_share: 0.6,
            usual_spread: 0.3,
            spread_visits: 4.0,
            fpu_reduction: 0.25,
            choice_share: 0.3,
            choice_doubt: 2.0,
        }
    }
}
