//! Whether ranks of a program can be folded.

#[cfg(target_arch = "x86_64")]
use std::path::Path;

#[cfg(target_arch = "x86_64")]
use mpirage_fold::{Image, OwnLibraries, Verdict, verdict};

/// Whether ranks of a program can be folded, and what they would share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Foldability {
    /// Ranks would share nothing that the program can notice.
    Safe,
    /// Ranks would share something; each reason is a clause about the program, "it …".
    Unsafe(Vec<String>),
    /// The program cannot be folded; the reason is a clause about it, "it …".
    Impossible(String),
}

/// Examines a program.
#[cfg(target_arch = "x86_64")]
pub fn foldability(program: &Path) -> Foldability {
    let judged = Image::open(program).and_then(|image| {
        let libraries = OwnLibraries::of(&image)?;
        Ok(verdict(&image, &libraries))
    });
    match judged {
        Err(refusal) => Foldability::Impossible(refusal.to_string()),
        Ok(Verdict::Safe) => Foldability::Safe,
        Ok(Verdict::Unsafe(reasons)) => Foldability::Unsafe(reasons),
        Ok(Verdict::Impossible(reason)) => Foldability::Impossible(reason),
    }
}
