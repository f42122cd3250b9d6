//! Prefetching: memory is loaded into the cache before it is needed.
//!
//! With thousands of ranks the caches hold nothing of a rank when its turn comes. Code that knows the next turns prefetches what
//! they need, and the memory arrives while other code runs. Prefetches are hints and change no result; on machines without such
//! an instruction they do nothing.

use core::ops::Range;

/// Bytes of a cache line.
pub const LINE: usize = 64;

/// Prefetches the cache line with this address.
#[inline(always)]
pub fn fetch_address(address: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a hint about any address, valid or not.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(core::ptr::without_provenance(address)) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Prefetches a whole value.
#[inline(always)]
pub fn fetch<T>(value: &T) {
    let address = core::ptr::from_ref(value).addr();
    if align_of::<T>() < LINE {
        return fetch_bytes(address..address + size_of::<T>());
    }
    // The value fills its lines, so their number is a constant.
    for line in 0..size_of::<T>() / LINE {
        fetch_address(address + line * LINE);
    }
}

/// Prefetches the first values of a slice, `most` at most.
#[inline(always)]
pub fn fetch_slice<T>(values: &[T], most: usize) {
    let Range { start, end } = values[..values.len().min(most)].as_ptr_range();
    fetch_bytes(start.addr()..end.addr());
}

/// Prefetches the bytes at these addresses.
#[inline(always)]
pub fn fetch_bytes(addresses: Range<usize>) {
    let mut line = addresses.start & !(LINE - 1);
    while line < addresses.end {
        fetch_address(line);
        line += LINE;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hints must not change anything, wherever they point.
    #[test]
    fn hints_are_harmless() {
        let values = vec![7_u64; 1000];
        fetch(&values[3]);
        fetch_slice(&values, 100);
        fetch_slice(&values[..0], 1);
        fetch_address(0);
        fetch_address(usize::MAX);
        assert!(values.iter().all(|&value| value == 7));
    }
}
