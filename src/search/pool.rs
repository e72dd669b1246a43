//! The memory of the tree: a fixed number of units of 64 bytes, one cache line each.
//!
//! Everything that grows with the search is made of single units, linked where one is not enough,
//! so that any unit given back serves any purpose: memory cannot be broken up, however long a
//! search runs. The budget is reserved at once and touched only as it is used, so a large one costs
//! nothing until the tree has grown into it.

use bytemuck::{Pod, Zeroable};
use thiserror::Error;

/// The size of a unit in bytes.
pub(super) const UNIT: usize = 64;

/// The number of a unit. Number 0 is never handed out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Pod, Zeroable)]
#[repr(transparent)]
pub(super) struct Unit(u32);

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
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(16))]
struct Quarter([u32; UNIT / 16]);

const QUARTERS: usize = UNIT / size_of::<Quarter>();

/// The fewest units of a pool: 64 KiB.
const FEWEST: usize = 1024;

/// The units, and which of them are free.
pub(super) struct Pool {
    memory: Box<[Quarter]>,
    /// Where the first unit begins, so that each fills a cache line.
    offset: usize,
    /// The number of units, the first of which is never used.
    units: usize,
    /// Units from here on were never handed out.
    untouched: usize,
    /// The first unit that was given back; each names the next.
    free: Unit,
    used: usize,
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
        Ok(Pool { memory, offset, units, untouched: 1, free: Unit::NONE, used: 0 })
    }

    /// Takes back everything at once.
    pub fn clear(&mut self) {
        self.untouched = 1;
        self.free = Unit::NONE;
        self.used = 0;
    }

    /// The number of units of this pool.
    pub fn capacity(&self) -> usize {
        self.units - 1
    }

    /// The number of units in use.
    pub fn used(&self) -> usize {
        self.used
    }

    /// A unit, its contents whatever they were; the one given back last comes first. `None` when
    /// the budget is used up.
    #[inline]
    pub fn allocate(&mut self) -> Option<Unit> {
        let unit = if !self.free.is_none() {
            let unit = self.free;
            self.free = self.get::<Free>(unit).next;
            unit
        } else if self.untouched < self.units {
            self.untouched += 1;
            Unit((self.untouched - 1) as u32)
        } else {
            return None;
        };
        self.used += 1;
        Some(unit)
    }

    /// Gives back a unit.
    #[inline]
    pub fn release(&mut self, unit: Unit) {
        self.used -= 1;
        let next = self.free;
        self.get_mut::<Free>(unit).next = next;
        self.free = unit;
    }

    /// What the unit holds, seen as a `T`.
    #[inline]
    pub fn get<T: Pod>(&self, unit: Unit) -> &T {
        const { assert!(size_of::<T>() == UNIT) };
        let start = self.offset + unit.0 as usize * QUARTERS;
        &bytemuck::cast_slice(&self.memory[start..start + QUARTERS])[0]
    }

    /// What the unit holds, seen as a `T`, to be changed.
    #[inline]
    pub fn get_mut<T: Pod>(&mut self, unit: Unit) -> &mut T {
        const { assert!(size_of::<T>() == UNIT) };
        let start = self.offset + unit.0 as usize * QUARTERS;
        &mut bytemuck::cast_slice_mut(&mut self.memory[start..start + QUARTERS])[0]
    }
}

/// What a unit holds that was given back.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Free {
    next: Unit,
    left_over: [u32; 15],
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_never_handed_out_twice_and_come_back() {
        let mut pool = Pool::new(0).unwrap();
        assert_eq!(pool.capacity(), 64 * 1024 / UNIT - 1);
        let mut held = Vec::new();
        let mut state = 1u32;
        for round in 0..200_000u32 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            // Phases in which the pool fills up take turns with phases in which it empties.
            if state >> 30 < 1 + round / 10_000 % 2 * 2 {
                if let Some(unit) = pool.allocate() {
                    pool.get_mut::<[u32; 16]>(unit).fill(round);
                    held.push((unit, round));
                } else {
                    assert_eq!(held.len(), pool.capacity());
                }
            } else if !held.is_empty() {
                let (unit, mark) = held.swap_remove(state as usize % held.len());
                assert_eq!(pool.get::<[u32; 16]>(unit), &[mark; 16]);
                pool.release(unit);
            }
            assert_eq!(pool.used(), held.len());
        }
    }
}
