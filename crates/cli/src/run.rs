//! `mpirage run`.

use std::cell::RefCell;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use clap::Parser;
use mpirage_channel::Briefing;
use mpirage_collectives::Choice;
use mpirage_kernel::Kernel;
use mpirage_models::{Cores, FlowNetwork};
use mpirage_mpi::{Bursts, Costs, Engine, Setup};
use mpirage_platform::{HostId, Platform};
use mpirage_rank::{DataPlane, Outcome, Processes, Program, Session, SessionError};
use mpirage_record::{Record, Recorder, Summary};
use mpirage_scenario::{Mapping, Model, ModelError, Placement, Slots};
use mpirage_units::parse_speed;

use crate::arguments::RunArguments;
use crate::costs::Recording;
use crate::diagnosis::Diagnosis;
use crate::exit::{self, Failure, usage};
use crate::progress::Progress;
use crate::summary::Figures;
use crate::{costs, host_speed, launcher, output};

/// Messages up to this many bytes travel inside calls, which spares system calls and costs one copy.
const INLINE_BYTES: u64 = 4096;
/// What the program's calendar says when a run starts: 2000-01-01, so that runs can be repeated.
const EPOCH: u64 = 946_684_800;

/// Parses what follows `run` and does it.
pub fn command(typed: &[OsString]) -> Result<u8, Failure> {
    let mut jobs = Vec::new();
    for words in launcher::translate(typed) {
        match RunArguments::try_parse_from(&words) {
            Ok(arguments) => jobs.push(arguments),
            Err(error) => return exit::from_clap(&error),
        }
    }
    let plan = Plan::new(jobs)?;
    plan.run()
}

/// Where computation times come from, as typed.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Compute {
    Measured,
    None,
    Recorded(PathBuf),
}

/// Everything a run needs, checked.
struct Plan {
    arguments: RunArguments,
    programs: Vec<Arc<Program>>,
    platform: Arc<Platform>,
    /// The machine as the user named it.
    platform_spec: String,
    model: Model,
    collectives: Choice,
    placement: Placement,
    compute: Compute,
    host_speed: f64,
    /// What an earlier run recorded, if this one is to reuse it.
    recording: Option<Recording>,
    data_plane: DataPlane,
    simulated_clock: bool,
    warnings: Vec<String>,
}

impl Plan {
    fn new(jobs: Vec<RunArguments>) -> Result<Plan, Failure> {
        let programs = programs(&jobs)?;
        let arguments = jobs.into_iter().next().ok_or_else(|| usage("no program given"))?;
        refuse_what_is_not_there(&arguments)?;
        let ranks = programs.len() as u32;
        let spec = arguments.platform.clone().unwrap_or_else(|| format!("cluster:{ranks}"));
        let platform = Platform::load(&spec, ranks).map_err(exit::bad_platform)?;
        let (mut model, mut warnings) = resolve_model(&arguments.model, &platform)?;
        let compute = parse_compute(&arguments.compute)?;
        if compute == Compute::None {
            model.without_computation();
        }
        let recording = match &compute {
            Compute::Recorded(file) if file.exists() => Some(costs::read(file, programs.len())?),
            _ => None,
        };
        let placement = place(&arguments, &platform, ranks)?;
        if placement.oversubscribed {
            warnings.push(
                "some hosts have more ranks than cores: their computation is shared out evenly".to_owned(),
            );
        }
        warnings
            .extend(arguments.mca.chunks(2).map(|mca| format!("--mca {} means nothing here", mca.join(" "))));
        Ok(Plan {
            collectives: Choice::parse(&arguments.coll).map_err(usage)?,
            host_speed: speed_of_this_machine(&arguments, &compute, recording.as_ref())?,
            recording,
            data_plane: parse_data_plane(&arguments.data_plane)?,
            simulated_clock: parse_clock(&arguments.clock)?,
            platform: Arc::new(platform),
            platform_spec: spec,
            arguments,
            programs,
            model,
            placement,
            compute,
            warnings,
        })
    }

    fn run(mut self) -> Result<u8, Failure> {
        let started = Instant::now();
        let bursts = self.bursts();
        let summary = Rc::new(RefCell::new(Summary::default()));
        let mut engine = self.engine(bursts, Rc::clone(&summary))?;
        let session = self.session();
        pin_to_one_core();
        let mut progress = Progress::new(self.programs.len(), self.arguments.quiet);
        let outcome = session.run(&mut engine, &mut progress);
        progress.finish();
        let outcome = match outcome {
            Ok(outcome) => outcome,
            // Whoever read our output has seen enough.
            Err(SessionError::Output(error)) if error.kind() == ErrorKind::BrokenPipe => {
                return Ok(exit::BROKEN_PIPE);
            }
            Err(error) => return Err(session_failure(error)),
        };
        self.explain(&mut engine, &outcome);
        let figures = self.figures(&engine, &outcome, &summary.borrow(), started.elapsed());
        self.save_costs(&engine)?;
        // The ranks end with the engine; their use of memory and processor is known then.
        drop(engine);
        self.show(figures.with_usage())?;
        Ok(exit_code(&outcome))
    }

    fn engine(&self, bursts: Bursts, summary: Rc<RefCell<Summary>>) -> Result<Engine<Processes>, Failure> {
        let ranks = self.programs.len();
        let hosts = &self.placement.hosts;
        let network = FlowNetwork::new(Arc::clone(&self.platform), self.model.flow.clone());
        let cores = Cores::new(Arc::clone(&self.platform), hosts);
        let ratio = |host: &HostId| self.host_speed / self.platform.host(*host).speed;
        let ratios: Vec<f64> = hosts.iter().map(ratio).collect();
        let uniform = ratios.windows(2).all(|pair| pair[0] == pair[1]);
        let briefing = Briefing {
            size: ranks as u32,
            eager_limit: self.model.protocol.eager_limit,
            inline_bytes: INLINE_BYTES,
            measure: bursts.measures(),
            simulated_clock: self.simulated_clock,
            // A recording counts calls, so a clock that is read must be asked for in both runs.
            local_clock: uniform
                && !cores.is_oversubscribed()
                && matches!(bursts, Bursts::None | Bursts::Measured),
            speed_ratio: ratios.first().copied().unwrap_or(1.0),
            clock_cost: self.model.protocol.clock_cost.as_picos(),
            epoch: EPOCH,
            simulator: std::process::id(),
        };
        let processes =
            Processes::new(ranks, &briefing, self.data_plane).context("cannot make the mailboxes")?;
        let setup = Setup {
            kernel: Kernel::new(Box::new(network), Box::new(cores)),
            placement: hosts.clone(),
            seconds_per_nano: ratios.iter().map(|ratio| ratio * 1e-9).collect(),
            protocol: self.model.protocol.clone(),
            collectives: self.collectives.clone(),
            bursts,
            recorder: Box::new(Shared(summary)),
        };
        Ok(Engine::new(setup, processes))
    }

    fn session(&self) -> Session {
        let hosts = self.placement.hosts.iter().zip(self.placement.local_ranks());
        Session {
            programs: self.programs.clone(),
            hosts: hosts
                .map(|(&host, (local, locals))| (self.platform.host(host).name(), local, locals))
                .collect(),
            rank_timeout: self.arguments.rank_timeout.map(Duration::from_secs_f64),
        }
    }

    fn bursts(&mut self) -> Bursts {
        let ranks = self.programs.len();
        match (&self.compute, self.recording.take()) {
            (Compute::None, _) => Bursts::None,
            (Compute::Measured, _) => Bursts::Measured,
            (Compute::Recorded(_), Some(recording)) => Bursts::Recorded(recording.costs, vec![0; ranks]),
            (Compute::Recorded(_), None) => Bursts::Recording(Costs { by_rank: vec![Vec::new(); ranks] }),
        }
    }

    fn save_costs(&self, engine: &Engine<Processes>) -> Result<(), Failure> {
        if let (Compute::Recorded(file), Bursts::Recording(recorded)) = (&self.compute, engine.bursts()) {
            costs::write(file, self.host_speed, recorded)?;
        }
        Ok(())
    }

    fn explain(&mut self, engine: &mut Engine<Processes>, outcome: &Outcome) {
        let finished = matches!(outcome, Outcome::Finished { .. });
        if engine.memory().data_plane() != self.data_plane {
            self.warnings.push(
                "this machine forbids copies between processes: bytes went through mailboxes".to_owned(),
            );
        }
        let mut diagnosis = Diagnosis::new(engine, self.programs.len() as u32);
        if let Some(text) = diagnosis.explain(outcome) {
            eprintln!("mpirage: {text}");
        }
        if finished {
            for leftover in diagnosis.leftovers() {
                eprintln!("mpirage: at the end of the run, {leftover}");
            }
        }
    }

    fn figures(
        &self,
        engine: &Engine<Processes>,
        outcome: &Outcome,
        summary: &Summary,
        wall: Duration,
    ) -> Figures {
        let ends: Vec<f64> = engine.ends().map(|end| end.as_secs_f64()).collect();
        let finished = matches!(outcome, Outcome::Finished { .. });
        let last = ends.iter().copied().fold(0.0, f64::max);
        Figures {
            outcome: outcome_name(outcome).to_owned(),
            simulated_seconds: if finished { last } else { engine.now().as_secs_f64() },
            wall_seconds: wall.as_secs_f64(),
            cpu_seconds: 0.0,
            ranks: self.programs.len(),
            messages: summary.messages,
            bytes: summary.bytes,
            calls: summary.calls,
            switches: engine.switches(),
            peak_rss_bytes: 0,
            largest_rank_rss_bytes: 0,
            per_rank_seconds: ends,
            model: self.model.name.clone(),
            platform: self.platform_spec.clone(),
            ranks_as: "processes".to_owned(),
            compute: self.describe_compute(),
            host_speed_flops: (self.compute != Compute::None).then_some(self.host_speed),
            warnings: self.warnings.clone(),
        }
    }

    fn describe_compute(&self) -> String {
        let speed = format!("on this machine, {:.2} Gf/s", self.host_speed / 1e9);
        match &self.compute {
            Compute::None => "takes no time".to_owned(),
            Compute::Measured => format!("measured {speed}"),
            Compute::Recorded(file) => format!("recorded in {}, {speed}", file.display()),
        }
    }

    fn show(&self, figures: Figures) -> Result<(), Failure> {
        if !self.arguments.quiet {
            figures.print();
        }
        if self.arguments.json {
            let json = serde_json::to_string(&figures).context("cannot write JSON")?;
            output::line(format_args!("{json}"));
        }
        Ok(())
    }
}

/// Counts are wanted after the run, so the recorder and the summary share them.
struct Shared(Rc<RefCell<Summary>>);

impl Recorder for Shared {
    fn record(&mut self, record: &Record) {
        self.0.borrow_mut().record(record);
    }
}

fn refuse_what_is_not_there(arguments: &RunArguments) -> Result<(), Failure> {
    let missing = [
        (arguments.ranks_as == "folded", "--ranks-as folded"),
        (!arguments.trace.is_empty(), "--trace"),
        (arguments.report.is_some(), "--report"),
        (arguments.mpi_profile.is_some(), "--mpi-profile"),
    ];
    if let Some((_, what)) = missing.iter().find(|(asked, _)| *asked) {
        return Err(usage(format!("{what} is not there yet; docs/roadmap.md says what is planned")));
    }
    match arguments.ranks_as.as_str() {
        "auto" | "processes" => Ok(()),
        other => Err(usage(format!("--ranks-as {other}: it can be auto, processes or folded"))),
    }
}

fn programs(jobs: &[RunArguments]) -> Result<Vec<Arc<Program>>, Failure> {
    let mut programs = Vec::new();
    for job in jobs {
        let (path, arguments) = job.program.split_first().ok_or_else(|| usage("no program given"))?;
        if path.to_str().is_some_and(|word| word.starts_with('-')) {
            return Err(usage(format!("unknown option {}; `mpirage run --help` lists them", path.display())));
        }
        let path = find_program(Path::new(path), job.wdir.as_deref())?;
        let environment = environment(job)?;
        let program =
            Arc::new(Program { path, arguments: arguments.to_vec(), environment, folder: job.wdir.clone() });
        let ranks = job.n.unwrap_or(1);
        programs.extend((0..ranks).map(|_| Arc::clone(&program)));
    }
    if programs.is_empty() {
        return Err(usage("-n 0: there must be at least one rank"));
    }
    Ok(programs)
}

/// A name with a slash is a path; a bare name is looked for here first, then as the shell does.
fn find_program(name: &Path, folder: Option<&Path>) -> Result<PathBuf, Failure> {
    let missing = || usage(format!("there is no program {}", name.display()));
    if name.components().count() > 1 {
        let path = folder.map_or_else(|| name.to_owned(), |folder| folder.join(name));
        return std::fs::canonicalize(path).map_err(|_| missing());
    }
    if let Ok(path) = std::fs::canonicalize(name)
        && path.is_file()
    {
        return Ok(path);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
        .ok_or_else(missing)
}

fn environment(job: &RunArguments) -> Result<Vec<(OsString, OsString)>, Failure> {
    let mut variables = Vec::new();
    for export in &job.export {
        match export.split_once('=') {
            Some((name, value)) => variables.push((name.into(), value.into())),
            None => match std::env::var_os(export) {
                Some(value) => variables.push((export.into(), value)),
                None => {
                    return Err(usage(format!(
                        "-x {export}: there is no such variable; -x {export}=VALUE gives it one"
                    )));
                }
            },
        }
    }
    variables.extend(job.env.chunks(2).map(|pair| (pair[0].clone().into(), pair[1].clone().into())));
    Ok(variables)
}

/// The model, fitted where it must be on the route between the first two hosts.
pub fn resolve_model(name: &str, platform: &Platform) -> Result<(Model, Vec<String>), Failure> {
    let mut links = Vec::new();
    let other = HostId(u32::from(platform.host_count() > 1));
    let latency = platform.route(HostId(0), other, &mut links);
    let bandwidth = links.iter().map(|&link| platform.link(link).bandwidth).fold(f64::INFINITY, f64::min);
    let sample = if links.is_empty() { (1e-6, 1e9) } else { (latency, bandwidth) };
    Model::resolve(name, platform.settings(), sample).map_err(|error| match error {
        ModelError::Name(_) => usage(error),
        ModelError::Setting(_) => exit::bad_platform(error),
    })
}

fn place(arguments: &RunArguments, platform: &Platform, ranks: u32) -> Result<Placement, Failure> {
    let mapping = match arguments.map_by.split(':').next().unwrap_or_default() {
        "slot" | "core" | "socket" | "hwthread" | "numa" | "package" => Mapping::BySlot,
        "node" => Mapping::ByNode,
        other => return Err(usage(format!("--map-by {other}: it can be slot, core or node"))),
    };
    let mut listed = Vec::new();
    for host in &arguments.host {
        listed.push(parse_slots(host).map_err(usage)?);
    }
    if let Some(file) = &arguments.hostfile {
        listed.extend(read_hostfile(file)?);
    }
    Placement::new(platform, ranks, &listed, arguments.ppn, mapping).map_err(usage)
}

fn parse_slots(text: &str) -> Result<Slots, String> {
    match text.rsplit_once(':') {
        Some((host, slots)) => {
            let slots = slots.parse().map_err(|_| format!("{text}: `{slots}` is not a number of slots"))?;
            Ok(Slots { host: host.to_owned(), slots: Some(slots) })
        }
        None => Ok(Slots { host: text.to_owned(), slots: None }),
    }
}

fn read_hostfile(file: &Path) -> Result<Vec<Slots>, Failure> {
    let name = file.display();
    let text =
        std::fs::read_to_string(file).map_err(|error| usage(format!("cannot read {name}: {error}")))?;
    let mut hosts = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        let mut words = line.split_ascii_whitespace();
        let Some(host) = words.next() else { continue };
        let bad = |problem: String| usage(format!("{name}:{}: {problem}", number + 1));
        let mut slots = parse_slots(host).map_err(bad)?;
        for word in words {
            let count = word.strip_prefix("slots=").and_then(|count| count.parse().ok());
            slots.slots = Some(count.ok_or_else(|| bad(format!("`{word}` is not of the form slots=N")))?);
        }
        hosts.push(slots);
    }
    Ok(hosts)
}

fn parse_compute(text: &str) -> Result<Compute, Failure> {
    match text.split_once(':') {
        None if text == "measured" => Ok(Compute::Measured),
        None if text == "none" => Ok(Compute::None),
        Some(("recorded", file)) if !file.is_empty() => Ok(Compute::Recorded(file.into())),
        _ => Err(usage(format!("--compute {text}: it can be measured, none or recorded:FILE"))),
    }
}

fn parse_clock(text: &str) -> Result<bool, Failure> {
    match text {
        "simulated" => Ok(true),
        "real" => Ok(false),
        _ => Err(usage(format!("--clock {text}: it can be simulated or real"))),
    }
}

fn parse_data_plane(text: &str) -> Result<DataPlane, Failure> {
    match text {
        "direct" => Ok(DataPlane::Direct),
        "mailbox" => Ok(DataPlane::Mailbox),
        _ => Err(usage(format!("--data-plane {text}: it can be direct or mailbox"))),
    }
}

/// As typed, as recorded together with the costs, or measured.
fn speed_of_this_machine(
    arguments: &RunArguments,
    compute: &Compute,
    recording: Option<&Recording>,
) -> Result<f64, Failure> {
    match (&arguments.host_speed, recording, compute) {
        (Some(text), _, _) => parse_speed(text).map_err(usage),
        (None, Some(recording), _) => Ok(recording.host_speed),
        (None, None, Compute::None) => Ok(1.0),
        (None, None, _) => Ok(host_speed::measure()),
    }
}

/// Simulator and ranks take turns: on one core a switch costs a tenth of what it costs across cores.
fn pin_to_one_core() {
    use rustix::thread::{CpuSet, sched_getcpu, sched_setaffinity};
    let mut here = CpuSet::new();
    here.set(sched_getcpu());
    // If it is forbidden, the run is only slower.
    let _ = sched_setaffinity(None, &here);
}

fn session_failure(error: SessionError) -> Failure {
    let code = match &error {
        SessionError::Interrupted(signal) => 128 + *signal as u8,
        _ => exit::USAGE,
    };
    Failure { code, error: anyhow!(error) }
}

fn outcome_name(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Finished { .. } => "finished",
        Outcome::Deadlock => "deadlock",
        Outcome::Aborted { .. } => "aborted",
        Outcome::Misuse { .. } => "misuse",
        Outcome::RankDied { .. } => "rank-died",
        Outcome::RankHangs { .. } => "rank-hangs",
    }
}

/// The program's own code where it has one; ours where it has none.
fn exit_code(outcome: &Outcome) -> u8 {
    match outcome {
        Outcome::Finished { code } => *code as u8,
        Outcome::Deadlock => exit::DEADLOCK,
        Outcome::Misuse { .. } | Outcome::RankHangs { .. } => exit::MISUSE,
        Outcome::Aborted { code, .. } => nonzero(*code as u8, 1),
        Outcome::RankDied { death, .. } => nonzero(death.code() as u8, exit::MISUSE),
    }
}

fn nonzero(code: u8, otherwise: u8) -> u8 {
    if code == 0 { otherwise } else { code }
}
