//! The numbers that shape the search.

/// Constants of selection. Values are in `[-1, 1]` and priors sum to one.
pub(super) struct Constants {
    /// How much the search explores: the weight of prior times square root of the visits.
    pub cpuct: f32,
    /// How much worse than its parent an untried step is taken to be, once all the prior is
    /// visited; it grows with the square root of the prior visited.
    pub fpu_reduction: f32,
}

impl Default for Constants {
    fn default() -> Constants {
        Constants { cpuct: 1.3, fpu_reduction: 0.25 }
    }
}
