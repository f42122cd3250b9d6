//! Sizes for people.

/// `8 B`, `64 KiB`, `1000 B`: without a fraction, so that what is shown is exact.
pub fn size_text(bytes: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    let whole = UNITS.iter().find(|(unit, _)| bytes >= *unit && bytes.is_multiple_of(*unit));
    whole.map_or_else(|| format!("{bytes} B"), |(unit, name)| format!("{} {name}", bytes / unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_exact() {
        assert_eq!(
            [0, 8, 1000, 1024, 1536, 1 << 22].map(size_text),
            ["0 B", "8 B", "1000 B", "1 KiB", "1536 B", "4 MiB"]
        );
    }
}
