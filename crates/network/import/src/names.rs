//! Names of hosts as a formula: prefix, numbers in order, suffix.

/// The common parts of all host names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Names {
    pub prefix: String,
    pub suffix: String,
    /// As `numbers` of a platform file: `1-128,200`.
    pub numbers: String,
    /// Numbers of fewer digits have zeros in front; 0: none have.
    pub digits: usize,
}

/// The formula of names in this order, if there is one: they differ in one number only.
pub(super) fn formula(names: &[&str]) -> Option<Names> {
    let first = names.first()?;
    let mut end = first.len();
    while let Some(last) = first[..end].rfind(|letter: char| letter.is_ascii_digit()) {
        let begin = first[..last].rfind(|letter: char| !letter.is_ascii_digit());
        let begin = begin.map_or(0, |at| at + first[at..].chars().next().map_or(1, char::len_utf8));
        let found = numbered(names, &first[..begin], &first[last + 1..]);
        if found.is_some() {
            return found;
        }
        end = begin;
    }
    None
}

fn numbered(names: &[&str], prefix: &str, suffix: &str) -> Option<Names> {
    let digits_of = |name: &&str| -> Option<String> {
        let digits = name.strip_prefix(prefix)?.strip_suffix(suffix)?;
        let plain =
            !digits.is_empty() && digits.len() < 10 && digits.bytes().all(|byte| byte.is_ascii_digit());
        plain.then(|| digits.to_owned())
    };
    let all: Vec<String> = names.iter().map(digits_of).collect::<Option<_>>()?;
    let padded = |digits: &&String| digits.len() > 1 && digits.starts_with('0');
    let width = all.iter().find(padded).map_or(0, String::len);
    let numbers: Vec<u64> = all.iter().map(|digits| digits.parse().ok()).collect::<Option<_>>()?;
    let same = all.iter().zip(&numbers).all(|(digits, number)| *digits == format!("{number:0width$}"));
    let formula = Names {
        prefix: prefix.to_owned(),
        suffix: suffix.to_owned(),
        numbers: ranges(&numbers),
        digits: width,
    };
    same.then_some(formula)
}

fn ranges(numbers: &[u64]) -> String {
    let runs = numbers.chunk_by(|one, next| *next == one + 1);
    let text = runs.map(|run| match run {
        [one] => one.to_string(),
        run => format!("{}-{}", run[0], run[run.len() - 1]),
    });
    text.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_in_one_number_have_a_formula() {
        let found = formula(&["n009-ib0", "n010-ib0", "n100-ib0"]).unwrap();
        assert_eq!((found.prefix.as_str(), found.suffix.as_str()), ("n", "-ib0"));
        assert_eq!((found.numbers.as_str(), found.digits), ("9-10,100", 3));
        assert_eq!(formula(&["n1", "n2", "n12"]).unwrap().digits, 0);
        assert_eq!(formula(&["r1n1", "r1n2", "r2n1"]), None);
        assert_eq!(formula(&["n01", "n1"]), None);
        assert_eq!(formula(&["fe", "be"]), None);
    }
}
