//! Workloads run to their end on a small cluster.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use mpirage_collectives::Choice;
use mpirage_kernel::Kernel;
use mpirage_models::Cores;
use mpirage_mpi::{Bursts, Ending, Engine, NoMemory, Setup};
use mpirage_platform::{HostId, Platform};
use mpirage_record::{Record, Recorder, Scope};
use mpirage_scenario::Model;
use mpirage_simulation::{ReplayError, Watch, run_workload as run};
use mpirage_trace::Workload;

/// The result of a run.
#[derive(Debug)]
pub struct Ran {
    /// How it ended.
    pub ending: Ending,
    /// When each rank ended, in seconds.
    pub ends: Vec<f64>,
    /// How many messages ranks sent to each other by themselves.
    pub messages: u64,
}

impl Ran {
    /// When the last rank ended.
    pub fn seconds(&self) -> f64 {
        self.ends.iter().copied().fold(0.0, f64::max)
    }
}

struct Patient;

impl Watch for Patient {
    fn progress(&mut self, _: mpirage_simulation::SoFar) -> bool {
        false
    }
}

struct Counting(Arc<AtomicU64>);

impl Recorder for Counting {
    fn record(&mut self, record: &Record<'_>) {
        if let Record::Message(message) = record
            && matches!(message.scope, Scope::Comm(_))
        {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Workloads that know how far they are begin near 0, never go back, and never pass 1. Files may end with what describes no calls.
fn check_share(before: Option<f64>, after: Option<f64>) {
    let (before, after) = (before.unwrap_or(0.0), after.unwrap_or(1.0));
    assert!(before < 0.5 && before <= after && after <= 1.0, "{before} {after}");
}

/// Runs a workload on 16 hosts on one switch.
pub fn replay(workload: &mut dyn Workload) -> Result<Ran, ReplayError> {
    replay_on("cluster:16", workload)
}

/// Runs a workload on a platform of ours. A nanosecond of computation counts as one.
pub fn replay_on(platform: &str, workload: &mut dyn Workload) -> Result<Ran, ReplayError> {
    let platform = Platform::load(platform, workload.ranks()).unwrap();
    let (model, _) = Model::resolve("flow:factors", platform.settings(), (100e-6, 125e6)).unwrap();
    let hosts = platform.host_count();
    let placement = (0..workload.ranks()).map(|rank| HostId(rank % hosts)).collect();
    replay_model(platform, model, placement, workload)
}

/// Runs a workload in a model. A nanosecond of computation counts as one.
pub fn replay_model(
    platform: Platform,
    model: Model,
    placement: Vec<HostId>,
    workload: &mut dyn Workload,
) -> Result<Ran, ReplayError> {
    let (platform, ranks) = (Arc::new(platform), placement.len());
    let (network, collective_times) = (model.network_on(&platform), model.collective_times(&platform));
    let cores = Cores::new(platform, &placement);
    let counted = Arc::new(AtomicU64::new(0));
    let setup = Setup {
        kernel: Kernel::new(network, Box::new(cores)),
        seconds_per_nano: vec![1e-9; ranks],
        host_cores: vec![1; ranks],
        rank_cores: vec![0; ranks],
        host_flops: vec![1e9; ranks],
        placement,
        jobs: Vec::new(),
        starts: Vec::new(),
        protocol: model.protocol,
        collectives: Choice::parse("").unwrap(),
        accelerators: None,
        collective_times,
        bursts: Bursts::Measured,
        storages: Default::default(),
        recorder: Box::new(Counting(Arc::clone(&counted))),
    };
    let mut engine = Engine::new(setup, NoMemory);
    let before = workload.share_done();
    let ending = run(&mut engine, workload, &mut Patient)?;
    check_share(before, workload.share_done());
    let ends = engine.ends().map(|end| end.as_secs_f64()).collect();
    let messages = counted.load(Ordering::Relaxed);
    Ok(Ran { ending, ends, messages })
}
