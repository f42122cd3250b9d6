//! Ranks folded into this process: coroutines, each with its own copy of the program's data.
//!
//! The MPI library is loaded once, the program once per rank. Ranks run one at a time on this thread and use one mailbox
//! in turn, which the simulator empties at every switch. Bytes move by plain copies.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString, OsStr, OsString};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use mpirage_call::{LineId, RankId, Reply, Service};
use mpirage_channel::{
    Briefing, Disturbed, FileLocks, FoldedLibrary, FoldedRank, Mailboxes, Passing, SAMPLE_SIGNAL,
};
use mpirage_fold::{
    Environment, FoldedRanks, FoldedRanksError, Image, Libraries, Linked, Options, OwnLibraries, Refusal,
};
use mpirage_mpi::RankAddress;
use mpirage_prefetch::fetch;
use mpirage_system::SamplingTimer;
use thiserror::Error;

use crate::crash::Death;
use crate::program::{Identity, Program};
use crate::service::Serve;
use crate::shared::SharedFile;
use crate::spinning::first_slice;
use crate::stop::Stop;
use crate::symbols::{Instances, Symbols};
use crate::watchdog::Watchdog;

/// The mailbox of the first line, which all lines use in turn.
const MAILBOX: LineId = LineId::new(0);

/// Fortran's variables whose address has a meaning, such as `MPI_BOTTOM`. All ranks have those of the library, which so knows them.
const SENTINELS: &str = "mpi_fortran_";

/// Functions of the C library that allocate, and those of the MPI library that share large allocations.
const ALLOCATION: [(&str, &CStr); 8] = [
    ("malloc", c"mpirage_share_malloc"),
    ("calloc", c"mpirage_share_calloc"),
    ("realloc", c"mpirage_share_realloc"),
    ("free", c"mpirage_share_free"),
    ("memalign", c"mpirage_share_memalign"),
    ("aligned_alloc", c"mpirage_share_memalign"),
    ("posix_memalign", c"mpirage_share_posix_memalign"),
    ("malloc_usable_size", c"mpirage_share_usable_size"),
];

/// The same for programs that call `AMPI_Migrate`: functions that count what a rank has allocated. C++ allocates by other names.
const COUNTED: [(&str, &CStr); 13] = [
    ("malloc", c"mpirage_count_malloc"),
    ("calloc", c"mpirage_count_calloc"),
    ("realloc", c"mpirage_count_realloc"),
    ("free", c"mpirage_count_free"),
    ("memalign", c"mpirage_count_memalign"),
    ("aligned_alloc", c"mpirage_count_memalign"),
    ("posix_memalign", c"mpirage_count_posix_memalign"),
    ("_Znwm", c"mpirage_count_malloc"),
    ("_Znam", c"mpirage_count_malloc"),
    ("_ZdlPv", c"mpirage_count_free"),
    ("_ZdlPvm", c"mpirage_count_free"),
    ("_ZdaPv", c"mpirage_count_free"),
    ("_ZdaPvm", c"mpirage_count_free"),
];
/// The symbols that such programs import.
const MIGRATE: [&str; 2] = ["mpirage_migrate", "AMPI_Migrate"];

/// Why ranks cannot be folded.
#[derive(Debug, Error)]
pub enum FoldError {
    /// The program is not one that can be loaded many times.
    #[error("{program}: {refusal}; --ranks-as processes runs it")]
    Program {
        /// The path of the program.
        program: String,
        /// Why the loader refuses it.
        refusal: Refusal,
    },
    /// The MPI library cannot be loaded.
    #[error("cannot load {library}: {error}")]
    Library {
        /// The path of the library.
        library: String,
        /// The dynamic linker's message.
        error: String,
    },
    /// There is no room for so many ranks.
    #[error(transparent)]
    Room(#[from] FoldedRanksError),
    /// The mailbox or signal handlers could not be made.
    #[error("cannot prepare the run: {0}")]
    Prepare(#[from] io::Error),
}

/// All ranks of a run.
pub struct Folded {
    // It is dropped first: without coroutines nothing handles its signals.
    watchdog: Watchdog,
    coroutines: FoldedRanks,
    library: FoldedLibrary,
    mailboxes: Mailboxes,
    shared: SharedFile,
    /// Are the programs' allocation functions those of the MPI library?
    share_malloc: bool,
    ranks: Vec<FoldedState>,
    /// The number of ranks of the run.
    expected: usize,
    programs: Vec<Loaded>,
    /// The memory map of this process before there were ranks: programs and libraries.
    map: String,
    /// The common environment of the last program's ranks, with the variables that the user asked for.
    environment: Option<(Vec<(OsString, OsString)>, Environment)>,
    /// Samples the stacks of ranks.
    sampling: Option<SamplingTimer>,
    fault: Option<(RankId, String)>,
}

/// The library keeps samples of ranks' stacks if a report is to have paths and computation is measured.
fn sample_stacks(library: &FoldedLibrary, briefing: &Briefing) -> io::Result<Option<SamplingTimer>> {
    let wanted = briefing.call_paths > 0 && briefing.measure;
    let Some(keep) = library.sampling().filter(|_| wanted) else { return Ok(None) };
    mpirage_fold::sample_on(SAMPLE_SIGNAL, keep)?;
    Ok(SamplingTimer::start(SAMPLE_SIGNAL))
}

/// One rank.
struct FoldedState {
    known: Option<FoldedRank>,
    unshown: Vec<u8>,
    death: Option<Death>,
    /// Where it was when it died, if that is known.
    place: usize,
}

/// A program and its template.
struct Loaded {
    path: PathBuf,
    linked: Linked,
    /// The libraries it needs, which stay loaded.
    _libraries: Libraries,
}

impl Folded {
    /// No rank yet; every program is loaded and linked.
    pub fn new(
        ranks: usize,
        briefing: &Briefing,
        library: &Path,
        programs: &[Arc<Program>],
        limit: Option<Duration>,
    ) -> Result<Folded, FoldError> {
        let library = FoldedLibrary::load(library).map_err(|error| FoldError::Library {
            library: library.display().to_string(),
            error: error.to_string(),
        })?;
        if let Some(clock) = library.clock() {
            mpirage_fold::set_clock(clock);
        }
        if let Some(FileLocks { fcntl, flock, lockf }) = library.file_locks() {
            mpirage_fold::set_locks(fcntl, flock, lockf);
        }
        let yielding = library.yielding();
        let sampling = sample_stacks(&library, briefing)?;
        let shared = SharedFile::new()?;
        let briefing = Briefing { shared_file: shared.descriptor(), ..*briefing };
        let mailboxes = Mailboxes::of_ranks(1, &briefing)?;
        // Turns are passed by switching stacks: the simulator owns the mailbox whenever this code runs.
        mailboxes.take_back(MAILBOX);
        let coroutines = FoldedRanks::new(Options { ranks, stack: None, mapped: None })?;
        let mut folded = Folded {
            coroutines,
            library,
            mailboxes,
            shared,
            share_malloc: briefing.share_malloc > 0,
            ranks: Vec::with_capacity(ranks),
            expected: ranks,
            programs: Vec::new(),
            map: String::new(),
            environment: None,
            watchdog: Watchdog::start(limit, yielding, first_slice(briefing.measure))?,
            sampling,
            fault: None,
        };
        for program in programs {
            folded.load(&program.path)?;
        }
        folded.map = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
        Ok(folded)
    }

    fn load(&mut self, path: &Path) -> Result<(), FoldError> {
        if self.programs.iter().any(|loaded| loaded.path == path) {
            return Ok(());
        }
        let refused = |refusal| FoldError::Program { program: path.display().to_string(), refusal };
        let mut image = Image::open(path).map_err(refused)?;
        image.include(OwnLibraries::of(&image).map_err(refused)?);
        let libraries = Libraries::load(&image, &is_ours).map_err(refused)?;
        image.share(&|name| name.starts_with(SENTINELS));
        let migrates = image.imports().any(|import| MIGRATE.contains(&import.name.as_str()));
        let linked = image
            .link(&mut |name, version| {
                let ours = || self.library.symbol(&CString::new(name).ok()?);
                self.allocation(name, migrates)
                    .or_else(|| mpirage_fold::c_library(name))
                    .or_else(ours)
                    .or_else(|| libraries.find(name, version))
            })
            .map_err(refused)?;
        self.programs.push(Loaded { path: path.to_owned(), linked, _libraries: libraries });
        Ok(())
    }

    /// The function that replaces one of the C library's, if large allocations are shared, or those of a rank that may move are counted.
    fn allocation(&self, name: &str, migrates: bool) -> Option<usize> {
        let replaced: &[(&str, &CStr)] = match (self.share_malloc, migrates) {
            (true, _) => &ALLOCATION,
            (false, true) => &COUNTED,
            (false, false) => &[],
        };
        let (_, ours) = replaced.iter().find(|(theirs, _)| *theirs == name)?;
        self.library.symbol(ours)
    }

    /// Bytes of the memory that all ranks share.
    pub(crate) fn shared_resident_bytes(&self) -> u64 {
        self.shared.resident_bytes()
    }

    /// Bursts that took far longer than usual at their place.
    pub(crate) fn disturbed(&self) -> Disturbed {
        self.mailboxes.disturbed()
    }

    /// The first rank that could not open a file because all ranks together had too many.
    pub(crate) fn out_of_files(&self) -> Option<RankId> {
        mpirage_fold::rank_out_of_files().map(|rank| RankId::new(rank as u32))
    }

    /// The mailbox of all lines.
    pub(crate) fn mailboxes(&self) -> &Mailboxes {
        &self.mailboxes
    }

    /// Do ranks share memory? All do if some do.
    pub(crate) fn share_memory(&self) -> bool {
        self.watchdog.ranks_share_memory()
    }

    /// A rank that runs for longer than that from now on is interrupted.
    pub(crate) fn set_limit(&self, limit: Duration) {
        self.watchdog.set_limit(limit);
    }

    /// Ranks that run from now on are asked to pass their turn after this time, if they share memory.
    pub(crate) fn set_slice(&self, slice: Duration) {
        self.watchdog.set_slice(slice);
    }

    /// Makes signals that end the run interrupt a rank that does not stop.
    pub(crate) fn listen(&self) -> io::Result<()> {
        self.watchdog.listen()
    }

    /// The rank that a line belongs to: so far each has one.
    pub(crate) fn rank_of(&self, line: LineId) -> RankId {
        RankId::new(line.get())
    }

    pub(crate) fn started(&self) -> usize {
        self.ranks.len()
    }

    pub(crate) fn start(&mut self, program: &Program, who: &Identity<'_>) -> io::Result<()> {
        let words = words_of(program)?;
        let loaded = self.programs.iter().find(|loaded| loaded.path == program.path);
        let linked = &loaded.ok_or(io::ErrorKind::NotFound)?.linked;
        if self.environment.as_ref().is_none_or(|(of, _)| of != &program.environment) {
            self.environment = Some((program.environment.clone(), environment_of(program)));
        }
        let common = self.environment.as_ref().map(|(_, environment)| environment);
        let environment = common.ok_or(io::ErrorKind::NotFound)?.with(own_variables(who));
        self.coroutines.add(linked, &words, &environment).map_err(io::Error::other)?;
        let host = CString::new(who.host).map_err(io::Error::other)?;
        let passing = Passing { pass, exit, raise };
        let known = self.library.rank(who.rank, (&self.mailboxes, MAILBOX), passing, &host, &words);
        self.ranks.push(FoldedState { known: Some(known), unshown: Vec::new(), death: None, place: 0 });
        Ok(())
    }

    pub(crate) fn answer(&mut self, _line: LineId, reply: &Reply) -> Result<(), String> {
        self.mailboxes.answer(MAILBOX, reply).map_err(|error| error.to_string())
    }

    /// Runs the rank until it waits again or ends.
    pub(crate) fn wait(&mut self, rank: RankId) -> Stop {
        let index = rank.index();
        let Some(known) = &self.ranks[index].known else {
            return Stop::Ended(self.ranks[index].death.unwrap_or(Death::Exit(1)));
        };
        self.library.switch_to(known);
        match self.coroutines.resume(index) {
            mpirage_fold::Stop::Yielded => {
                self.watchdog.feed();
                Stop::Waits
            }
            mpirage_fold::Stop::Interrupted { code } => {
                self.watchdog.feed();
                Stop::Interrupted(code as u64)
            }
            mpirage_fold::Stop::Exited(code) => self.ended(index, Death::Exit(code), 0),
            mpirage_fold::Stop::Signal { interrupted: true, .. } => Stop::Cancelled,
            mpirage_fold::Stop::Signal { stack_overflow: true, code, .. } => {
                self.ended(index, Death::StackOverflow, code)
            }
            mpirage_fold::Stop::Signal { number, code, .. } => self.ended(index, Death::Signal(number), code),
        }
    }

    fn ended(&mut self, index: usize, death: Death, place: usize) -> Stop {
        let rank = &mut self.ranks[index];
        (rank.death, rank.place) = (Some(death), place);
        if let Some(known) = rank.known.take() {
            self.library.end(known);
        }
        Stop::Ended(death)
    }

    pub(crate) fn calls(&mut self, _line: LineId, into: &mut Vec<u64>) {
        into.extend_from_slice(self.mailboxes.calls(MAILBOX));
        self.mailboxes.forget_calls(MAILBOX);
    }

    pub(crate) fn collect_output(&mut self, rank: RankId) -> bool {
        let unshown = &mut self.ranks[rank.index()].unshown;
        self.coroutines.collect_output(rank.index(), unshown);
        !unshown.is_empty()
    }

    pub(crate) fn show_output(&mut self, rank: RankId, to: &mut dyn Write) -> io::Result<()> {
        let unshown = &mut self.ranks[rank.index()].unshown;
        to.write_all(unshown)?;
        // Most ranks print little: memory is not kept for more.
        *unshown = Vec::new();
        to.flush()
    }

    pub(crate) fn has_fault(&self) -> bool {
        self.fault.is_some()
    }

    pub(crate) fn fault(&mut self) -> Option<(RankId, String)> {
        self.fault.take()
    }

    pub(crate) fn death(&mut self, rank: RankId) -> Option<Death> {
        self.ranks[rank.index()].death
    }

    /// Addresses are known from the loading.
    pub(crate) fn note_addresses(&mut self, _rank: RankId) -> bool {
        false
    }

    /// Tells `symbols` where the instances of each program are: those of successive ranks lie at equal distances, in runs.
    pub(crate) fn explain_addresses(&self, symbols: &mut Symbols) {
        symbols.learn_own(self.map.clone());
        let mut rank = 0;
        while rank < self.coroutines.len() {
            let mut run = self.instances_from(rank);
            rank += run.count as usize;
            if rank == self.coroutines.len() && rank > 1 && self.programs.len() == 1 {
                // The ranks that are still to start will lie at the same distances.
                run.count += (self.expected - rank) as u64;
            }
            symbols.learn_instances(run);
        }
        if self.coroutines.len() == self.expected {
            symbols.learned_all_instances();
        }
    }

    /// Where a rank was when it died, if that is known.
    pub(crate) fn place_of_death(&self, rank: RankId) -> Option<u64> {
        let place = self.ranks.get(rank.index())?.place;
        (place != 0).then_some(place as u64)
    }

    fn instances_from(&self, rank: usize) -> Instances {
        let (start, program) = (self.coroutines.base(rank), self.coroutines.program(rank));
        let size = program.size();
        let next = |other: usize| {
            other < self.coroutines.len() && self.coroutines.program(other).path() == program.path()
        };
        let stride = if next(rank + 1) { self.coroutines.base(rank + 1).wrapping_sub(start) } else { size };
        let stride = if (size..usize::MAX / 2).contains(&stride) { stride } else { size };
        let regular = |other: usize| self.coroutines.base(other) == start + (other - rank) * stride;
        let count = 1 + (rank + 1..).take_while(|&other| next(other) && regular(other)).count();
        let file = program.path().to_owned();
        let libraries = program.libraries().map(|(start, file)| (start as u64, file.to_owned())).collect();
        Instances { start: start as u64, stride: stride as u64, count: count as u64, file, libraries }
    }

    pub(crate) fn note_fault(&mut self, rank: RankId, what: String) {
        self.fault.get_or_insert((rank, what));
    }

    pub(crate) fn inaccessible(&mut self, RankAddress { rank, address }: RankAddress, bytes: usize) {
        let what =
            format!("the buffer of {bytes} bytes at {address:#x} that it gave to MPI is not accessible");
        self.note_fault(rank, what);
    }
}

/// Memory of ranks, which is memory of this process.
impl Folded {
    pub(crate) fn read(&mut self, from: RankAddress, into: &mut [u8]) {
        if !self.coroutines.read(from.address as usize, into) {
            self.inaccessible(from, into.len());
        }
    }

    pub(crate) fn write(&mut self, to: RankAddress, bytes: &[u8]) {
        if !self.coroutines.write(to.address as usize, bytes) {
            self.inaccessible(to, bytes.len());
        }
    }

    /// Prefetches what a rank needs that will run after `ahead` others.
    pub(crate) fn expect(&self, rank: RankId, ahead: usize) {
        let Some(here) = self.ranks.get(rank.index()) else { return };
        if ahead > 1 {
            fetch(here);
            return self.coroutines.fetch_early(rank.index());
        }
        let Some(known) = &here.known else { return };
        self.library.expect(known, ahead == 0);
        if ahead == 1 {
            self.coroutines.fetch(rank.index());
        }
    }

    pub(crate) fn copy(&mut self, from: RankAddress, to: RankAddress, bytes: usize, _: &mut Vec<u8>) {
        let start = from.address as usize;
        if !self.coroutines.copy(start..start + bytes, to.address as usize) {
            let readable = self.coroutines.copy(start..start + bytes, start);
            self.inaccessible(if readable { to } else { from }, bytes);
        }
    }
}

/// Ranks of which other processes hold a part each.
impl Folded {
    /// Have all ranks been started?
    pub(crate) fn are_all_started(&self) -> bool {
        self.ranks.len() == self.expected
    }

    /// Worker processes go on with the ranks: this process only knows where they are.
    pub(crate) fn leave_to_workers(&mut self) {
        self.watchdog.end();
        (0..self.ranks.len()).for_each(|rank| self.coroutines.forget(rank));
    }

    /// This process is a worker from now on and goes on with these ranks.
    pub(crate) fn become_worker(&mut self, holds: &dyn Fn(usize) -> bool) -> io::Result<()> {
        self.mailboxes.keep_private()?;
        self.watchdog.start_again()?;
        if self.sampling.is_some() {
            // A fork has no timers.
            self.sampling = SamplingTimer::start(SAMPLE_SIGNAL);
        }
        (0..self.ranks.len()).filter(|&rank| !holds(rank)).for_each(|rank| self.coroutines.forget(rank));
        Ok(())
    }

    /// Runs a rank, whose reply or service is encoded, until it waits again or ends.
    pub(crate) fn go_on(&mut self, rank: RankId, encoded: &[u64]) -> Stop {
        self.mailboxes.put(MAILBOX, encoded);
        // A worker may have had nothing to do for a while.
        self.watchdog.feed();
        self.wait(rank)
    }

    /// The result of the last service.
    pub(crate) fn served(&mut self, bytes: usize) -> Vec<u8> {
        let mut back = vec![0; bytes];
        self.mailboxes.served(MAILBOX, &mut back);
        back
    }

    /// What a rank has written since the last time.
    pub(crate) fn take_output(&mut self, rank: RankId) -> Vec<u8> {
        self.coroutines.take_output(rank.index())
    }

    /// A worker has reported that a rank has written this.
    pub(crate) fn add_output(&mut self, rank: RankId, bytes: &[u8]) {
        self.ranks[rank.index()].unshown.extend_from_slice(bytes);
    }

    /// A worker has reported that a rank has ended, and where it was.
    pub(crate) fn note_end(&mut self, rank: RankId, death: Death, place: u64) {
        let state = &mut self.ranks[rank.index()];
        (state.death, state.place) = (Some(death), place as usize);
    }
}

impl Serve for Folded {
    fn serve(&mut self, rank: RankId, service: &Service<'_>, back: &mut [u8]) {
        if self.ranks[rank.index()].death.is_some() {
            return;
        }
        if self.mailboxes.serve(MAILBOX, service).is_err() {
            return self.note_fault(rank, "a request of the simulator does not fit its mailbox".to_owned());
        }
        if self.wait(rank) == Stop::Waits {
            self.mailboxes.served(MAILBOX, back);
        } else {
            self.note_fault(rank, "it ended while it was asked for data".to_owned());
        }
    }
}

extern "C" fn pass() {
    mpirage_fold::pass_turn();
}

extern "C" fn exit(code: i32) -> ! {
    mpirage_fold::exit_rank(code)
}

extern "C" fn raise(signal: i32) -> bool {
    mpirage_fold::raise_in_rank(signal)
}

/// Is it the MPI library, which is loaded already?
fn is_ours(name: &str) -> bool {
    name.starts_with("libmpi_abi.so")
}

fn words_of(program: &Program) -> io::Result<Vec<CString>> {
    let words = std::iter::once(program.path.as_os_str())
        .chain(program.arguments.iter().map(|word| word.as_os_str()));
    words.map(|word| CString::new(word.as_encoded_bytes()).map_err(io::Error::other)).collect()
}

/// This process' environment and the user's variables, which take precedence.
fn environment_of(program: &Program) -> Environment {
    let mut variables: BTreeMap<OsString, OsString> = std::env::vars_os().collect();
    variables.extend(program.environment.iter().cloned());
    variables.extend(program.defaults().map(|(name, value)| (name.into(), value.into())));
    Environment::new(variables.iter().filter_map(|(name, value)| entry(name, value)).collect())
}

/// The variables that tell a rank its identity.
fn own_variables(who: &Identity<'_>) -> Vec<CString> {
    let variables = who.variables();
    variables.iter().filter_map(|(name, value)| entry(OsStr::new(name), OsStr::new(value))).collect()
}

fn entry(name: &OsStr, value: &OsStr) -> Option<CString> {
    CString::new([name.as_encoded_bytes(), b"=", value.as_encoded_bytes()].concat()).ok()
}
