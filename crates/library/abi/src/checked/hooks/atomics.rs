//! Atomic operations of a program that was compiled with `--watch-memory`: GCC calls functions for them.
//!
//! All are carried out with the strongest order. They are noted as loads, because a program that waits for other ranks with them knows
//! what it does: such a load makes the checker more careful.

use core::ffi::c_int;
use core::sync::atomic::{
    AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::SeqCst, compiler_fence, fence,
};

use super::note_load;
use crate::checked::window_memory::WATCHED;

#[unsafe(no_mangle)]
extern "C" fn __tsan_atomic_thread_fence(_order: c_int) {
    fence(SeqCst);
}

#[unsafe(no_mangle)]
extern "C" fn __tsan_atomic_signal_fence(_order: c_int) {
    compiler_fence(SeqCst);
}

/// The variable that the program names, noted.
///
/// # Safety
///
/// `place` points to a variable that lives for the call.
unsafe fn variable<'a, A>(place: *const A) -> &'a A {
    if WATCHED.load(core::sync::atomic::Ordering::Relaxed) > 0 {
        note_load(place.addr(), size_of::<A>(), 0);
    }
    // SAFETY: the caller promises it.
    unsafe { &*place }
}

/// The operations on variables of one size.
macro_rules! atomics {
    ($int:ident $atomic:ident: $load:ident $store:ident $exchange:ident $add:ident $sub:ident $and:ident $or:ident $xor:ident $nand:ident $strong:ident $weak:ident) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $load(place: *const $atomic, _order: c_int) -> $int {
            // SAFETY: the program hands over a variable of its own, here and below.
            unsafe { variable(place) }.load(SeqCst)
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn $store(place: *const $atomic, value: $int, _order: c_int) {
            // SAFETY: as above.
            unsafe { variable(place) }.store(value, SeqCst);
        }

        atomics!(@change $int $atomic: $exchange swap, $add fetch_add, $sub fetch_sub, $and fetch_and, $or fetch_or, $xor fetch_xor, $nand fetch_nand);
        atomics!(@compare $int $atomic: $strong, $weak);
    };
    (@change $int:ident $atomic:ident: $($name:ident $method:ident),*) => {
        $(#[unsafe(no_mangle)]
        unsafe extern "C" fn $name(place: *const $atomic, value: $int, _order: c_int) -> $int {
            // SAFETY: as above.
            unsafe { variable(place) }.$method(value, SeqCst)
        })*
    };
    (@compare $int:ident $atomic:ident: $($name:ident),*) => {
        $(#[unsafe(no_mangle)]
        unsafe extern "C" fn $name(
            place: *const $atomic,
            expected: *mut $int,
            value: $int,
            _order: c_int,
            _failure: c_int,
        ) -> bool {
            // SAFETY: as above; `expected` is the program's, too.
            let (variable, expected) = unsafe { (variable(place), &mut *expected) };
            match variable.compare_exchange(*expected, value, SeqCst, SeqCst) {
                Ok(_) => true,
                Err(found) => {
                    *expected = found;
                    false
                }
            }
        })*
    };
}

atomics!(u8 AtomicU8: __tsan_atomic8_load __tsan_atomic8_store __tsan_atomic8_exchange __tsan_atomic8_fetch_add __tsan_atomic8_fetch_sub __tsan_atomic8_fetch_and __tsan_atomic8_fetch_or __tsan_atomic8_fetch_xor __tsan_atomic8_fetch_nand __tsan_atomic8_compare_exchange_strong __tsan_atomic8_compare_exchange_weak);
atomics!(u16 AtomicU16: __tsan_atomic16_load __tsan_atomic16_store __tsan_atomic16_exchange __tsan_atomic16_fetch_add __tsan_atomic16_fetch_sub __tsan_atomic16_fetch_and __tsan_atomic16_fetch_or __tsan_atomic16_fetch_xor __tsan_atomic16_fetch_nand __tsan_atomic16_compare_exchange_strong __tsan_atomic16_compare_exchange_weak);
atomics!(u32 AtomicU32: __tsan_atomic32_load __tsan_atomic32_store __tsan_atomic32_exchange __tsan_atomic32_fetch_add __tsan_atomic32_fetch_sub __tsan_atomic32_fetch_and __tsan_atomic32_fetch_or __tsan_atomic32_fetch_xor __tsan_atomic32_fetch_nand __tsan_atomic32_compare_exchange_strong __tsan_atomic32_compare_exchange_weak);
atomics!(u64 AtomicU64: __tsan_atomic64_load __tsan_atomic64_store __tsan_atomic64_exchange __tsan_atomic64_fetch_add __tsan_atomic64_fetch_sub __tsan_atomic64_fetch_and __tsan_atomic64_fetch_or __tsan_atomic64_fetch_xor __tsan_atomic64_fetch_nand __tsan_atomic64_compare_exchange_strong __tsan_atomic64_compare_exchange_weak);
