//! May a program be folded?

#[cfg(target_arch = "x86_64")]
use std::path::Path;

#[cfg(target_arch = "x86_64")]
use mpirage_fold::{Image, Verdict, verdict};

/// What folding a program would mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Foldability {
    /// Ranks would share nothing that the program can notice.
    Safe,
    /// Ranks would share something; each reason is a clause about the program, "it …".
    Unsafe(Vec<String>),
    /// It cannot be done; the reason is a clause about the program, "it …".
    Impossible(String),
}

/// Looks at a program.
#[cfg(target_arch = "x86_64")]
pub fn foldability(program: &Path) -> Foldability {
    match Image::open(program) {
        Err(refusal) => Foldability::Impossible(refusal.to_string()),
        Ok(image) => match verdict(&image) {
            Verdict::Safe => Foldability::Safe,
            Verdict::Unsafe(reasons) => Foldability::Unsafe(reasons),
            Verdict::Impossible(reason) => Foldability::Impossible(reason),
        },
    }
}
