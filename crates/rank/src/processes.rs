//! The processes of a run: their mailboxes, memories and ends.

use std::collections::BTreeMap;
use std::io::{self, IoSlice, IoSliceMut};
use std::process::Child;
use std::time::Duration;

use mpirage_call::wire::decode_call;
use mpirage_call::{Call, Reply, Service};
use mpirage_channel::{Briefing, Fleet, SERVICE_BYTES, STORE_BYTES, Waiting};
use mpirage_mpi::Memory;
use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::sys::uio::{RemoteIoVec, process_vm_readv, process_vm_writev};
use nix::sys::wait::waitpid;
use nix::time::ClockId;
use nix::unistd::Pid;

use crate::crash::Death;
use crate::output::Output;
use crate::program::{Identity, Program};
use crate::ranks::Stop;
use crate::shared::SharedFile;
use crate::symbols::Symbols;

/// Bytes up to which a store goes through the mailbox, which spares a system call.
const STORE_LIMIT: usize = 16 * 1024;
/// How long to wait for a rank before looking whether it still lives.
pub(crate) const PATIENCE: Duration = Duration::from_millis(50);

/// Living processes whose memory maps are read after a run; those of one program are the same.
const LOOKED_AT: usize = 32;

/// How bytes get from one process to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataPlane {
    /// The kernel copies between processes.
    Direct,
    /// Where the kernel does not let us: ranks copy to and from their mailboxes.
    Mailbox,
}

/// One rank's process.
struct Process {
    child: Option<Child>,
    id: u32,
    output: Output,
    death: Option<Death>,
    /// It may be running although simulated time is not there: its mailbox is not ours.
    ahead: bool,
    /// What is to be stored in its memory when it has stopped: address, length, bytes, filled up to words.
    late_stores: Vec<u64>,
}

/// All processes of a run.
pub struct Processes {
    fleet: Fleet,
    shared: SharedFile,
    processes: Vec<Process>,
    data_plane: DataPlane,
    wanted_data_plane: DataPlane,
    /// A rank whose memory could not be reached, and why.
    fault: Option<(u32, String)>,
    /// Memory maps by rank, of one rank of each program.
    maps: BTreeMap<u32, String>,
}

impl Processes {
    /// No process yet, but a mailbox for each.
    pub fn new(ranks: usize, briefing: &Briefing, data_plane: DataPlane) -> io::Result<Processes> {
        let shared = SharedFile::new()?;
        let briefing = Briefing { shared_file: shared.descriptor(), ..*briefing };
        let fleet = Fleet::new(ranks, &briefing)?;
        Ok(Processes {
            fleet,
            shared,
            processes: Vec::with_capacity(ranks),
            data_plane,
            wanted_data_plane: data_plane,
            fault: None,
            maps: BTreeMap::new(),
        })
    }

    /// Did it turn out that the kernel does not let us copy between processes?
    pub(crate) fn fell_back_to_mailboxes(&self) -> bool {
        self.data_plane != self.wanted_data_plane
    }

    /// Bytes that exist once for all ranks.
    pub fn shared_resident_bytes(&self) -> u64 {
        self.shared.resident_bytes()
    }

    /// Starts the next rank. Ranks start in order.
    pub(crate) fn start(&mut self, program: &Program, who: &Identity<'_>) -> io::Result<()> {
        let (output, writer) = Output::new()?;
        let child = program.start(who, self.fleet.file(), writer)?;
        let id = child.id();
        self.processes.push(Process {
            child: Some(child),
            id,
            output,
            death: None,
            ahead: true,
            late_stores: Vec::new(),
        });
        Ok(())
    }

    /// How many ranks have been started.
    pub(crate) fn started(&self) -> usize {
        self.processes.len()
    }

    /// The process number of a rank, while it lives.
    fn living(&self, rank: u32) -> Option<u32> {
        let process = self.processes.get(rank as usize)?;
        process.child.as_ref().map(|_| self.fleet.owner(rank as usize).unwrap_or(process.id))
    }

    /// Tells where code is. What a living rank has loaded meanwhile comes first; of those that are no more, there is the map
    /// of the first rank of each program, as it was when that first waited.
    pub(crate) fn explain_addresses(&self, symbols: &mut Symbols) {
        let ranks = 0..self.started() as u32;
        ranks.filter_map(|rank| self.living(rank)).take(LOOKED_AT).for_each(|process| symbols.learn(process));
        self.maps.values().for_each(|map| symbols.learn_map(map));
    }

    /// Keeps the memory map of a rank, unless that has been done. True if it had not.
    pub(crate) fn note_addresses(&mut self, rank: u32) -> bool {
        let first = !self.maps.contains_key(&rank);
        if first {
            let map = std::fs::read_to_string(format!("/proc/{}/maps", self.pid(rank))).unwrap_or_default();
            self.maps.insert(rank, map);
        }
        first
    }

    /// Gives a rank its reply and lets it run.
    pub(crate) fn answer(&mut self, rank: u32, reply: &Reply) -> Result<(), String> {
        self.fleet.answer(rank as usize, reply).map_err(|error| error.to_string())?;
        self.fleet.release(rank as usize);
        Ok(())
    }

    /// Waits for a while until a rank stops, or one of the others that run. None if this one still runs.
    pub(crate) fn wait(&mut self, rank: u32, others: &[u32], patience: Duration) -> Option<Stop> {
        if let Some(death) = self.processes[rank as usize].death {
            return Some(Stop::Ended(death));
        }
        let waited = match others {
            [] => self.fleet.wait(rank as usize, patience),
            _ => self.fleet.wait_any(&[&[rank], others].concat(), patience),
        };
        match waited {
            Waiting::Over if !self.fleet.is_running(rank as usize) => Some(Stop::Waits),
            _ => self.reap(rank).map(Stop::Ended),
        }
    }

    /// Waits for a while until one of these ranks stops.
    pub(crate) fn wait_any(&self, ranks: &[u32], patience: Duration) {
        self.fleet.wait_any(ranks, patience);
    }

    /// Processor time that the rank's process has used; none if it is no more.
    pub(crate) fn processor_time(&self, rank: u32) -> Duration {
        let time = ClockId::pid_cpu_clock_id(self.pid(rank)).and_then(ClockId::now);
        time.map(Duration::from).unwrap_or_default()
    }

    /// Has the rank stopped, or ended?
    pub(crate) fn has_stopped(&mut self, rank: u32) -> bool {
        !self.fleet.is_running(rank as usize) || self.reap(rank).is_some()
    }

    /// Does a stopped rank only want to know when its last call returned?
    pub(crate) fn asks_when(&mut self, rank: u32) -> bool {
        let lives = self.processes[rank as usize].death.is_none();
        lives && matches!(decode_call(self.fleet.calls(rank as usize)), Ok((_, Call::When, _)))
    }

    /// The rank may run from here on, before simulated time is there: nobody touches its mailbox.
    pub(crate) fn goes_ahead(&mut self, rank: u32) {
        if let Some(process) = self.processes.get_mut(rank as usize) {
            process.ahead = true;
        }
    }

    /// Simulated time is there and the rank has stopped: what came for it meanwhile is due when it goes on.
    pub(crate) fn caught_up(&mut self, rank: u32) {
        let process = &mut self.processes[rank as usize];
        process.ahead = false;
        let mut stores = std::mem::take(&mut process.late_stores);
        let mut rest = stores.as_slice();
        while let [address, length, tail @ ..] = rest {
            let (words, after) = tail.split_at((*length as usize).div_ceil(8));
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
            self.write(rank, *address, &bytes[..*length as usize]);
            rest = after;
        }
        stores.clear();
        self.processes[rank as usize].late_stores = stores;
    }

    /// May bytes be copied from a process without its help? Address zero is nobody's, so that nothing else is learnt.
    pub(crate) fn copies_directly(&self, rank: u32) -> bool {
        let refused = self.read_directly(rank, 0, &mut [0]);
        self.data_plane == DataPlane::Direct && !matches!(refused, Err(error) if is_forbidden(error))
    }

    /// The calls a stopped rank has made.
    pub(crate) fn calls(&mut self, rank: u32, into: &mut Vec<u64>) {
        into.extend_from_slice(self.fleet.calls(rank as usize));
    }

    /// Collects what a stopped rank has written. True if there is something to show.
    pub(crate) fn collect_output(&mut self, rank: u32) -> bool {
        self.processes[rank as usize].output.collect().unwrap_or(false)
    }

    /// Shows what a rank has written.
    pub(crate) fn show_output(&mut self, rank: u32, to: &mut dyn io::Write) -> io::Result<()> {
        self.processes[rank as usize].output.show(to)
    }

    /// A rank whose memory could not be reached.
    pub(crate) fn fault(&mut self) -> Option<(u32, String)> {
        self.fault.take()
    }

    /// Ends every process that still lives, and waits until they are gone.
    fn end_all(&mut self) {
        for child in self.processes.iter_mut().filter_map(|process| process.child.as_mut()) {
            let _ = child.kill();
        }
        for mut child in self.processes.iter_mut().filter_map(|process| process.child.take()) {
            let _ = child.wait();
        }
        while end_orphans() {}
    }

    /// How the rank's process ended, if it has.
    pub(crate) fn death(&mut self, rank: u32) -> Option<Death> {
        self.reap(rank).or(self.processes[rank as usize].death)
    }

    /// Has the rank's process ended just now? Then its mailbox is ours.
    fn reap(&mut self, rank: u32) -> Option<Death> {
        let process = &mut self.processes[rank as usize];
        let status = process.child.as_mut()?.try_wait().ok()??;
        process.child = None;
        process.death = Some(Death::of(status));
        self.fleet.take_back(rank as usize);
        process.death
    }

    /// The process whose memory a rank's addresses mean: the one that attached, which a wrapper may have started.
    pub(crate) fn pid(&self, rank: u32) -> Pid {
        let id = self.fleet.owner(rank as usize).unwrap_or(self.processes[rank as usize].id);
        Pid::from_raw(id as i32)
    }

    fn read_directly(&self, rank: u32, address: u64, into: &mut [u8]) -> Result<(), Errno> {
        let mut done = 0;
        while done < into.len() {
            let remote = [RemoteIoVec { base: address as usize + done, len: into.len() - done }];
            let copied =
                process_vm_readv(self.pid(rank), &mut [IoSliceMut::new(&mut into[done..])], &remote)?;
            done += if copied == 0 { return Err(Errno::EFAULT) } else { copied };
        }
        Ok(())
    }

    fn write_directly(&self, rank: u32, address: u64, bytes: &[u8]) -> Result<(), Errno> {
        let mut done = 0;
        while done < bytes.len() {
            let remote = [RemoteIoVec { base: address as usize + done, len: bytes.len() - done }];
            let copied = process_vm_writev(self.pid(rank), &[IoSlice::new(&bytes[done..])], &remote)?;
            done += if copied == 0 { return Err(Errno::EFAULT) } else { copied };
        }
        Ok(())
    }

    /// Lets a waiting rank do something for us.
    fn serve(&mut self, rank: u32, service: &Service<'_>, back: &mut [u8]) {
        let reachable = self.processes[rank as usize].death.is_none() && self.wait_until_stopped(rank);
        if !reachable || self.fleet.serve(rank as usize, service).is_err() {
            return;
        }
        self.fleet.release(rank as usize);
        if self.wait_until_stopped(rank) {
            self.fleet.served(rank as usize, back);
        } else {
            self.note_fault(rank, "it ended while it was asked for data");
        }
    }

    /// False if it ended instead.
    fn wait_until_stopped(&mut self, rank: u32) -> bool {
        loop {
            if let Some(stop) = self.wait(rank, &[], PATIENCE) {
                return stop == Stop::Waits;
            }
        }
    }

    fn store_later(&mut self, rank: u32, address: u64, bytes: &[u8]) {
        let stores = &mut self.processes[rank as usize].late_stores;
        stores.extend_from_slice(&[address, bytes.len() as u64]);
        stores.extend(bytes.chunks(8).map(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_ne_bytes(word)
        }));
    }

    fn note_fault(&mut self, rank: u32, what: impl Into<String>) {
        self.fault.get_or_insert((rank, what.into()));
    }

    /// Decides what a failed copy means: forbidden altogether, or a bad address.
    fn copy_failed(&mut self, rank: u32, address: u64, length: usize, error: Errno) -> bool {
        let forbidden = is_forbidden(error);
        if forbidden {
            self.data_plane = DataPlane::Mailbox;
        } else if self.processes[rank as usize].death.is_none() {
            self.note_fault(
                rank,
                format!("the buffer of {length} bytes at {address:#x} that it gave to MPI is not accessible"),
            );
        }
        forbidden
    }
}

fn is_forbidden(error: Errno) -> bool {
    matches!(error, Errno::EPERM | Errno::ENOSYS | Errno::EACCES)
}

/// However a run ends, no process is left.
impl Drop for Processes {
    fn drop(&mut self) {
        self.end_all();
    }
}

/// Ends what ranks had started and left behind, one generation of it. True if there was any.
fn end_orphans() -> bool {
    let me = std::process::id();
    let children = std::fs::read_to_string(format!("/proc/{me}/task/{me}/children")).unwrap_or_default();
    let orphans: Vec<Pid> =
        children.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).map(Pid::from_raw).collect();
    for &orphan in &orphans {
        let _ = kill(orphan, Signal::SIGKILL);
    }
    orphans.iter().filter(|&&orphan| waitpid(orphan, None).is_ok()).count() > 0
}

impl Memory for Processes {
    fn read(&mut self, rank: u32, address: u64, into: &mut [u8]) {
        if self.data_plane == DataPlane::Direct {
            match self.read_directly(rank, address, into) {
                Ok(()) => return,
                Err(error) if !self.copy_failed(rank, address, into.len(), error) => return,
                Err(_) => {}
            }
        }
        let mut at = address;
        for chunk in into.chunks_mut(SERVICE_BYTES) {
            let bytes = chunk.len() as u64;
            self.serve(rank, &Service::Peek { address: at, bytes }, chunk);
            at += bytes;
        }
    }

    fn write(&mut self, rank: u32, address: u64, bytes: &[u8]) {
        const { assert!(STORE_LIMIT < STORE_BYTES) };
        let ahead = self.processes[rank as usize].ahead;
        if bytes.len() <= STORE_LIMIT {
            if ahead {
                return self.store_later(rank, address, bytes);
            }
            if self.fleet.store(rank as usize, address, bytes) {
                return;
            }
        }
        if self.data_plane == DataPlane::Direct {
            match self.write_directly(rank, address, bytes) {
                Ok(()) => return,
                // It ran ahead and ended, which is told when simulated time is there.
                Err(Errno::ESRCH) if ahead => return,
                Err(error) if !self.copy_failed(rank, address, bytes.len(), error) => return,
                Err(_) => {}
            }
        }
        let mut at = address;
        for chunk in bytes.chunks(SERVICE_BYTES) {
            self.serve(rank, &Service::Poke { address: at, bytes: chunk }, &mut []);
            at += chunk.len() as u64;
        }
    }

    fn reduce(
        &mut self,
        rank: u32,
        op: u64,
        datatype: u64,
        elements: u64,
        incoming: &[u8],
        inout: &mut [u8],
    ) {
        let element = inout.len() / (elements.max(1) as usize);
        if element == 0 {
            return;
        }
        let step = (SERVICE_BYTES / 2 / element).max(1) * element;
        for (incoming, inout) in incoming.chunks(step).zip(inout.chunks_mut(step)) {
            let elements = (inout.len() / element) as u64;
            let operands = inout.to_vec();
            self.serve(rank, &Service::Reduce { op, datatype, elements, incoming, inout: &operands }, inout);
        }
    }
}
