//! Makes the version of what the simulator and the MPI library write for each other: a hash of the sources that define it.
//!
//! A number kept by hand would be forgotten by the first change that needs it.

use std::fs;
use std::path::{Path, PathBuf};

/// Mailboxes, and the encodings of what lies in them.
const SOURCES: [&str; 2] = ["src", "../../base/call/src"];

fn main() {
    let mut files = Vec::new();
    for folder in SOURCES {
        println!("cargo::rerun-if-changed={folder}");
        collect(Path::new(folder), &mut files);
    }
    files.sort();
    let mut hash = Fnv::default();
    for file in &files {
        let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        // Comments and blank lines do not change the layout.
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
        lines.for_each(|line| hash.add(line.as_bytes()));
    }
    println!("cargo::rustc-env=MPIRAGE_CHANNEL_VERSION={:016x}", hash.0);
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for path in entries.map(|entry| entry.expect("a readable folder").path()) {
        match path.is_dir() {
            true => collect(&path, files),
            false if path.extension().is_some_and(|ending| ending == "rs") => files.push(path),
            false => {}
        }
    }
}

/// FNV-1a: the same on every machine and with every compiler.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Fnv {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes.iter().chain(b"\n") {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}
