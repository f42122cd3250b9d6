//! Memory brought near before it is needed.
//!
//! With thousands of ranks nothing that belongs to one of them is in a near cache when its turn comes. Who knows what comes
//! next says so here, early enough: the memory arrives while something else is done. These are hints and change nothing;
//! on machines without such an instruction they do nothing.

/// Bytes that are brought together.
pub const LINE: usize = 64;

/// Brings the line with this address near.
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

/// Brings a value near, all of it.
#[inline(always)]
pub fn fetch<T>(value: &T) {
    let address = core::ptr::from_ref(value).addr();
    if align_of::<T>() < LINE {
        return fetch_bytes(address, size_of::<T>());
    }
    // It fills its lines: their number is known beforehand.
    for line in 0..size_of::<T>() / LINE {
        fetch_address(address + line * LINE);
    }
}

/// Brings the first values of a slice near, `most` at most.
#[inline(always)]
pub fn fetch_slice<T>(values: &[T], most: usize) {
    fetch_bytes(values.as_ptr().addr(), values.len().min(most) * size_of::<T>());
}

/// Brings so many bytes near.
#[inline(always)]
pub fn fetch_bytes(address: usize, bytes: usize) {
    let mut line = address & !(LINE - 1);
    while line < address + bytes {
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
