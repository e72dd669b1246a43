//! Work compiled for the processor it runs on. The numbers that come out are the same: nothing here
//! lets the compiler add in another order or round less often.

/// Work that gains from wide registers.
pub(super) trait Work {
    /// Does the work. Implementations are `#[inline(always)]`, as is everything they call that
    /// counts: inlining is what gives them the caller's instructions.
    fn run(self);
}

/// Does the work with the widest registers there are.
pub(super) fn run<W: Work>(work: W) {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl") {
            // SAFETY: the processor has the instructions.
            return unsafe { run_avx512(work) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has the instructions.
            return unsafe { run_avx2(work) };
        }
    }
    work.run();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx2")]
fn run_avx512<W: Work>(work: W) {
    work.run();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn run_avx2<W: Work>(work: W) {
    work.run();
}
