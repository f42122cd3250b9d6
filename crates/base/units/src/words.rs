//! Numbers of things in messages.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_has_no_ending() {
        assert_eq!(counted(1_u32, "rank"), "1 rank");
        assert_eq!(counted(0_usize, "rank"), "0 ranks");
        assert_eq!(counted(2_u64, "switch"), "2 switches");
    }
}
