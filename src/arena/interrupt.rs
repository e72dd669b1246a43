//! The wish of the user that a match end early.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that all who wait look at. Copies share it.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Asks everything to stop as soon as it cleanly can. Never undone.
    pub fn raise(&self) {
        // No other memory hangs on the flag, here and below.
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether that has been asked.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl From<Arc<AtomicBool>> for Interrupt {
    /// The flag that somebody else raises, by setting it.
    fn from(flag: Arc<AtomicBool>) -> Interrupt {
        Interrupt(flag)
    }
}
