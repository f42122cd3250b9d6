//! Folded ranks where there are none: the loader knows x86-64 only. Programs run as processes here, and that is said.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use mpirage_call::Reply;
use mpirage_channel::{Briefing, Disturbed};
use mpirage_mpi::Memory;
use thiserror::Error;

use crate::crash::Death;
use crate::foldability::Foldability;
use crate::program::{Identity, Program};
use crate::ranks::Stop;
use crate::symbols::Symbols;

/// Why ranks cannot be folded.
#[derive(Debug, Error)]
#[error("{UNSUPPORTED}")]
pub struct FoldError;

const UNSUPPORTED: &str = "folded ranks are not supported on this processor (only x86-64 Linux)";

/// Nobody.
pub enum Folded {}

/// No program can be folded here.
pub fn foldability(_: &Path) -> Foldability {
    Foldability::Impossible(UNSUPPORTED.to_owned())
}

impl Folded {
    /// Refuses.
    pub fn new(
        _: usize,
        _: &Briefing,
        _: &Path,
        _: &[Arc<Program>],
        _: Option<Duration>,
    ) -> Result<Folded, FoldError> {
        Err(FoldError)
    }
}

/// Methods that nobody can call, because there is nobody.
macro_rules! of_nobody {
    ($($name:ident($($argument:ty),*) -> $result:ty;)*) => {
        impl Folded {
            $(pub(crate) fn $name(&self, $(_: $argument),*) -> $result {
                match *self {}
            })*
        }
    };
}

of_nobody! {
    shared_resident_bytes() -> u64;
    listen() -> io::Result<()>;
    disturbances() -> Disturbed;
    started() -> usize;
    start(&Program, &Identity<'_>) -> io::Result<()>;
    answer(u32, &Reply) -> Result<(), String>;
    wait(u32) -> Stop;
    calls(u32, &mut Vec<u64>) -> ();
    collect_output(u32) -> bool;
    show_output(u32, &mut dyn Write) -> io::Result<()>;
    has_fault() -> bool;
    fault() -> Option<(u32, String)>;
    death(u32) -> Option<Death>;
    note_addresses(u32) -> bool;
    explain_addresses(&mut Symbols) -> ();
    place_of_death(u32) -> Option<u64>;
}

impl Memory for Folded {
    fn read(&mut self, _: u32, _: u64, _: &mut [u8]) {
        match *self {}
    }
    fn write(&mut self, _: u32, _: u64, _: &[u8]) {
        match *self {}
    }
    fn reduce(&mut self, _: u32, _: u64, _: u64, _: u64, _: &[u8], _: &mut [u8]) {
        match *self {}
    }
}
