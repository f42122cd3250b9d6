//! Common parts of the fuzz targets: runs a workload on a small cluster, up to a limit. Any result is right, except a
//! panic.

mod bounded;
mod script;
pub mod sealed;

use bounded::Bounded;
pub use script::Script;

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::Arc;

use mpirage_collectives::Choice;
use mpirage_kernel::Kernel;
use mpirage_models::Cores;
use mpirage_mpi::{Bursts, Engine, NoMemory, Setup, waiting_cycle};
use mpirage_platform::{HostId, Platform};
use mpirage_record::{Record, Recorder};
use mpirage_simulation::{SoFar, Watch};
use mpirage_scenario::Model;
use mpirage_trace::Workload;

/// The largest number of ranks: more find nothing new.
const MOST_RANKS: u32 = 32;
const HOSTS: u32 = 8;

/// Interrupts the run at the first progress report, after some thousand calls.
struct Impatient;

impl Watch for Impatient {
    fn progress(&mut self, _: SoFar) -> bool {
        true
    }
}

/// A recorder that asks for all details and keeps nothing.
struct Listener;

impl Recorder for Listener {
    fn record(&mut self, record: &Record<'_>) {
        std::hint::black_box(record);
    }

    fn wants_arguments(&self) -> bool {
        true
    }
}

/// Runs a workload.
pub fn drive(workload: &mut dyn Workload) {
    let ranks = workload.ranks();
    if ranks > MOST_RANKS {
        return;
    }
    let mut engine = engine(ranks);
    let _ = mpirage_simulation::run_workload(&mut engine, &mut Bounded::new(workload), &mut Impatient);
    // Also compute the explanations that users get.
    let blocked = engine.diagnosis().blocked();
    std::hint::black_box((waiting_cycle(&blocked), engine.diagnosis().leftovers()));
}

/// An engine for this many ranks.
pub fn engine(ranks: u32) -> Engine<NoMemory> {
    thread_local! {
        static PLATFORM: RefCell<Option<Arc<Platform>>> = const { RefCell::new(None) };
    }
    let platform = PLATFORM.with_borrow_mut(|platform| {
        let load =
            || Arc::new(Platform::load(&format!("cluster:{HOSTS}"), HOSTS).expect("a built-in platform"));
        Arc::clone(platform.get_or_insert_with(load))
    });
    let (model, _) = Model::resolve("flow:factors", platform.settings(), (100e-6, 125e6)).expect("a built-in model");
    let placement: Vec<HostId> = (0..ranks).map(|rank| HostId(rank % HOSTS)).collect();
    let (network, collective_times) = (model.network_on(&platform), model.collective_times(&platform));
    let cores = Cores::new(platform, &placement);
    let setup = Setup {
        kernel: Kernel::new(network, Box::new(cores)),
        seconds_per_nano: vec![1e-9; ranks as usize],
        host_flops: vec![1e9; ranks as usize],
        host_cores: vec![1; ranks as usize],
        placement,
        jobs: Vec::new(),
        protocol: model.protocol,
        collectives: Choice::parse("").expect("no choice"),
        collective_times,
        bursts: Bursts::Measured,
        recorder: Box::new(Listener),
    };
    Engine::new(setup, NoMemory)
}

/// Opens a file of these bytes, and runs it if it is a workload.
pub fn open_and_drive(name: &str, bytes: &[u8]) {
    let path = file(name, bytes);
    if let Ok(mut workload) = mpirage_trace::open(&path.to_string_lossy()) {
        drive(workload.as_mut());
    }
}

/// A file with these bytes. Each call reuses the same file.
fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let folder = PathBuf::from("/dev/shm");
    let folder = if folder.is_dir() { folder } else { std::env::temp_dir() };
    let path = folder.join(format!("mpirage-fuzz-{}-{name}", std::process::id()));
    std::fs::write(&path, bytes).expect("room for a small file");
    path
}
