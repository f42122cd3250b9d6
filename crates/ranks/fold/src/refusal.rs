//! Why a program cannot be folded, each in one sentence.

use std::path::PathBuf;

/// The reason why a file cannot be loaded many times into one process.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// The file cannot be read.
    #[error("cannot read {path}: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// Not a 64-bit little-endian ELF file (a script, perhaps).
    #[error("it is not a 64-bit ELF program")]
    NotElf,
    /// The loader is not there for this processor.
    #[error("folded ranks are not supported on this processor (only x86-64 Linux)")]
    Unsupported,
    /// An ELF file of another processor.
    #[error("it is built for another processor (ELF machine {0})")]
    Machine(u16),
    /// `ET_EXEC`: its data lives at one fixed address.
    #[error(
        "it is linked to a fixed address, so that it can be loaded only once; build it with `mpirage cc`"
    )]
    FixedAddress,
    /// Neither a program nor a shared object.
    #[error("it is not a linked program (ELF type {0})")]
    Kind(u16),
    /// No dynamic section.
    #[error("it is linked statically; its C library would be copied with it")]
    Static,
    /// A part of the file points outside of it.
    #[error("its {0} is damaged")]
    Damaged(&'static str),
    /// `COPY` relocation: a PIE that took a library's variable for itself, which the library changes.
    #[error(
        "it keeps the library variable `{0}` in its own data (a COPY relocation of an ordinary executable); build it with `mpirage cc`"
    )]
    CopyRelocation(String),
    /// A PIE with thread-local variables: their place is fixed without a trace in the file.
    #[error(
        "it is an ordinary executable with thread-local variables, of which a process has one copy; build it with `mpirage cc`"
    )]
    ExecutableTls,
    /// Thread-local variables addressed at a fixed distance from the thread pointer.
    #[error("its thread-local variable{} is addressed in the initial-exec way, of which a process has one copy; compile with -fPIC and without -ftls-model", named(.0))]
    InitialExecTls(String),
    /// TLS descriptors.
    #[error("it addresses thread-local variables through descriptors; compile without -mtls-dialect=gnu2")]
    TlsDescriptor,
    /// A relocation this loader does not know.
    #[error("it needs relocation {kind} at {offset:#x}, which the loader does not know")]
    Relocation {
        /// The number of the relocation.
        kind: u32,
        /// Where it is.
        offset: u64,
    },
    /// Code that has to be changed when loaded.
    #[error("its code has to be changed when it is loaded (text relocations); compile with -fPIC")]
    TextRelocations,
    /// It has no entry point that the loader knows.
    #[error("it has no `main` that can be found; build it with `mpirage cc`")]
    NoMain,
    /// A symbol that no library defines.
    #[error("no library defines `{0}`")]
    Missing(String),
    /// Exceptions cannot be unwound without `_dl_find_object`.
    #[error(
        "its C++ exceptions cannot find their handlers here: the C library has no `_dl_find_object` (glibc 2.35)"
    )]
    Unwinding,
    /// A library it needs.
    #[error("cannot load its library {name}: {reason}")]
    Library {
        /// As the file names it.
        name: String,
        /// The dynamic linker's message.
        reason: String,
    },
}

fn named(name: &str) -> String {
    if name.is_empty() { String::new() } else { format!(" `{name}`") }
}
