//! The jobs of a run: where their ranks are, and what they execute.
//!
//! In the run, the ranks of programs come first, in the order in which their jobs start, and those of traces after them.

use std::ffi::OsString;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mpirage_platform::{HostId, Platform, UNMEASURED_SPEED};
use mpirage_programs::ProgramRequest;
use mpirage_rank::Program;
use mpirage_scenario::{Placement, Slots};
use mpirage_trace::Workload;
use mpirage_units::{Time, counted};

use super::file::{CoreSharing, JobSpec, JobsFile, What};
use crate::failure::{Failure, bad_trace, usage};
use crate::limits::RankKind;
use crate::workload::{charged, measured_on};
use crate::{JobShape, Machine, MachineRequest, TraceJob, Traces, hosts, limits};

/// A job of the run.
pub struct Job {
    /// Its name.
    pub name: String,
    /// A description of the program, trace or workload that it executes.
    pub what: String,
    /// Its ranks in the run.
    pub ranks: Range<u32>,
    /// When it starts.
    pub start: Time,
    /// The program, if it is one.
    pub program: Option<Arc<Program>>,
    /// The trace, if it is one.
    pub trace: Option<Box<dyn Workload>>,
    /// Does its measured computation take time?
    pub charged: bool,
    /// Speed of the machine on which its computation was measured, in flops.
    pub speed: f64,
}

impl Job {
    /// The number of its ranks.
    pub fn size(&self) -> u32 {
        self.ranks.end - self.ranks.start
    }

    /// Its part of a simulation.
    pub fn shape(&self) -> JobShape {
        JobShape { size: self.size(), start: self.start, speed: self.charged.then_some(self.speed) }
    }

    /// The file of its report in this folder.
    pub fn report_file(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.html", self.name))
    }

    /// How its computation is charged, in words.
    pub fn describe_compute(&self) -> String {
        match self.charged {
            true => format!("measured on a machine of {:.2} Gf/s", self.speed / 1e9),
            false => "takes no time".to_owned(),
        }
    }
}

/// The user's request, apart from the jobs file.
#[derive(Clone, Debug, Default)]
pub struct JobsRequest {
    /// The machine; the file says on which of its hosts the jobs are.
    pub machine: MachineRequest,
    /// Does the measured computation of programs take time?
    pub measured: bool,
    /// The speed of this machine, as the user gives it.
    pub host_speed: Option<String>,
    /// The only job that is to run.
    pub only: Option<String>,
}

/// Everything a run of several jobs needs, checked.
pub struct JobsPlan {
    /// The jobs, in the order of their ranks.
    pub jobs: Vec<Job>,
    /// The machine with all ranks on it.
    pub machine: Machine,
    /// Does no measured computation take time?
    pub free: bool,
}

impl JobsPlan {
    /// Resolves the file and the options. With `--only`, one job stays, on its hosts.
    pub fn new(request: &JobsRequest, file: &JobsFile, speed: Option<f64>) -> Result<JobsPlan, Failure> {
        let mut jobs = file.jobs.iter().map(|spec| open(request, spec)).collect::<Result<Vec<_>, _>>()?;
        jobs.sort_by_key(|job| (job.program.is_none(), job.start));
        number(&mut jobs);
        let machine = machine(request, file, &jobs)?;
        let mut plan = JobsPlan { jobs, machine, free: false };
        plan.charge(request, speed)?;
        if let Some(name) = &request.only {
            plan.keep(name)?;
        }
        Ok(plan)
    }

    /// How many ranks are programs.
    pub fn program_ranks(&self) -> u32 {
        let programs = self.jobs.iter().filter(|job| job.program.is_some());
        programs.map(|job| job.ranks.end).max().unwrap_or(0)
    }

    /// The hosts of a job.
    pub fn hosts(&self, job: &Job) -> &[HostId] {
        &self.machine.placement.hosts[job.ranks.start as usize..job.ranks.end as usize]
    }

    /// One job, as a machine of its own.
    pub fn machine_of(&self, job: &Job) -> Machine {
        self.machine.with_ranks(&job.ranks.clone().collect::<Vec<u32>>())
    }

    /// Takes the traces out of the jobs.
    pub fn take_traces(&mut self) -> Traces {
        let taken = self.jobs.iter_mut().filter_map(|job| {
            let (ranks, shape) = (job.ranks.clone(), job.shape());
            Some(TraceJob { ranks, shape, workload: job.trace.take()? })
        });
        Traces::new(taken.collect())
    }

    fn keep(&mut self, name: &str) -> Result<(), Failure> {
        let Some(at) = self.jobs.iter().position(|job| job.name == name) else {
            let names: Vec<&str> = self.jobs.iter().map(|job| job.name.as_str()).collect();
            return Err(usage(format!(
                "--only {name}: there is no such job; there are {}",
                names.join(", ")
            )));
        };
        let job = self.jobs.swap_remove(at);
        let warnings = std::mem::take(&mut self.machine.warnings);
        self.machine = Machine { warnings, ..self.machine_of(&job) };
        self.jobs = vec![Job { start: Time::ZERO, ..job }];
        number(&mut self.jobs);
        Ok(())
    }

    /// Decides whose computation takes time, and how fast it was measured.
    fn charge(&mut self, request: &JobsRequest, speed: Option<f64>) -> Result<(), Failure> {
        let charge = |job: &Job| match &job.trace {
            None => Ok((request.measured, speed.unwrap_or(UNMEASURED_SPEED))),
            Some(trace) => {
                let charged = charged(None, trace.as_ref())?.bursts;
                // The option is about this machine; a trace that names its own has another.
                let host_speed =
                    request.host_speed.as_deref().filter(|_| trace.computation().measured_on.is_none());
                Ok((charged, measured_on(host_speed, trace.as_ref(), &self.machine_of(job))?))
            }
        };
        let charges: Vec<_> = self.jobs.iter().map(charge).collect::<Result<_, Failure>>()?;
        for (job, charge) in self.jobs.iter_mut().zip(charges) {
            (job.charged, job.speed) = charge;
        }
        self.free = self.jobs.iter().all(|job| !job.charged);
        Ok(())
    }
}

fn open(request: &JobsRequest, spec: &JobSpec) -> Result<Job, Failure> {
    let about = |failure: Failure| Failure {
        code: failure.code,
        error: failure.error.context(format!("job `{}`", spec.name)),
    };
    let (program, trace, ranks, what) = match &spec.what {
        What::Program { words, ranks, .. } => {
            limits::check_ranks(&format!("job `{}`", spec.name), (*ranks).into(), RankKind::Process)?;
            (Some(program(spec).map_err(about)?), None, *ranks, words.join(" "))
        }
        What::Trace(name) => {
            let trace = mpirage_trace::open(name).map_err(bad_trace).map_err(about)?;
            if trace.is_graph() {
                return Err(about(usage(format!(
                    "{name}: graphs (GOAL schedules, Chakra traces) cannot run beside other jobs yet"
                ))));
            }
            if !trace.threads().is_empty() {
                let problem = "traces of ranks with several threads cannot run beside other jobs yet";
                return Err(about(usage(format!("{name}: {problem}"))));
            }
            limits::check_ranks(name, trace.ranks().into(), RankKind::Replayed)?;
            let ranks = trace.ranks();
            (None, Some(trace), ranks, name.clone())
        }
    };
    if request.machine.on_cores.is_some() {
        return Err(usage("--on-cores: ranks of jobs are not virtual processors yet; leave it out"));
    }
    Ok(Job {
        name: spec.name.clone(),
        what,
        ranks: 0..ranks,
        start: Time::ZERO + spec.start,
        program,
        trace,
        charged: true,
        speed: 1.0,
    })
}

/// The program of a job, found as `mpirage run` finds it.
fn program(spec: &JobSpec) -> Result<Arc<Program>, Failure> {
    let What::Program { words, folder, environment, .. } = &spec.what else {
        unreachable!("a trace has no program")
    };
    let words: Vec<OsString> = words.iter().map(OsString::from).collect();
    let request = ProgramRequest {
        words: &words,
        folder: Some(folder.into()),
        environment: environment.iter().map(|(name, value)| (name.into(), value.into())).collect(),
        interface: "auto",
        smallest_shared: 0,
    };
    Ok(Arc::new(request.resolve()?))
}

/// Numbers the ranks of the run, job by job.
fn number(jobs: &mut [Job]) {
    let mut first = 0;
    for job in jobs {
        job.ranks = first..first + job.size();
        first = job.ranks.end;
    }
}

/// The machine with all jobs on it.
fn machine(request: &JobsRequest, file: &JobsFile, jobs: &[Job]) -> Result<Machine, Failure> {
    let wanted = &request.machine;
    if !wanted.host.is_empty() || wanted.hostfile.is_some() || wanted.ppn.is_some() {
        return Err(usage("-H, --hostfile and --ppn: the hosts of jobs are in their file (hosts, ppn)"));
    }
    let ranks = jobs.last().map_or(0, |job| job.ranks.end);
    let mut machine = Machine::placed(wanted, ranks, |platform, _| place(request, platform, file, jobs))?;
    match file.sharing {
        CoreSharing::Own => refuse_shared_cores(&machine, jobs)?,
        CoreSharing::Fair => {}
        CoreSharing::RoundRobin(_) if machine.governor.is_some() => {
            return Err(usage(
                "--governor: cores = \"round-robin\" has no governor yet; use cores = \"fair\"",
            ));
        }
        CoreSharing::RoundRobin(quantum) => machine.quantum = Some(quantum),
    }
    Ok(machine)
}

/// Places the jobs, in the order of the file: on the hosts that they name, or on the next ones that no job uses.
fn place(
    request: &JobsRequest,
    platform: &Platform,
    file: &JobsFile,
    jobs: &[Job],
) -> Result<Placement, Failure> {
    let ranks = jobs.last().map_or(0, |job| job.ranks.end);
    let mut hosts = vec![HostId(0); ranks as usize];
    let mut used = vec![false; platform.host_count() as usize];
    let about = |name: &str, failure: Failure| Failure {
        code: failure.code,
        error: failure.error.context(format!("job `{name}`")),
    };
    let listed: Vec<Vec<Slots>> = file
        .jobs
        .iter()
        .map(|spec| listed_hosts(platform, &spec.hosts).map_err(|problem| about(&spec.name, usage(problem))))
        .collect::<Result<_, _>>()?;
    // Hosts with names are taken first.
    for slots in listed.iter().flatten() {
        if let Some(host) = platform.find_host(&slots.host) {
            used[host.0 as usize] = true;
        }
    }
    for (spec, listed) in file.jobs.iter().zip(listed) {
        let job = jobs.iter().find(|job| job.name == spec.name).expect("each job was opened");
        let listed = match spec.hosts.is_empty() {
            true => free_hosts(platform, &used, job, spec.ppn).map_err(usage)?,
            false => listed,
        };
        let placed = hosts::place_on(&request.machine, platform, job.size(), &listed, spec.ppn);
        let placed = placed.map_err(|failure| about(&spec.name, failure))?;
        for (at, host) in placed.hosts.iter().enumerate() {
            hosts[job.ranks.start as usize + at] = *host;
            used[host.0 as usize] = true;
        }
    }
    Ok(Placement::of(platform, hosts))
}

/// The next hosts that no job uses, as many as a job needs.
fn free_hosts(platform: &Platform, used: &[bool], job: &Job, ppn: Option<u32>) -> Result<Vec<Slots>, String> {
    let (mut slots, mut room) = (Vec::new(), 0u64);
    for host in (0..platform.host_count()).map(HostId).filter(|host| !used[host.0 as usize]) {
        let cores = ppn.unwrap_or(platform.host(host).cores);
        slots.push(Slots { host: platform.host(host).name(), slots: Some(cores) });
        room += u64::from(cores);
        if room >= job.size().into() {
            return Ok(slots);
        }
    }
    Err(format!(
        "job `{}`: {} cannot be placed on the {} that other jobs leave; take a larger platform, or name `hosts` that jobs share",
        job.name,
        counted(job.size(), "rank"),
        counted(slots.len(), "host")
    ))
}

/// Hosts as a file names them: `NAME`, `NAME:SLOTS`, or numbers of hosts, `4` or `0-15`.
fn listed_hosts(platform: &Platform, words: &[String]) -> Result<Vec<Slots>, String> {
    let mut listed = Vec::new();
    for word in words {
        let Some((first, last)) = host_numbers(word) else {
            listed.push(hosts::parse_slots(word)?);
            continue;
        };
        if first > last || last >= platform.host_count() {
            return Err(format!("hosts {word}: the platform has hosts 0 to {}", platform.host_count() - 1));
        }
        let slots = |host| {
            let host = platform.host(HostId(host));
            Slots { host: host.name(), slots: Some(host.cores) }
        };
        listed.extend((first..=last).map(slots));
    }
    Ok(listed)
}

/// A number, or a range of numbers.
fn host_numbers(word: &str) -> Option<(u32, u32)> {
    let (first, last) = word.split_once('-').unwrap_or((word, word));
    Some((first.parse().ok()?, last.parse().ok()?))
}

/// Refuses a host with more ranks than cores.
fn refuse_shared_cores(machine: &Machine, jobs: &[Job]) -> Result<(), Failure> {
    let mut ranks: Vec<(HostId, u32)> = machine.placement.hosts.iter().copied().zip(0..).collect();
    ranks.sort_unstable();
    for same in ranks.chunk_by(|a, b| a.0 == b.0) {
        let host = machine.platform.host(same[0].0);
        if same.len() as u32 > host.cores {
            let on_host = |job: &&Job| same.iter().any(|(_, rank)| job.ranks.contains(rank));
            let names: Vec<&str> = jobs.iter().filter(on_host).map(|job| job.name.as_str()).collect();
            return Err(usage(format!(
                "{} has {} for {} of {}: say how they share cores with cores = \"fair\" or cores = \"round-robin\" in \
                 the file, or give jobs other hosts",
                host.name(),
                counted(host.cores, "core"),
                counted(same.len(), "rank"),
                names.join(", ")
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_of_hosts() {
        assert_eq!(host_numbers("3"), Some((3, 3)));
        assert_eq!(host_numbers("0-15"), Some((0, 15)));
        assert_eq!(host_numbers("node-3"), None);
        assert_eq!(host_numbers("3:2"), None);
        let platform = Platform::load("cluster:4", 4).unwrap();
        let listed = listed_hosts(&platform, &["1-2".to_owned(), "node-0:3".to_owned()]).unwrap();
        assert_eq!(listed.iter().map(|slots| slots.slots).collect::<Vec<_>>(), [Some(1), Some(1), Some(3)]);
        assert!(listed_hosts(&platform, &["2-4".to_owned()]).unwrap_err().contains("hosts 0 to 3"));
    }
}
