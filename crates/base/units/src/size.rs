//! Sizes as people write them, and exactly.

use crate::BYTES;

/// `64KiB`, `1000`, `8B`; none if it is no whole number of bytes.
pub fn parse_size(text: &str) -> Option<u64> {
    BYTES.read_whole(text.trim()).ok()
}

/// With the largest unit that leaves a whole number.
pub fn written_size(bytes: u64) -> String {
    let units = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match units.into_iter().find(|&(unit, _)| bytes > 0 && bytes.is_multiple_of(unit)) {
        Some((unit, name)) => format!("{}{name}", bytes / unit),
        None if bytes == 0 => "0".to_owned(),
        None => format!("{bytes}B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_written_exactly() {
        for bytes in [0, 1, 1000, 1024, 1025, 3 << 20, 5 << 30] {
            assert_eq!(parse_size(&written_size(bytes)), Some(bytes));
        }
        assert_eq!(written_size(64 << 10), "64KiB");
    }
}
