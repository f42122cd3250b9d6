//! The MPI functions that have a body, found by their one way of being written.

use std::fs;
use std::path::{Path, PathBuf};

/// How the line of a body begins; rustfmt keeps it on one line up to the opening parenthesis.
const OPENING: &str = "pub(crate) unsafe extern \"C-unwind\" fn ";

/// An MPI function written in Rust.
pub struct Body {
    pub name: String,
    /// Its path in the crate, `crate::functions::errors::MPI_Error_class`.
    pub path: String,
}

/// All bodies in the Rust files below `dir`, which is the module `crate::functions`.
pub fn bodies(dir: &Path) -> Vec<Body> {
    let mut found: Vec<Body> =
        rust_files(dir).iter().flat_map(|file| in_file(file, &module(dir, file))).collect();
    found.sort_by(|one, other| one.name.cmp(&other.name));
    if let Some(pair) = found.windows(2).find(|pair| pair[0].name == pair[1].name) {
        panic!("two bodies: {} and {}", pair[0].path, pair[1].path);
    }
    found
}

fn in_file(file: &Path, module: &str) -> Vec<Body> {
    let source = fs::read_to_string(file).expect("a listed file can be read");
    let declares =
        |line: &&str| line.contains("extern \"C-unwind\" fn MPI_") && !line.trim_start().starts_with("//");
    let written = source.lines().filter(declares).map(|line| body(line, file));
    let made = source.lines().flat_map(forms).map(str::to_owned);
    written.chain(made).map(|name| Body { path: format!("{module}::{name}"), name }).collect()
}

/// The bodies that a macro makes: the `MPI_Bcast MPI_Ibcast …;` of a line of nothing else.
fn forms(line: &str) -> impl Iterator<Item = &str> {
    let names = line.trim().strip_suffix(';').unwrap_or("");
    let only_names = names.split_whitespace().all(|name| {
        name.starts_with("MPI_") && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    });
    names.split_whitespace().filter(move |_| only_names)
}

fn body(line: &str, file: &Path) -> String {
    let rest = line
        .strip_prefix(OPENING)
        .unwrap_or_else(|| panic!("{}: begin the line with `{OPENING}`: {line}", file.display()));
    rest.split(['(', '<']).next().unwrap_or(rest).to_owned()
}

/// `crate::functions::topology::cart` for `topology/cart.rs`.
fn module(dir: &Path, file: &Path) -> String {
    let relative = file.strip_prefix(dir).expect("found below it").with_extension("");
    let steps = relative.iter().map(|step| step.to_string_lossy()).filter(|step| step != "mod");
    steps.fold("crate::functions".to_owned(), |path, step| format!("{path}::{step}"))
}

fn rust_files(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).unwrap_or_else(|error| panic!("{}: {error}", dir.display()));
    let mut files = Vec::new();
    for path in entries.map(|entry| entry.expect("a directory entry").path()) {
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}
