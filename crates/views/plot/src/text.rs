//! Sizes for people.

/// `8 B`, `64 KiB`, `1000 B`: without a fraction, so that what is shown is exact.
pub fn size_text(bytes: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    let whole = UNITS.iter().find(|(unit, _)| bytes >= *unit && bytes.is_multiple_of(*unit));
    whole.map_or_else(|| format!("{bytes} B"), |(unit, name)| format!("{} {name}", bytes / unit))
}

/// Some of these sizes, so far apart on a logarithmic axis that so many labels have room on it.
pub(crate) fn far_apart(mut sizes: Vec<u64>, labels: usize) -> Vec<u64> {
    sizes.sort_unstable();
    let place = |bytes: u64| (bytes.max(1) as f64).log2();
    let ends = sizes.first().zip(sizes.last());
    let apart = ends.map_or(0.0, |(&first, &last)| (place(last) - place(first)) / labels as f64);
    let mut kept: Vec<u64> = Vec::new();
    for bytes in sizes {
        if kept.last().is_none_or(|&before| bytes > before && place(bytes) - place(before) >= apart) {
            kept.push(bytes);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_far_apart() {
        assert_eq!(far_apart(vec![8, 9, 10, 16, 1024, 1000, 1 << 20], 6), [8, 1000, 1 << 20]);
        assert_eq!(
            far_apart((3..20).map(|power| 1 << power).collect(), 6),
            [8, 64, 512, 4096, 1 << 15, 1 << 18]
        );
        assert_eq!((far_apart(vec![5, 5], 6), far_apart(Vec::new(), 6)), (vec![5], Vec::new()));
    }

    #[test]
    fn sizes_are_exact() {
        assert_eq!(
            [0, 8, 1000, 1024, 1536, 1 << 22].map(size_text),
            ["0 B", "8 B", "1000 B", "1 KiB", "1536 B", "4 MiB"]
        );
    }
}
