//! Sizes and times for people.

use mpirage_units::Duration;

/// `8 B`, `64 KiB`, `1000 B`: without a fraction, so that what is shown is exact.
pub fn size_text(bytes: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    let whole = UNITS.iter().find(|(unit, _)| bytes >= *unit && bytes.is_multiple_of(*unit));
    whole.map_or_else(|| format!("{bytes} B"), |(unit, name)| format!("{} {name}", bytes / unit))
}

/// `12.3 µs`: three significant digits.
pub fn time_text(time: Duration) -> String {
    const UNITS: [(f64, &str); 4] = [(1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")];
    let seconds = time.as_secs_f64();
    // 999.6 µs are 1.00 ms.
    let (unit, name) = UNITS.into_iter().find(|(unit, _)| seconds >= unit * 0.9995).unwrap_or((1e-9, "ns"));
    let value = seconds / unit;
    let digits = match value {
        _ if value >= 99.95 => 0,
        _ if value >= 9.995 => 1,
        _ => 2,
    };
    format!("{value:.digits$} {name}")
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

    #[test]
    fn times_have_three_digits() {
        let text = |seconds: f64| time_text(Duration::from_secs_f64(seconds));
        assert_eq!(
            [1.234, 12.34e-3, 123.4e-6, 999.6e-6].map(text),
            ["1.23 s", "12.3 ms", "123 µs", "1.00 ms"]
        );
        assert_eq!((text(0.0), text(5e-9)), ("0.00 ns".to_owned(), "5.00 ns".to_owned()));
    }
}
