//! Numbers of things, and times, in messages.

use crate::Duration;

/// `1 rank`, `8 ranks`, `3 switches`.
pub fn counted(number: impl TryInto<u64>, noun: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    format!("{number} {noun}{}", plural_ending(number, noun))
}

/// The plural ending of a noun after this number.
pub fn plural_ending(number: u64, noun: &str) -> &'static str {
    match number {
        1 => "",
        _ if noun.ends_with("ch") || noun.ends_with('s') => "es",
        _ => "s",
    }
}

/// `; did you mean NAME?` if one of the names is like what was typed, else nothing.
pub fn did_you_mean<'a>(typed: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    // Letters that are swapped, missing, added or wrong.
    let mistakes = |name: &str| strsim::osa_distance(typed, name);
    let closest = names.into_iter().min_by_key(|name| mistakes(name));
    match closest.filter(|name| mistakes(name) <= 1 + typed.chars().count() / 4) {
        Some(name) => format!("; did you mean {name}?"),
        None => String::new(),
    }
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
    fn one_has_no_ending() {
        assert_eq!(counted(1_u32, "rank"), "1 rank");
        assert_eq!(counted(0_usize, "rank"), "0 ranks");
        assert_eq!(counted(2_u64, "switch"), "2 switches");
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
