//! May a program be folded?

use std::path::Path;

use mpirage_fold::Image;

/// What folding a program would mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Foldability {
    /// Ranks would share nothing that the program can notice.
    Safe,
    /// Ranks would share something; each reason completes a sentence about the program.
    Unsafe(Vec<String>),
    /// It cannot be done; the reason completes a sentence about the program.
    Impossible(String),
}

/// Looks at a program.
pub fn foldability(program: &Path) -> Foldability {
    match Image::open(program) {
        Err(refusal) => Foldability::Impossible(format!("cannot be folded: {refusal}")),
        Ok(_) => Foldability::Unsafe(vec!["may share state of the C library between ranks".to_owned()]),
    }
}
