//! Numbers and choices in messages.

pub use mpirage_units::did_you_mean;
use mpirage_units::plural_ending;

use crate::failure::{Failure, usage};

/// `1 message`, `18,815 messages`.
pub fn count(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", thousands(number), plural_ending(number, noun))
}

/// `18,815`.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `147.8 KiB`.
pub fn bytes(count: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = count as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{count} B") } else { format!("{value:.1} {}", UNITS[unit]) }
}

/// `0.83`, `12.5`, `317`: three digits that count, fewer if the rest is zeros.
pub fn ratio(value: f64) -> String {
    let before_point = value.log10().floor();
    let decimals = if before_point.is_finite() { (2.0 - before_point).max(0.0) as usize } else { 0 };
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// The value that `text` names, or an error that lists the names.
pub fn choose<T: Copy>(option: &str, text: &str, choices: &[(&str, T)]) -> Result<T, Failure> {
    let chosen = choices.iter().find(|(name, _)| *name == text).map(|(_, value)| *value);
    chosen.ok_or_else(|| {
        let (last, others) = choices.split_last().expect("an option has values");
        let others: Vec<&str> = others.iter().map(|(name, _)| *name).collect();
        usage(format!("{option} {text}: expected {} or {}", others.join(", "), last.0))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_separators_and_nouns_have_plurals() {
        assert_eq!(count(0, "message"), "0 messages");
        assert_eq!(count(1, "context switch"), "1 context switch");
        assert_eq!(count(9_664, "context switch"), "9,664 context switches");
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!((thousands(999), thousands(100_000)), ("999".to_owned(), "100,000".to_owned()));
    }

    #[test]
    fn ratios_have_three_digits_that_count() {
        let written = [0.8312, 0.08, 12.54, 316.8, 1.0, 0.9999, 2e6].map(ratio);
        assert_eq!(written, ["0.831", "0.08", "12.5", "317", "1", "1", "2000000"]);
    }

    #[test]
    fn bytes_have_a_unit() {
        assert_eq!(bytes(0), "0 B");
        assert_eq!(bytes(1536), "1.5 KiB");
        assert_eq!(bytes(3 << 30), "3.0 GiB");
    }

    #[test]
    fn a_wrong_choice_lists_the_right_ones() {
        let choose = |text| choose("--when", text, &[("auto", 1), ("always", 2), ("never", 3)]);
        assert_eq!(choose("never").unwrap(), 3);
        let error = choose("now").unwrap_err().error.to_string();
        assert_eq!(error, "--when now: expected auto, always or never");
    }
    #[test]
    fn only_what_is_alike_is_suggested() {
        let models = || ["flow", "simgrid", "loggops"].into_iter();
        assert_eq!(did_you_mean("simgird", models()), "; did you mean simgrid?");
        assert_eq!(did_you_mean("magic", models()), "");
    }
}
