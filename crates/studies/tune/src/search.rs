//! Simulates points with all their methods, on several cores, and finds the best.
//!
//! There are two rounds. The first simulates each algorithm with its default parameters, and the method of the base choice. The
//! second tries other parameters of the algorithms that came near to the best one ([`Search::near`]); the others are counted as
//! skipped. Methods that lead to the same schedules are simulated once.

use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use mpirage_call::Method;
use mpirage_collectives::{Choice, Nodes};
use mpirage_mpi::nodes_of;
use mpirage_simulation::Machine;
use mpirage_units::Duration;

use crate::Point;
use crate::methods::{self, Candidates, Seen};
use crate::simulate::{self, TuneError};

/// A search: what is compared, and how.
#[derive(Clone, Debug)]
pub struct Search {
    /// The calls.
    pub points: Vec<Point>,
    /// The methods to compare.
    pub candidates: Candidates,
    /// The users' choice without tuning.
    pub base: Choice,
    /// Calls in a row; their mean counts.
    pub repeat: u32,
    /// Other parameters are tried of algorithms that are at most this many times slower than the best one with default
    /// parameters; infinite to try all.
    pub near: f64,
    /// Simulations at a time.
    pub cores: NonZero<usize>,
}

/// A method and its time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timed {
    /// The method.
    pub method: Method,
    /// The simulated time.
    pub time: Duration,
}

/// The result of one point.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The call.
    pub point: Point,
    /// The smallest size that this row stands for.
    pub from: u64,
    /// The fastest method.
    pub best: Timed,
    /// The method of the base choice.
    pub base: Timed,
    /// All methods that were compared, in the order of the candidates.
    pub all: Vec<Timed>,
    /// Methods that were not simulated, because their algorithm is far from the best.
    pub skipped: usize,
}

impl Row {
    /// How much longer the base takes than the best: 0.25 means 25 % more.
    pub fn loss(&self) -> f64 {
        let (base, best) = (self.base.time.as_picos() as f64, self.best.time.as_picos() as f64);
        if best > 0.0 { base / best - 1.0 } else { 0.0 }
    }
}

/// How far a round of a search is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Simulations that have ended.
    pub done: usize,
    /// All simulations of the round.
    pub all: usize,
}

/// Sees how far a search is, and can stop it.
pub trait Observer: Sync {
    /// A simulation has ended. True to stop.
    fn progress(&self, progress: Progress) -> bool;
}

/// One simulation.
struct Job {
    point: usize,
    method: Method,
}

impl Search {
    /// Simulates everything. Rows come in the order of the points.
    pub fn run(&self, machine: &Machine, observer: &dyn Observer) -> Result<Vec<Row>, TuneError> {
        if machine.model.collective_times(&machine.platform).is_some() {
            return Err(TuneError::Formula);
        }
        let table = |point: &Point| Table::new(self, point, nodes(machine, &point.members));
        let mut tables: Vec<Table> = self.points.iter().map(table).collect();
        self.round(&mut tables, machine, observer)?;
        let near = self.near;
        tables.iter_mut().for_each(|table| table.add_variants(&self.candidates, near));
        self.round(&mut tables, machine, observer)?;
        Ok(tables.into_iter().map(Table::into_row).collect())
    }

    /// Simulates the methods of all tables that have no time yet.
    fn round(
        &self,
        tables: &mut [Table],
        machine: &Machine,
        observer: &dyn Observer,
    ) -> Result<(), TuneError> {
        let jobs: Vec<Job> = tables.iter().enumerate().flat_map(|(at, table)| table.jobs(at)).collect();
        let work = |job: &Job| {
            let point = &self.points[job.point];
            let choice = methods::choose(&self.base, point.collective, job.method);
            simulate::time(machine, point, choice, self.repeat).map_err(|ending| TuneError::DoesNotEnd {
                collective: point.collective,
                method: job.method.to_string(),
                ranks: point.ranks(),
                bytes: point.bytes,
                ending,
            })
        };
        let times = in_parallel(&jobs, self.cores, &work, observer).ok_or(TuneError::Stopped)?;
        for (job, time) in jobs.iter().zip(times) {
            tables[job.point].set(job.method, time?);
        }
        Ok(())
    }
}

/// Groups these ranks of a machine by the node that they share.
fn nodes(machine: &Machine, members: &[u32]) -> Nodes {
    let hosts = members.iter().map(|&rank| machine.placement.hosts[rank as usize]);
    nodes_of(hosts, machine.platform.accelerators())
}

/// The methods of one point.
struct Table {
    point: Point,
    seen: Seen,
    base: Method,
    /// The base method first, then methods in the order of candidates. Those with equal schedules share a fingerprint.
    entries: Vec<Entry>,
    skipped: usize,
}

struct Entry {
    method: Method,
    fingerprint: u128,
    time: Option<Duration>,
}

impl Table {
    /// The base method, and each algorithm with its defaults.
    fn new(search: &Search, point: &Point, nodes: Nodes) -> Table {
        let seen = Seen::new(point, nodes);
        let shape = seen.shape(point);
        let base = search.base.method(point.collective, &shape);
        let candidates = search.candidates.defaults(point.collective, &shape);
        let mut table = Table { point: point.clone(), seen, base, entries: Vec::new(), skipped: 0 };
        table.add(base);
        candidates.into_iter().for_each(|method| table.add(method));
        table
    }

    fn fingerprint(&self, method: Method) -> u128 {
        methods::fingerprint(self.point.collective, method, &self.seen.shape(&self.point))
    }

    fn add(&mut self, method: Method) {
        if self.entries.iter().all(|entry| entry.method != method) {
            self.entries.push(Entry { method, fingerprint: self.fingerprint(method), time: None });
        }
    }

    /// One job for each fingerprint without a time.
    fn jobs(&self, point: usize) -> Vec<Job> {
        let mut seen: Vec<u128> = Vec::new();
        let mut jobs = Vec::new();
        for entry in &self.entries {
            if entry.time.is_none() && !seen.contains(&entry.fingerprint) {
                seen.push(entry.fingerprint);
                jobs.push(Job { point, method: entry.method });
            }
        }
        jobs
    }

    /// The time of a method, and of all with the same schedules.
    fn set(&mut self, method: Method, time: Duration) {
        let named = self.entries.iter().find(|entry| entry.method == method);
        let Some(fingerprint) = named.map(|entry| entry.fingerprint) else { return };
        let same = self.entries.iter_mut().filter(|entry| entry.fingerprint == fingerprint);
        same.for_each(|entry| entry.time = Some(time));
    }

    /// Adds methods with other parameters, of algorithms that are near the best. Those with schedules that are there already
    /// add nothing.
    fn add_variants(&mut self, candidates: &Candidates, near: f64) {
        let Some(best) = self.entries.iter().filter_map(|entry| entry.time).min() else { return };
        let limit = best.as_secs_f64() * near;
        let is_near = |entry: &&Entry| entry.time.is_some_and(|time| time.as_secs_f64() <= limit);
        let algorithm = |entry: &Entry| entry.method.algorithm;
        let near: Vec<_> = self.entries.iter().filter(is_near).map(algorithm).collect();
        let tried: Vec<_> = self.entries.iter().map(algorithm).collect();
        for method in candidates.variants(self.point.collective, &self.seen.shape(&self.point)) {
            // An algorithm whose defaults are not allowed may be fast with other parameters.
            if tried.contains(&method.algorithm) && !near.contains(&method.algorithm) {
                self.skipped += 1;
                continue;
            }
            let fingerprint = self.fingerprint(method);
            if self.entries.iter().all(|entry| entry.fingerprint != fingerprint) {
                self.entries.push(Entry { method, fingerprint, time: None });
            }
        }
    }

    /// The fastest method; of several, the base method if it is one of them, else the first.
    fn into_row(self) -> Row {
        let timed = |entry: &Entry| Timed { method: entry.method, time: entry.time.unwrap_or(Duration::MAX) };
        let all: Vec<Timed> = self.entries.iter().map(timed).collect();
        let base = all.iter().find(|one| one.method == self.base).copied();
        let base = base.unwrap_or(Timed { method: self.base, time: Duration::MAX });
        let best =
            all.iter().min_by_key(|one| (one.time, one.method != base.method)).copied().unwrap_or(base);
        Row { from: self.point.bytes, point: self.point, best, base, all, skipped: self.skipped }
    }
}

/// Does all jobs, several at a time; results are in the order of the jobs. None if the observer wants to stop.
fn in_parallel<T: Sync, R: Send>(
    jobs: &[T],
    cores: NonZero<usize>,
    work: &(dyn Fn(&T) -> R + Sync),
    observer: &dyn Observer,
) -> Option<Vec<R>> {
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let stopped = AtomicBool::new(false);
    let results = Mutex::new(Vec::with_capacity(jobs.len()));
    let worker = || {
        while !stopped.load(Ordering::Relaxed) {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(at) else { break };
            let result = work(job);
            results.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push((at, result));
            let ended = done.fetch_add(1, Ordering::Relaxed) + 1;
            if observer.progress(Progress { done: ended, all: jobs.len() }) {
                stopped.store(true, Ordering::Relaxed);
            }
        }
    };
    std::thread::scope(|scope| {
        (1..cores.get().min(jobs.len())).for_each(|_| drop(scope.spawn(worker)));
        worker();
    });
    if stopped.into_inner() {
        return None;
    }
    let mut results = results.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    results.sort_unstable_by_key(|&(at, _)| at);
    Some(results.into_iter().map(|(_, result)| result).collect())
}
