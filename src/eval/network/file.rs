//! The file of a network.
//!
//! All numbers are little-endian:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `OTRERANN` |
//! | 4 | version of the format, 2 |
//! | 4 x 5 | the sizes: rows of empty squares, rows of pieces, units, hidden units, phases |
//! | 4 | length of the provenance |
//! | … | the provenance: where the network comes from, as text in UTF-8 |
//! | … | the arrays of [`Weights`] in their order |
//! | 4 | CRC-32 of everything before |
//!
//! The checksum tells every single flipped bit and nearly everything else.

use thiserror::Error;

use super::inputs::{EMPTY_ROWS, PHASES, PIECE_ROWS};
use super::{HIDDEN, PIECE_MAX, UNITS, Weights};

const MAGIC: &[u8; 8] = b"OTRERANN";
const VERSION: u32 = 2;
const SIZES: [u32; 5] =
    [EMPTY_ROWS as u32, PIECE_ROWS as u32, UNITS as u32, HIDDEN as u32, PHASES as u32];

/// The longest provenance, in bytes.
const MAX_PROVENANCE: usize = 1 << 16;

/// Why bytes are no network that this program can play with.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum NetworkError {
    /// The file is something else.
    #[error("not a network of Otrera: it does not begin with OTRERANN")]
    Magic,
    /// The file has another version.
    #[error("a network file of version {0}; this program reads version {VERSION}")]
    Version(u32),
    /// The network has another shape.
    #[error("a network of another shape: sizes {found:?} where this program has {SIZES:?}")]
    Sizes {
        /// The sizes in the file.
        found: [u32; 5],
    },
    /// The file ends too early or too late.
    #[error("a damaged network file: {found} bytes long where {wanted} are expected")]
    Length {
        /// The length of the file.
        found: usize,
        /// The length it should have.
        wanted: usize,
    },
    /// The checksum does not fit.
    #[error("a damaged network file: its checksum is wrong")]
    Checksum,
    /// The provenance is not text.
    #[error("a damaged network file: its provenance is not text")]
    Provenance,
    /// A number is larger than the first layer has room for.
    #[error("a network with a weight of {0} where at most {PIECE_MAX} is possible")]
    Weight(i16),
}

/// The bytes of a network file. The provenance says where the network comes from; what exceeds 64
/// KiB of it is cut off.
pub fn encode(weights: &Weights, provenance: &str) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend(SIZES.iter().flat_map(|size| size.to_le_bytes()));
    let provenance = &provenance[..provenance.floor_char_boundary(MAX_PROVENANCE)];
    bytes.extend((provenance.len() as u32).to_le_bytes());
    bytes.extend(provenance.as_bytes());
    put_arrays(weights, &mut bytes);
    let checksum = crc32fast::hash(&bytes);
    bytes.extend(checksum.to_le_bytes());
    bytes
}

/// A checksum of the numbers alone, to tell networks apart.
pub fn checksum(weights: &Weights) -> u32 {
    let mut bytes = Vec::new();
    put_arrays(weights, &mut bytes);
    crc32fast::hash(&bytes)
}

/// Reads a network file: the weights, and the provenance.
///
/// # Errors
/// When the bytes are anything but a whole and undamaged network of this program's shape.
pub fn decode(bytes: &[u8]) -> Result<(Weights, String), NetworkError> {
    let mut rest = bytes.strip_prefix(MAGIC).ok_or(NetworkError::Magic)?;
    let length = |wanted| NetworkError::Length { found: bytes.len(), wanted };
    let mut word = || {
        let (word, after) = rest.split_first_chunk().ok_or(length(40))?;
        rest = after;
        Ok(u32::from_le_bytes(*word))
    };
    let version = word()?;
    if version != VERSION {
        return Err(NetworkError::Version(version));
    }
    let found = [word()?, word()?, word()?, word()?, word()?];
    if found != SIZES {
        return Err(NetworkError::Sizes { found });
    }
    let provenance = (word()? as usize).min(MAX_PROVENANCE);
    let mut weights = Weights::zero();
    let arrays = weights.arrays_mut().iter().map(|array| array.bytes()).sum::<usize>();
    let wanted = bytes.len() - rest.len() + provenance + arrays + size_of::<u32>();
    if bytes.len() != wanted {
        return Err(length(wanted));
    }
    let (covered, checksum) = bytes.split_last_chunk().ok_or(length(wanted))?;
    if crc32fast::hash(covered) != u32::from_le_bytes(*checksum) {
        return Err(NetworkError::Checksum);
    }
    let (text, mut numbers) = rest.split_at(provenance);
    let text = std::str::from_utf8(text).map_err(|_| NetworkError::Provenance)?;
    for mut array in weights.arrays_mut() {
        numbers = array.read(numbers);
    }
    let small = weights.pieces.iter().chain(&weights.bias);
    match small.copied().find(|weight| weight.unsigned_abs() > PIECE_MAX.unsigned_abs()) {
        Some(weight) => Err(NetworkError::Weight(weight)),
        None => Ok((weights, text.to_owned())),
    }
}

/// One of the arrays of a network.
enum Array<'a> {
    Bytes(&'a mut Vec<i8>),
    Words(&'a mut Vec<i16>),
    Longs(&'a mut Vec<i32>),
}

impl Array<'_> {
    /// Its length in a file.
    fn bytes(&self) -> usize {
        match self {
            Array::Bytes(numbers) => numbers.len(),
            Array::Words(numbers) => 2 * numbers.len(),
            Array::Longs(numbers) => 4 * numbers.len(),
        }
    }

    /// Fills it from the beginning of `bytes`, which are long enough; gives the rest of them.
    fn read<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        let (mine, rest) = bytes.split_at(self.bytes());
        match self {
            Array::Bytes(numbers) => numbers.copy_from_slice(bytemuck::cast_slice(mine)),
            Array::Words(numbers) => {
                for (number, bytes) in numbers.iter_mut().zip(mine.as_chunks().0) {
                    *number = i16::from_le_bytes(*bytes);
                }
            }
            Array::Longs(numbers) => {
                for (number, bytes) in numbers.iter_mut().zip(mine.as_chunks().0) {
                    *number = i32::from_le_bytes(*bytes);
                }
            }
        }
        rest
    }

    fn put(&self, bytes: &mut Vec<u8>) {
        match self {
            Array::Bytes(numbers) => bytes.extend(numbers.iter().map(|number| *number as u8)),
            Array::Words(numbers) => bytes.extend(numbers.iter().flat_map(|n| n.to_le_bytes())),
            Array::Longs(numbers) => bytes.extend(numbers.iter().flat_map(|n| n.to_le_bytes())),
        }
    }
}

fn put_arrays(weights: &Weights, bytes: &mut Vec<u8>) {
    for array in weights.clone().arrays_mut() {
        array.put(bytes);
    }
}

impl Weights {
    /// Its arrays in the order of their declaration.
    fn arrays_mut(&mut self) -> [Array<'_>; 20] {
        [
            Array::Bytes(&mut self.empty),
            Array::Words(&mut self.pieces),
            Array::Words(&mut self.bias),
            Array::Bytes(&mut self.hidden),
            Array::Words(&mut self.hidden_bias),
            Array::Words(&mut self.value),
            Array::Longs(&mut self.value_bias),
            Array::Bytes(&mut self.from),
            Array::Bytes(&mut self.to),
            Array::Bytes(&mut self.arrow),
            Array::Words(&mut self.queen_target),
            Array::Words(&mut self.queen_surroundings),
            Array::Words(&mut self.queen_length),
            Array::Words(&mut self.queen_origin),
            Array::Words(&mut self.queen_gain),
            Array::Words(&mut self.queen_cut),
            Array::Words(&mut self.arrow_target),
            Array::Words(&mut self.arrow_surroundings),
            Array::Words(&mut self.arrow_length),
            Array::Words(&mut self.arrow_cut),
        ]
    }
}
