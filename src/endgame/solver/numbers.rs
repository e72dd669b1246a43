//! Proof numbers.

/// How much is left to do (Allis, "Searching for solutions in games and artificial intelligence",
/// 1994), for the side to move: for a proof that it wins, and that it does not.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Numbers {
    pub(super) proof: u32,
    pub(super) disproof: u32,
}

/// What can never be proven.
const NEVER: u32 = u32::MAX;

/// No number that something is left to do about is larger.
pub(super) const MOST: u32 = 1 << 30;

impl Numbers {
    pub(super) const WON: Numbers = Numbers { proof: 0, disproof: NEVER };
    pub(super) const LOST: Numbers = Numbers { proof: NEVER, disproof: 0 };
    /// More than any that something is left to do about.
    pub(super) const ALL: Numbers = Numbers { proof: MOST + 1, disproof: MOST + 1 };

    /// Whether the side to move wins, if that is known.
    #[inline]
    pub(super) fn is_won(self) -> Option<bool> {
        match self {
            Numbers { proof: 0, .. } => Some(true),
            Numbers { disproof: 0, .. } => Some(false),
            _ => None,
        }
    }

    /// The same seen by the side that moved before, if that is the other one.
    #[inline]
    pub(super) fn seen_by(self, same_side: bool) -> Numbers {
        if same_side { self } else { Numbers { proof: self.disproof, disproof: self.proof } }
    }
}
