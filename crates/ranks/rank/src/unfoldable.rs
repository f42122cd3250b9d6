//! Folded ranks on other processors than x86-64: there are none, because the loader knows x86-64 only.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use mpirage_call::{LineId, RankId, Reply, Service};
use mpirage_channel::{Briefing, Disturbed, Mailboxes};
use mpirage_mpi::RankAddress;
use thiserror::Error;

use crate::crash::{Death, LostWorker};
use crate::foldability::Foldability;
use crate::program::{Identity, Program};
use crate::service::Serve;
use crate::stop::Stop;
use crate::symbols::Symbols;
use crate::worker_count::WorkerCount;

/// Why ranks cannot be folded.
#[derive(Debug, Error)]
#[error("{UNSUPPORTED}")]
pub struct FoldError;

const UNSUPPORTED: &str = "folded ranks are not supported on this processor (only x86-64 Linux)";

/// No folded ranks can exist.
pub enum Folded {}

/// No worker can exist.
pub enum Workers {}

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

impl Workers {
    /// There are no ranks.
    pub fn new(folded: Folded, _: WorkerCount) -> Workers {
        match folded {}
    }

    /// There are none.
    pub fn count(&self) -> usize {
        match *self {}
    }

    /// There are none.
    pub fn alone_because(&self) -> Option<String> {
        match *self {}
    }
}

/// Methods that cannot be called, because there is no value.
macro_rules! without_ranks {
    ($kind:ident $($name:ident($($argument:ty),*) -> $result:ty;)*) => {
        impl $kind {
            $(pub(crate) fn $name(&self, $(_: $argument),*) -> $result {
                match *self {}
            })*
        }
    };
}

without_ranks! { Folded
    shared_resident_bytes() -> u64;
    listen() -> io::Result<()>;
    disturbed() -> Disturbed;
    mailboxes() -> &Mailboxes;
    share_memory() -> bool;
    set_slice(Duration) -> ();
    set_limit(Duration) -> ();
    out_of_files() -> Option<RankId>;
    started() -> usize;
    start(&Program, &Identity<'_>) -> io::Result<()>;
    answer(LineId, &Reply) -> Result<(), String>;
    wait(RankId) -> Stop;
    calls(LineId, &mut Vec<u64>) -> ();
    collect_output(RankId) -> bool;
    show_output(RankId, &mut dyn Write) -> io::Result<()>;
    has_fault() -> bool;
    fault() -> Option<(RankId, String)>;
    death(RankId) -> Option<Death>;
    note_addresses(RankId) -> bool;
    rank_of(LineId) -> RankId;
    read(RankAddress, &mut [u8]) -> ();
    write(RankAddress, &[u8]) -> ();
    copy(RankAddress, RankAddress, usize, &mut Vec<u8>) -> ();
    expect(RankId, usize) -> ();
    explain_addresses(&mut Symbols) -> ();
    place_of_death(RankId) -> Option<u64>;
}

without_ranks! { Workers
    shared_resident_bytes() -> u64;
    listen() -> io::Result<()>;
    disturbed() -> Disturbed;
    mailboxes() -> &Mailboxes;
    set_slice(Duration) -> ();
    out_of_files() -> Option<RankId>;
    started() -> usize;
    start(&Program, &Identity<'_>) -> io::Result<()>;
    answer(LineId, &Reply) -> Result<(), String>;
    calls(LineId, &mut Vec<u64>) -> ();
    collect_output(RankId) -> bool;
    show_output(RankId, &mut dyn Write) -> io::Result<()>;
    has_fault() -> bool;
    fault() -> Option<(RankId, String)>;
    death(RankId) -> Option<Death>;
    note_addresses(RankId) -> bool;
    rank_of(LineId) -> RankId;
    read(RankAddress, &mut [u8]) -> ();
    write(RankAddress, &[u8]) -> ();
    copy(RankAddress, RankAddress, usize, &mut Vec<u8>) -> ();
    explain_addresses(&mut Symbols) -> ();
    place_of_death(RankId) -> Option<u64>;
    wait(LineId) -> Option<Stop>;
    set_limit(Duration) -> ();
    are_at_work() -> bool;
    is_ahead(LineId) -> bool;
    set_ahead(LineId, bool) -> ();
    asks_when(LineId) -> bool;
    take_asking() -> Vec<LineId>;
    note_release(LineId) -> bool;
    forget_release(LineId) -> ();
    take_releases() -> Vec<LineId>;
    interrupt(LineId) -> ();
    lost() -> Option<LostWorker>;
}

impl Serve for Folded {
    fn serve(&mut self, _: RankId, _: &Service<'_>, _: &mut [u8]) {
        match *self {}
    }
}

impl Serve for Workers {
    fn serve(&mut self, _: RankId, _: &Service<'_>, _: &mut [u8]) {
        match *self {}
    }
}
