//! Options that had other names. The old ones work, with a hint.

use std::ffi::{OsStr, OsString};

use crate::output::say;

/// A command, an option of it as it was called before, and as it is called now.
const RENAMED: [(&str, &str, &str); 4] = [
    ("balance", "--cores", "--on-cores"),
    ("check", "--limit", "--timeout"),
    ("jobs", "--reports", "--report"),
    ("tune", "--repeat", "--calls"),
];

/// The words of a command line without its program, with the options of today. Words after `--` belong to a program.
pub fn words(typed: &[OsString]) -> Vec<OsString> {
    let command = typed.get(1).and_then(|word| word.to_str()).unwrap_or_default();
    let own = typed.iter().position(|word| word == "--").unwrap_or(typed.len());
    let mut words: Vec<OsString> = Vec::with_capacity(typed.len());
    for typed in &typed[..own] {
        match words.last_mut() {
            Some(last) if is_json_alone(last, typed) => last.push("=-"),
            _ => words.push(word(command, typed)),
        }
    }
    words.extend_from_slice(&typed[own..]);
    words
}

/// Are these the two words `--json -`?
pub fn is_json_alone(option: &OsStr, value: &OsStr) -> bool {
    option == "--json" && value == "-"
}

/// A word as it is written today.
pub fn word(command: &str, typed: &OsStr) -> OsString {
    today(command, typed).map_or_else(
        || typed.to_owned(),
        |(old, new, today)| {
            say!("mpirage: {old} is now called {new}");
            today
        },
    )
}

fn today(command: &str, typed: &OsStr) -> Option<(&'static str, &'static str, OsString)> {
    let text = typed.to_str().filter(|text| text.starts_with("--"))?;
    let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
    let known = RENAMED.iter().find(|(of, old, _)| *of == command && *old == name);
    known.map(|&(_, old, new)| {
        (old, new, value.map_or_else(|| new.into(), |value| format!("{new}={value}").into()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_names_become_new_ones() {
        let words = |line: &str| {
            let typed: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let words: Vec<String> =
                super::words(&typed).into_iter().map(|word| word.into_string().unwrap()).collect();
            words.join(" ")
        };
        assert_eq!(words("mpirage balance t --cores 4"), "mpirage balance t --on-cores 4");
        assert_eq!(words("mpirage tune bcast --repeat=3"), "mpirage tune bcast --calls=3");
        assert_eq!(words("mpirage tune --cores 2 bcast"), "mpirage tune --cores 2 bcast");
        assert_eq!(words("mpirage balance t --json - -q"), "mpirage balance t --json=- -q");
        assert_eq!(words("mpirage balance p -- --cores 4"), "mpirage balance p -- --cores 4");
    }
}
