//! Numbers in the tree that several threads look at.
//!
//! Who changes one holds the latch of its node, and so does who must see several of them as they
//! belong together; the latch orders what they do. So loads and stores need no order of their own
//! and cost what plain ones cost. Who looks without the latch may see one number of before and
//! another of after a change, and can live with that.

use std::sync::atomic::{AtomicI64, AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

macro_rules! numbers {
    ($($name:ident: $atomic:ident of $number:ident,)*) => {$(
        #[derive(Debug, Default)]
        #[repr(transparent)]
        pub(super) struct $name($atomic);

        impl $name {
            #[inline]
            pub fn get(&self) -> $number {
                self.0.load(Ordering::Relaxed)
            }

            #[inline]
            pub fn set(&self, number: $number) {
                self.0.store(number, Ordering::Relaxed);
            }
        }
    )*};
}

numbers! {
    U8: AtomicU8 of u8,
    U16: AtomicU16 of u16,
    U32: AtomicU32 of u32,
    U64: AtomicU64 of u64,
    I64: AtomicI64 of i64,
}

impl U32 {
    /// Adds to it, also while others do.
    #[inline]
    pub fn add(&self, number: i32) {
        self.0.fetch_add(number as u32, Ordering::Relaxed);
    }
}

/// A number with a fraction.
#[derive(Debug, Default)]
#[repr(transparent)]
pub(super) struct F32(U32);

impl F32 {
    #[inline]
    pub fn get(&self) -> f32 {
        f32::from_bits(self.0.get())
    }

    #[inline]
    pub fn set(&self, number: f32) {
        self.0.set(number.to_bits());
    }
}
