//! What the solver remembers: a table of sums with their proof numbers, of fixed size.

use thiserror::Error;

use super::numbers::Numbers;

/// The system does not give so much memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("{} MiB of memory for the solver cannot be had", bytes >> 20)]
pub struct TableRefused {
    /// The size that was asked for.
    pub bytes: usize,
}

/// A part of the key that the place does not tell; the proof and the disproof number; another part of
/// the key and, below it, the expansions behind the numbers. All zero when free.
type Entry = [u64; 3];

/// Entries that share a place.
const WAYS: usize = 4;

/// A table of proof numbers. When a place is full the entry goes that has cost least.
pub(super) struct Table {
    entries: Box<[Entry]>,
    places: u64,
}

fn entry(key: [u64; 2], numbers: Numbers, work: u32) -> Entry {
    let Numbers { proof, disproof } = numbers;
    [key[1], u64::from(proof) << 32 | u64::from(disproof), key[0] << 32 | u64::from(work)]
}

fn numbers(entry: &Entry) -> Numbers {
    Numbers { proof: (entry[1] >> 32) as u32, disproof: entry[1] as u32 }
}

fn work(entry: &Entry) -> u32 {
    entry[2] as u32
}

/// With the place, all 128 bits of the key but a few are compared.
#[inline]
fn is_of(entry: &Entry, key: [u64; 2]) -> bool {
    entry[0] == key[1] && entry[2] >> 32 == key[0] & u64::from(u32::MAX) && work(entry) != 0
}

impl Table {
    /// A table of at most so many bytes, and at least one place. Pages are touched only when they are
    /// used.
    pub(super) fn new(bytes: usize) -> Result<Table, TableRefused> {
        let places = (bytes / (WAYS * size_of::<Entry>())).max(1);
        let entries = bytemuck::try_zeroed_slice_box(places * WAYS);
        let entries = entries.map_err(|()| TableRefused { bytes })?;
        Ok(Table { entries, places: places as u64 })
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.entries.fill([0; 3]);
    }

    #[inline]
    fn place(&self, key: [u64; 2]) -> usize {
        ((u128::from(key[0]) * u128::from(self.places)) >> 64) as usize * WAYS
    }

    /// What is known of the sum with this key, and the expansions behind it.
    #[inline]
    pub(super) fn find(&self, key: [u64; 2]) -> Option<(Numbers, u32)> {
        let first = self.place(key);
        let entries = &self.entries[first..first + WAYS];
        let entry = entries.iter().find(|entry| is_of(entry, key))?;
        Some((numbers(entry), work(entry)))
    }

    /// Keeps what is known of the sum with this key, and the expansions behind it, at least one.
    pub(super) fn keep(&mut self, key: [u64; 2], numbers: Numbers, expansions: u32) {
        let first = self.place(key);
        let entries = &mut self.entries[first..first + WAYS];
        let old = match entries.iter().position(|entry| is_of(entry, key)) {
            Some(old) => Some(&mut entries[old]),
            None => entries.iter_mut().min_by_key(|entry| work(entry)),
        };
        if let Some(old) = old {
            *old = entry(key, numbers, expansions);
        }
    }
}
