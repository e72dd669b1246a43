//! What keeps workers apart: the latch of a node, and the epochs that tell when a unit that was cut
//! off has been left by everyone.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering, fence};
use std::{hint, thread};

/// A lock of one byte that is held for less than a microsecond, by one worker and for one node at a
/// time.
#[derive(Debug, Default)]
#[repr(transparent)]
pub(super) struct Latch(AtomicU8);

/// How often a closed latch is looked at before the processor is left to others, among whom may be
/// who holds it.
const SPINS: u32 = 100;

impl Latch {
    /// Makes it open, whatever it was, for a unit that nobody else knows yet.
    pub fn open(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    /// Waits until it is open and closes it until the guard goes.
    #[inline]
    pub fn close(&self) -> Guard<'_> {
        while self.0.swap(1, Ordering::Acquire) != 0 {
            self.wait();
        }
        Guard(self)
    }

    #[cold]
    fn wait(&self) {
        for spins in 0.. {
            if self.0.load(Ordering::Relaxed) == 0 {
                return;
            }
            if spins < SPINS { hint::spin_loop() } else { thread::yield_now() }
        }
    }
}

/// Keeps a latch closed.
pub(super) struct Guard<'a>(&'a Latch);

impl Drop for Guard<'_> {
    #[inline]
    fn drop(&mut self) {
        self.0.0.store(0, Ordering::Release);
    }
}

/// Epochs (after K. Fraser, Practical lock-freedom, 2004): a worker says in which one it entered the
/// tree, and what was cut off in an epoch is left by all once every worker inside has entered later.
pub(super) struct Epochs {
    now: AtomicU64,
    /// For each who may enter the epoch it did, or [`OUTSIDE`].
    entered: Box<[Line]>,
}

/// A number alone in its cache line, and in the one that is fetched with it.
#[derive(Debug)]
#[repr(align(128))]
struct Line(AtomicU64);

const OUTSIDE: u64 = u64::MAX;

impl Epochs {
    /// Epochs for so many who may enter.
    pub fn new(count: usize) -> Epochs {
        let entered = (0..count).map(|_| Line(AtomicU64::new(OUTSIDE))).collect();
        Epochs { now: AtomicU64::new(0), entered }
    }

    /// The same epochs for so many who may enter, while nobody is inside.
    pub fn resize(&mut self, count: usize) {
        self.entered = Epochs::new(count).entered;
    }

    /// Enters the tree; nothing it can reach from now on is taken apart until the stay ends.
    #[inline]
    pub fn enter(&self, who: usize) -> Stay<'_> {
        let Line(entered) = &self.entered[who];
        entered.store(self.now.load(Ordering::Acquire), Ordering::Relaxed);
        // Whoever cuts something off either sees this, or has cut before the tree is looked at: see
        // `oldest`.
        fence(Ordering::SeqCst);
        Stay(entered)
    }

    /// Ends the present epoch and returns it: for what was cut off in it.
    pub fn advance(&self) -> u64 {
        self.now.fetch_add(1, Ordering::SeqCst)
    }

    /// What was cut off in an epoch before this one is left by all.
    pub fn oldest(&self) -> u64 {
        // The counterpart of the fence in `enter`.
        fence(Ordering::SeqCst);
        let entered = self.entered.iter().map(|Line(entered)| entered.load(Ordering::Acquire));
        entered.min().unwrap_or(OUTSIDE)
    }
}

/// A worker's stay in the tree.
pub(super) struct Stay<'a>(&'a AtomicU64);

impl Drop for Stay<'_> {
    #[inline]
    fn drop(&mut self) {
        self.0.store(OUTSIDE, Ordering::Release);
    }
}
