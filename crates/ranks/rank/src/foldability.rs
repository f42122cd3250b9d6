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

/// The function that a program imports, or one of its libraries, by which ranks share memory.
#[cfg(target_arch = "x86_64")]
pub fn shares_memory(program: &Path) -> Option<String> {
    let image = Image::open(program).ok()?;
    let libraries = OwnLibraries::of(&image).ok()?;
    // Fortran's library refers to all functions.
    let of_libraries = libraries.imports().filter(|(library, _)| !library.starts_with("libmpi"));
    let imports = image.imports().chain(of_libraries.map(|(_, import)| import));
    imports.map(|import| import.name.as_str()).find(|name| is_sharing(name)).map(str::to_owned)
}

/// Fortran's names are in small letters.
#[cfg(target_arch = "x86_64")]
fn is_sharing(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.contains("mpi_win_allocate_shared") || name.starts_with("smpi_") && name.contains("shared")
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
