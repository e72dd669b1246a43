//! The memory of the tree: a fixed number of units of 64 bytes, one cache line each.
//!
//! Everything that grows with the search is made of single units, linked where one is not enough,
//! so that any unit given back serves any purpose: memory cannot be broken up, however long a
//! search runs. The budget is reserved at once and touched only as it is used, so a large one costs
//! nothing until the tree has grown into it.
//!
//! Each worker has a [`Stock`] of free units, which it takes from and gives back to without asking
//! anyone; between stocks and the pool units move in chunks.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use bytemuck::{Pod, Zeroable};
use parking_lot::Mutex;
use thiserror::Error;

use super::number::U32;

/// The size of a unit in bytes.
pub(super) const UNIT: usize = 64;

/// The number of a unit. Number 0 is never handed out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Pod, Zeroable)]
#[repr(transparent)]
pub(super) struct Unit(pub(super) u32);

impl Unit {
    /// No unit.
    pub const NONE: Unit = Unit(0);

    /// Whether this is no unit.
    #[inline]
    pub fn is_none(self) -> bool {
        self == Unit::NONE
    }
}

/// There is not so much memory: the system has none to give, or it is more than 256 GiB, beyond
/// which the numbers of units do not reach.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("{} MiB of memory for the search cannot be had", bytes >> 20)]
pub struct MemoryRefused {
    /// The budget that was asked for.
    pub bytes: usize,
}

/// The grain of the allocation: a quarter of a unit. With an alignment no larger than the system's
/// own, zeroed memory comes from it untouched.
#[derive(Zeroable)]
#[repr(C, align(16))]
struct Quarter([AtomicU32; UNIT / 16]);

const QUARTERS: usize = UNIT / size_of::<Quarter>();

/// The fewest units of a pool: 64 KiB.
const FEWEST: usize = 1024;

/// The most units of a chunk.
const LARGEST_CHUNK: usize = 64;

/// A pool has at least so many chunks, so that many stocks leave something for the others.
const FEWEST_CHUNKS: usize = 1024;

/// What a unit can be seen as.
///
/// # Safety
/// The type must be `repr(C)`, be made of atomics alone, and have no padding: then any bits are a
/// value of it, and any number of threads may look at it and change it through shared references.
pub(super) unsafe trait Record {}

/// The units, and which of them are free.
pub(super) struct Pool {
    memory: Box<[Quarter]>,
    /// Where the first unit begins, so that each fills a cache line.
    offset: usize,
    /// The number of units, the first of which is never used.
    units: usize,
    /// Units that move between the pool and a stock at a time.
    chunk: usize,
    shelf: Mutex<Shelf>,
    /// The units on the shelf; changed by who holds it.
    free: AtomicUsize,
}

/// The free units that no stock holds.
struct Shelf {
    /// Units from here on were never handed out.
    untouched: usize,
    chunks: Vec<Chunk>,
}

/// Free units, each naming the next.
#[derive(Clone, Copy, Default)]
struct Chunk {
    first: Unit,
    length: usize,
}

/// The free units that a worker holds ready, at most two chunks and what was never touched of a
/// third.
#[derive(Default)]
pub(super) struct Stock {
    /// Units to be handed out, the one given back last comes first.
    open: Chunk,
    /// A full chunk, or nothing.
    spare: Chunk,
    /// Units that were never handed out.
    fresh: Range<usize>,
}

impl Stock {
    /// How many units it holds.
    pub fn len(&self) -> usize {
        self.open.length + self.spare.length + self.fresh.len()
    }
}

impl Pool {
    /// A pool of about this many bytes, at least 64 KiB.
    ///
    /// # Errors
    /// When the system does not give that much memory.
    pub fn new(bytes: usize) -> Result<Pool, MemoryRefused> {
        if (bytes / UNIT) as u64 > 1 << u32::BITS {
            return Err(MemoryRefused { bytes });
        }
        let units = (bytes / UNIT).clamp(FEWEST, u32::MAX as usize);
        let memory: Box<[Quarter]> = bytemuck::try_zeroed_slice_box((units + 1) * QUARTERS)
            .map_err(|()| MemoryRefused { bytes })?;
        let offset = (UNIT - memory.as_ptr().addr() % UNIT) % UNIT / size_of::<Quarter>();
        ask_for_large_pages(&memory);
        Ok(Pool {
            memory,
            offset,
            units,
            chunk: (units / FEWEST_CHUNKS).min(LARGEST_CHUNK),
            shelf: Mutex::new(Shelf { untouched: 1, chunks: Vec::new() }),
            free: AtomicUsize::new(units - 1),
        })
    }

    /// Takes back everything at once; no stock may hold anything after that.
    pub fn clear(&mut self) {
        *self.shelf.get_mut() = Shelf { untouched: 1, chunks: Vec::new() };
        *self.free.get_mut() = self.capacity();
    }

    /// The number of units of this pool.
    pub fn capacity(&self) -> usize {
        self.units - 1
    }

    /// The number of units that are neither in use nor in a stock.
    #[inline]
    pub fn free(&self) -> usize {
        self.free.load(Ordering::Relaxed)
    }

    /// A unit, its contents whatever they were. `None` when the budget is used up.
    #[inline]
    pub fn allocate(&self, stock: &mut Stock) -> Option<Unit> {
        loop {
            if stock.open.length > 0 {
                let unit = stock.open.first;
                let next = self.get::<Free>(unit).next.get();
                stock.open = Chunk { first: Unit(next), length: stock.open.length - 1 };
                return Some(unit);
            }
            if let Some(number) = stock.fresh.next() {
                return Some(Unit(number as u32));
            }
            if stock.spare.length > 0 {
                stock.open = std::mem::take(&mut stock.spare);
            } else {
                self.refill(stock)?;
            }
        }
    }

    /// Fetches a chunk for an empty stock.
    fn refill(&self, stock: &mut Stock) -> Option<()> {
        let mut shelf = self.shelf.lock();
        let taken = if let Some(chunk) = shelf.chunks.pop() {
            stock.open = chunk;
            chunk.length
        } else {
            let end = (shelf.untouched + self.chunk).min(self.units);
            stock.fresh = shelf.untouched..end;
            shelf.untouched = end;
            stock.fresh.len()
        };
        self.free.fetch_sub(taken, Ordering::Relaxed);
        (taken > 0).then_some(())
    }

    /// Gives back a unit.
    #[inline]
    pub fn release(&self, stock: &mut Stock, unit: Unit) {
        self.get::<Free>(unit).next.set(stock.open.first.0);
        stock.open = Chunk { first: unit, length: stock.open.length + 1 };
        if stock.open.length >= self.chunk {
            let full = std::mem::replace(&mut stock.spare, std::mem::take(&mut stock.open));
            self.shelve(full);
        }
    }

    /// Gives back all that a stock holds.
    pub fn restock(&self, stock: &mut Stock) {
        for number in std::mem::take(&mut stock.fresh).rev() {
            self.release(stock, Unit(number as u32));
        }
        self.shelve(std::mem::take(&mut stock.open));
        self.shelve(std::mem::take(&mut stock.spare));
    }

    fn shelve(&self, chunk: Chunk) {
        if chunk.length > 0 {
            let mut shelf = self.shelf.lock();
            shelf.chunks.push(chunk);
            self.free.fetch_add(chunk.length, Ordering::Relaxed);
        }
    }

    /// Has a unit fetched that will probably be looked at soon.
    #[inline]
    pub fn prefetch(&self, unit: Unit) {
        let Some(quarter) = self.memory.get(self.offset + unit.0 as usize * QUARTERS) else {
            return;
        };
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            // SAFETY: every x86-64 has the instruction, and it changes nothing.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(quarter).cast()) }
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = quarter;
    }

    /// What the unit holds, seen as a `T`.
    #[inline]
    pub fn get<T: Record>(&self, unit: Unit) -> &T {
        const { assert!(size_of::<T>() == UNIT && align_of::<T>() <= UNIT) };
        let start = self.offset + unit.0 as usize * QUARTERS;
        let quarters: &[Quarter] = &self.memory[start..start + QUARTERS];
        let record: *const T = quarters.as_ptr().cast();
        // SAFETY: the quarters are as large as a `T` and begin at a multiple of 64, `offset` being
        // made for that. By the contract of `Record` their bits are a `T`, and shared references to
        // it do no harm, since all is atomic.
        unsafe { &*record }
    }
}

/// Asks the system to map this memory in large pages, where it leaves that to the program: a search
/// jumps about in the tree, and finds the addresses of small pages hardly ever at hand.
fn ask_for_large_pages(memory: &[Quarter]) {
    #[cfg(target_os = "linux")]
    {
        use rustix::mm::{Advice, madvise};
        const PAGE: usize = 4096;
        let before = memory.as_ptr().align_offset(PAGE);
        let length = size_of_val(memory).saturating_sub(before) / PAGE * PAGE;
        let first = memory.as_ptr().wrapping_byte_add(before).cast_mut().cast();
        // SAFETY: the pages lie inside of memory that is ours, and the advice does not change what
        // they hold. If it is not taken, the search is slower and nothing else.
        let _ = unsafe { madvise(first, length, Advice::LinuxHugepage) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = memory;
}

/// What a unit holds that was given back.
#[repr(C)]
struct Free {
    next: U32,
    left_over: [U32; 15],
}

// SAFETY: atomics of the same size, in the order of C.
unsafe impl Record for Free {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_never_handed_out_twice_and_come_back() {
        for bytes in [0, 1 << 20] {
            let pool = Pool::new(bytes).unwrap();
            assert_eq!(pool.capacity(), (bytes / UNIT).max(1024) - 1);
            let mut stocks = [Stock::default(), Stock::default()];
            let mut held = Vec::new();
            let mut state = 1u32;
            for round in 0..200_000u32 {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let stock = &mut stocks[(state >> 13) as usize % 2];
                // Phases in which the pool fills up take turns with phases in which it empties.
                if state >> 30 < 1 + round / 10_000 % 2 * 2 {
                    if let Some(unit) = pool.allocate(stock) {
                        pool.get::<Free>(unit).left_over.iter().for_each(|word| word.set(round));
                        held.push((unit, round));
                    }
                } else if !held.is_empty() {
                    let (unit, mark) = held.swap_remove(state as usize % held.len());
                    let left = &pool.get::<Free>(unit).left_over;
                    assert!(left.iter().all(|word| word.get() == mark));
                    pool.release(stock, unit);
                }
                let stocked: usize = stocks.iter().map(Stock::len).sum();
                assert_eq!(pool.free() + stocked + held.len(), pool.capacity());
            }
            stocks.iter_mut().for_each(|stock| pool.restock(stock));
            assert_eq!(pool.free() + held.len(), pool.capacity());
            // Nothing is lost: one stock gets all of it.
            while pool.allocate(&mut stocks[0]).is_some() {
                held.push((Unit::NONE, 0));
            }
            assert_eq!(held.len(), pool.capacity());
        }
    }
}
