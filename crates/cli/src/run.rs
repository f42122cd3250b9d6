//! `mpirage run`.

use std::cell::RefCell;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::num::NonZero;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use clap::Parser;
use mpirage_channel::Briefing;
use mpirage_kernel::Kernel;
use mpirage_models::Cores;
use mpirage_mpi::{Bursts, Costs, Engine, Setup};
use mpirage_platform::HostId;
use mpirage_rank::{Folded, Outcome, Processes, Ranks, Session, SessionError};
use mpirage_record::{Record, Recorder, Summary};

use crate::arguments::RunArguments;
use crate::diagnosis::Diagnosis;
use crate::exit::{self, Failure};
use crate::install::{self, Install};
use crate::plan::{Compute, Plan};
use crate::progress::Progress;
use crate::summary::Figures;
use crate::{costs, launcher, output};

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

impl Plan {
    fn run(mut self) -> Result<u8, Failure> {
        let started = Instant::now();
        let bursts = self.bursts();
        let summary = Rc::new(RefCell::new(Summary::default()));
        let mut engine = self.engine(bursts, Rc::clone(&summary))?;
        let session = self.session();
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

    fn engine(&self, bursts: Bursts, summary: Rc<RefCell<Summary>>) -> Result<Engine<Ranks>, Failure> {
        let ranks = self.programs.len();
        let hosts = &self.placement.hosts;
        let network = self.model.network_on(&self.platform);
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
            shared_file: -1,
            share_malloc: self.share_malloc,
            simulator: std::process::id(),
        };
        let memory = self.ranks(&briefing)?;
        let setup = Setup {
            kernel: Kernel::new(network, Box::new(cores)),
            placement: hosts.clone(),
            host_flops: hosts.iter().map(|&host| self.platform.host(host).speed).collect(),
            seconds_per_nano: ratios.iter().map(|ratio| ratio * 1e-9).collect(),
            protocol: self.model.protocol.clone(),
            collectives: self.collectives.clone(),
            collective_times: self.model.collective_times(&self.platform),
            bursts,
            recorder: Box::new(Shared(summary)),
        };
        Ok(Engine::new(setup, memory))
    }

    fn ranks(&self, briefing: &Briefing) -> Result<Ranks, Failure> {
        let ranks = self.programs.len();
        if self.living.folded {
            let library = Install::locate()?.library.join(install::LIBRARY);
            let limit = self.arguments.rank_timeout.map(Duration::from_secs_f64);
            let folded = Folded::new(ranks, briefing, &library, &self.programs, limit);
            return Ok(Ranks::Folded(Box::new(folded.context("cannot fold the ranks")?)));
        }
        let processes = Processes::new(ranks, briefing, self.data_plane);
        Ok(Ranks::Processes(processes.context("cannot make the mailboxes")?))
    }

    fn session(&self) -> Session {
        let hosts = self.placement.hosts.iter().zip(self.placement.local_ranks());
        Session {
            programs: self.programs.clone(),
            hosts: hosts
                .map(|(&host, (local, locals))| (self.platform.host(host).name(), local, locals))
                .collect(),
            rank_timeout: self.arguments.rank_timeout.map(Duration::from_secs_f64),
            cores: self.arguments.cores.map(NonZero::get),
            run_ahead: self.run_ahead,
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

    fn save_costs(&self, engine: &Engine<Ranks>) -> Result<(), Failure> {
        if let (Compute::Recorded(file), Bursts::Recording(recorded)) = (&self.compute, engine.bursts()) {
            costs::write(file, self.host_speed, recorded)?;
        }
        Ok(())
    }

    fn explain(&mut self, engine: &mut Engine<Ranks>, outcome: &Outcome) {
        let finished = matches!(outcome, Outcome::Finished { .. });
        if engine.memory().fell_back_to_mailboxes() {
            self.warnings.push(
                "this machine forbids copies between processes: bytes went through mailboxes".to_owned(),
            );
        }
        let mut diagnosis = Diagnosis::new(engine);
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
        engine: &Engine<Ranks>,
        outcome: &Outcome,
        summary: &Summary,
        wall: Duration,
    ) -> Figures {
        let ends: Vec<f64> = engine.ends().map(|end| end.as_secs_f64()).collect();
        let finished = matches!(outcome, Outcome::Finished { .. });
        let tally = engine.tally();
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
            samples_executed: tally.executed,
            samples_skipped: tally.skipped,
            shared_bytes: tally.shared,
            shared_resident_bytes: engine.memory_ref().shared_resident_bytes(),
            per_rank_seconds: ends,
            model: self.model.name.clone(),
            platform: self.platform_spec.clone(),
            ranks_as: self.living.name().to_owned(),
            ranks_as_because: self.living.why.clone(),
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
    fn record(&mut self, record: &Record<'_>) {
        self.0.borrow_mut().record(record);
    }
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
