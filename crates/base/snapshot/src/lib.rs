//! Snapshots: a test compares a text with a file beside it. After a deliberate change, run the test with `UPDATE_SNAPSHOTS=1` and read the
//! difference.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// Compares a text with a file, which is named from the package that is tested. White space at their ends does not count.
///
/// # Panics
/// If they differ, or if there is no such file.
#[track_caller]
pub fn check(file: impl AsRef<Path>, text: &str) {
    // Cargo runs tests in the folder of their package.
    let file = file.as_ref();
    if env::var_os("UPDATE_SNAPSHOTS").is_some() {
        fs::write(file, format!("{}\n", text.trim_end())).expect("the snapshot can be written");
    }
    let expected = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    if let Some(difference) = difference(&expected, text) {
        panic!(
            "{}: {difference}\nIf the change is meant, run the test with UPDATE_SNAPSHOTS=1.",
            file.display()
        );
    }
}

/// The file of one of many snapshots: signs that do not belong in names of files become underscores.
pub fn file(folder: &str, name: &str) -> PathBuf {
    let name = name.replace(['/', ':'], "__");
    Path::new(folder).join(format!("{name}.snap"))
}

/// The first line in which two texts differ.
fn difference(expected: &str, found: &str) -> Option<String> {
    let (mut expected, mut found) = (expected.trim_end().lines(), found.trim_end().lines());
    for line in 1.. {
        let (before, now) = (expected.next(), found.next());
        if before.is_none() && now.is_none() {
            break;
        }
        if before != now {
            let shown = |text: Option<&str>| text.map_or("(the end)".to_owned(), str::to_owned);
            return Some(format!("line {line} differs\nexpected {}\nfound    {}", shown(before), shown(now)));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{difference, file};

    #[test]
    fn the_first_line_that_differs_is_shown() {
        assert_eq!(difference("a\nb\n", "a\nb"), None);
        assert_eq!(difference("a\nb\n", "a\nc\n").unwrap(), "line 2 differs\nexpected b\nfound    c");
        assert_eq!(difference("a\n", "a\nb\n").unwrap(), "line 2 differs\nexpected (the end)\nfound    b");
        assert_eq!(difference("a\nb\n", "a\n").unwrap(), "line 2 differs\nexpected b\nfound    (the end)");
    }

    #[test]
    fn names_become_names_of_files() {
        assert_eq!(file("tests", "gather.simgrid:smp").to_str().unwrap(), "tests/gather.simgrid__smp.snap");
    }

    #[test]
    #[should_panic(expected = "no-such-file: ")]
    fn a_file_that_is_missing_is_a_failure() {
        super::check("tests/no-such-file", "");
    }
}
