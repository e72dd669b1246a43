//! The memory of the tree: a fixed number of 64-byte units, handed out in blocks.
//!
//! The budget is reserved at once and touched only as it is used, so a large one costs nothing
//! until the tree has grown into it. Blocks that are given back wait in a list for their size; a
//! request takes from its own list, then from untouched memory, then splits a larger block.
//! Everything that grows with the search lives here, so the budget is kept to the byte.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};
use thiserror::Error;

/// The size of a unit in bytes: one cache line.
pub(super) const UNIT: usize = 64;

/// Units by which the lists of free blocks are told apart; a larger block is a multiple of this.
const LARGEST_LIST: usize = 64;

/// A handle on a block: the number of its first unit. Unit 0 is never handed out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Pod, Zeroable)]
#[repr(transparent)]
pub(super) struct Block(u32);

impl Block {
    /// No block.
    pub const NONE: Block = Block(0);

    /// Whether this is no block.
    #[inline]
    pub fn is_none(self) -> bool {
        self == Block::NONE
    }
}

/// There is not so much memory: the system has none to give, or it is more than 256 GiB, beyond
/// which the handles of blocks do not reach.
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

/// The units, and which of them are free.
pub(super) struct Pool {
    memory: Box<[Quarter]>,
    /// Where the first unit begins, so that each fills a cache line.
    offset: usize,
    /// The number of units, the first of which is never used.
    units: usize,
    /// Units from here on were never handed out.
    untouched: usize,
    /// For each size in units, the first free block; each free block names the next.
    free: [Block; LARGEST_LIST + 1],
    used: usize,
}

impl Pool {
    /// A pool of about this many bytes, at least 64 KiB.
    pub fn new(bytes: usize) -> Result<Pool, MemoryRefused> {
        if (bytes / UNIT) as u64 > 1 << u32::BITS {
            return Err(MemoryRefused { bytes });
        }
        let units = (bytes / UNIT).clamp(16 * LARGEST_LIST, u32::MAX as usize);
        let memory: Box<[Quarter]> = bytemuck::try_zeroed_slice_box((units + 1) * QUARTERS)
            .map_err(|()| MemoryRefused { bytes })?;
        let offset = (UNIT - memory.as_ptr().addr() % UNIT) % UNIT / size_of::<Quarter>();
        let free = [Block::NONE; LARGEST_LIST + 1];
        Ok(Pool { memory, offset, units, untouched: 1, free, used: 0 })
    }

    /// Where the first `units` units of a block lie in the memory.
    #[inline]
    fn range(&self, block: Block, units: usize) -> Range<usize> {
        let start = self.offset + block.0 as usize * QUARTERS;
        start..start + units * QUARTERS
    }

    /// Takes back everything at once.
    pub fn clear(&mut self) {
        self.untouched = 1;
        self.free = [Block::NONE; LARGEST_LIST + 1];
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

    /// Units rounded up to a size that has a list.
    fn size(units: usize) -> usize {
        if units <= LARGEST_LIST { units } else { units.next_multiple_of(LARGEST_LIST) }
    }

    /// A block of at least this many bytes, its contents whatever they were.
    /// `None` when the budget is used up.
    pub fn allocate(&mut self, bytes: usize) -> Option<Block> {
        let units = Pool::size(bytes.div_ceil(UNIT));
        let block = if units <= LARGEST_LIST { self.pop(units) } else { None };
        let block = block.or_else(|| self.bump(units)).or_else(|| self.split(units))?;
        self.used += units;
        Some(block)
    }

    /// The place in a free block that names the next one.
    fn link(&mut self, block: Block) -> &mut Block {
        &mut self.slice_mut(block, 1)[0]
    }

    fn pop(&mut self, units: usize) -> Option<Block> {
        let block = self.free[units];
        if block.is_none() {
            return None;
        }
        self.free[units] = *self.link(block);
        Some(block)
    }

    fn bump(&mut self, units: usize) -> Option<Block> {
        if self.units - self.untouched < units {
            return None;
        }
        let block = Block(self.untouched as u32);
        self.untouched += units;
        Some(block)
    }

    fn split(&mut self, units: usize) -> Option<Block> {
        let size = (units + 1..=LARGEST_LIST).find(|&size| !self.free[size].is_none())?;
        let block = self.pop(size)?;
        self.push(Block(block.0 + units as u32), size - units);
        Some(block)
    }

    fn push(&mut self, block: Block, units: usize) {
        *self.link(block) = self.free[units];
        self.free[units] = block;
    }

    /// Gives back a block that was asked for with this many bytes.
    pub fn release(&mut self, block: Block, bytes: usize) {
        let units = Pool::size(bytes.div_ceil(UNIT));
        self.used -= units;
        for part in (0..units).step_by(LARGEST_LIST) {
            self.push(Block(block.0 + part as u32), LARGEST_LIST.min(units - part));
        }
    }

    /// Copies this many bytes from one block to another.
    pub fn copy(&mut self, from: Block, to: Block, bytes: usize) {
        let source = self.range(from, bytes.div_ceil(UNIT));
        let target = self.range(to, 0).start;
        self.memory.copy_within(source, target);
    }

    /// What the block holds, seen as one `T`.
    #[inline]
    pub fn get<T: Pod>(&self, block: Block) -> &T {
        const { assert!(size_of::<T>() == UNIT) };
        &self.slice(block, 1)[0]
    }

    /// What the block holds, seen as one `T`, to be changed.
    #[inline]
    pub fn get_mut<T: Pod>(&mut self, block: Block) -> &mut T {
        const { assert!(size_of::<T>() == UNIT) };
        &mut self.slice_mut(block, 1)[0]
    }

    /// The first `count` elements of the block.
    #[inline]
    pub fn slice<T: Pod>(&self, block: Block, count: usize) -> &[T] {
        let units = (count * size_of::<T>()).div_ceil(UNIT);
        &bytemuck::cast_slice(&self.memory[self.range(block, units)])[..count]
    }

    /// The first `count` elements of the block, to be changed.
    #[inline]
    pub fn slice_mut<T: Pod>(&mut self, block: Block, count: usize) -> &mut [T] {
        let units = (count * size_of::<T>()).div_ceil(UNIT);
        let range = self.range(block, units);
        &mut bytemuck::cast_slice_mut(&mut self.memory[range])[..count]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_never_overlap_and_come_back() {
        let mut pool = Pool::new(64 * 1024).unwrap();
        // A block of n units is filled with its own number and must still hold it at the end.
        let mut held: Vec<(Block, usize, u32)> = Vec::new();
        let mut state = 1u32;
        for round in 0..20_000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let bytes = (state >> 16) as usize % 6000 + 1;
            if state & 0x300 == 0 && !held.is_empty() {
                let (block, bytes, mark) = held.swap_remove(state as usize % held.len());
                assert!(pool.slice::<u32>(block, bytes / 4).iter().all(|&word| word == mark));
                pool.release(block, bytes);
            } else if let Some(block) = pool.allocate(bytes) {
                pool.slice_mut::<u32>(block, bytes / 4).fill(round);
                held.push((block, bytes, round));
            } else {
                for (block, bytes, mark) in held.drain(..) {
                    assert!(pool.slice::<u32>(block, bytes / 4).iter().all(|&word| word == mark));
                    pool.release(block, bytes);
                }
                assert_eq!(pool.used(), 0);
            }
        }
        assert!(pool.used() <= pool.capacity());
    }
}
