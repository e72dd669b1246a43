//! Which instructions compute the fields: chosen once, at run time.

use std::fmt;

use super::{Fields, portable};
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};
use crate::amazons::{Bitboard, Position, Square};
use crate::game::Colour;

/// A way to compute the fields, and the instructions that everything built on them may use. All
/// give identical results.
///
/// A value of this type is a promise that the processor has the instructions: it can only be had
/// from the functions here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kernel(Instructions);

/// The instruction sets for which there is code. Those that do not exist on this processor are
/// never constructed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::eval) enum Instructions {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Kernel {
    /// The one that works everywhere, ray by ray.
    pub const PORTABLE: Kernel = Kernel(Instructions::Portable);

    /// The fastest that this processor can run.
    pub fn best() -> Kernel {
        Kernel::available().next_back().unwrap_or(Kernel::PORTABLE)
    }

    /// All that this processor can run, the slowest first.
    pub fn available() -> impl DoubleEndedIterator<Item = Kernel> {
        let mut kernels = vec![Kernel::PORTABLE];
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt");
            let avx512 = avx2
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512vbmi")
                && is_x86_feature_detected!("avx512vbmi2")
                && is_x86_feature_detected!("avx512vnni");
            if avx2 {
                kernels.push(Kernel(Instructions::Avx2));
            }
            if avx512 {
                kernels.push(Kernel(Instructions::Avx512));
            }
        }
        kernels.into_iter()
    }

    /// The instructions that this value promises.
    #[inline]
    pub(in crate::eval) const fn instructions(self) -> Instructions {
        self.0
    }

    /// Computes the fields of a position. With an arrow pending they are those of the board as it
    /// is: the shooter where it arrived, the square it left empty.
    #[inline]
    pub fn fill(self, position: &Position, fields: &mut Fields) {
        let amazons = Colour::BOTH.map(|colour| position.amazons(colour));
        let empty = position.empty();
        match self.0 {
            Instructions::Portable => portable::fill(amazons, empty, fields),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => {
                // SAFETY: `available` made this value after finding the instructions.
                unsafe { avx2::fill(amazons, empty, fields) }
            }
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => {
                // SAFETY: `available` made this value after finding the instructions.
                unsafe { avx512::fill(amazons, empty, fields) }
            }
        }
    }

    /// The squares of `open` that a queen on each of these squares reaches in one move over
    /// squares of `open`; the rest of `moves` stays as it is.
    #[inline]
    pub(in crate::eval) fn queen_moves(
        self,
        squares: Bitboard,
        open: Bitboard,
        moves: &mut [Bitboard; Square::INDICES],
    ) {
        match self.0 {
            Instructions::Portable => portable::queen_moves_of_each(squares, open, moves),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => {
                // SAFETY: `available` made this value after finding the instructions.
                unsafe { avx2::queen_moves_of_each(squares, open, moves) }
            }
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => {
                // SAFETY: `available` made this value after finding the instructions.
                unsafe { avx512::queen_moves_of_each(squares, open, moves) }
            }
        }
    }

    /// Does a piece of work, compiled with the instructions of this kernel.
    #[inline]
    pub(in crate::eval) fn run<W: Work>(self, work: W) -> W::Output {
        match self.0 {
            Instructions::Portable => work.run(),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => {
                // SAFETY: `available` made this value after finding the instructions.
                unsafe { avx2::run(work) }
            }
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => {
                // SAFETY: `available` made this value after finding the instructions.
                unsafe { avx512::run(work) }
            }
        }
    }
}

/// Work that gains from being compiled for the processor it runs on: counting bits, above all,
/// takes one instruction there and a dozen on the oldest x86-64.
pub(in crate::eval) trait Work {
    /// What comes out.
    type Output;

    /// Does the work. Implementations are `#[inline(always)]`, as is everything they call that
    /// counts: inlining is what gives them the caller's instructions.
    fn run(self) -> Self::Output;
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Instructions::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => "AVX2",
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => "AVX-512",
        })
    }
}
