//! The figures of a run, and doubts about them.

use std::time::Duration;

use mpirage_call::RankId;
use mpirage_mpi::{Bursts, Engine};
use mpirage_rank::{Outcome, Ranks};
use mpirage_record::Summary;
use rustix::process::{Resource, getrlimit};

use super::measured::Measured;
use super::plan::Run;
use super::request::Compute;
use crate::balancing::BalancingFigures;
use crate::competition::Competition;
use crate::disturbed::DisturbedFigures;
use crate::figures::Figures;
use crate::trust::Measurement;

impl Run {
    /// The name of the program's file.
    pub(super) fn name(&self) -> String {
        let file = self.programs.first().and_then(|program| program.path.file_name());
        file.map(|file| file.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// What is known of the run from its start.
    pub(super) fn known(&self) -> Figures {
        Figures {
            ranks_as: self.rank_mode.name().to_owned(),
            ranks_as_because: self.rank_mode.reason.clone(),
            cores_here: self.cores_here,
            compute: self.describe_compute(),
            warnings: self.warnings.clone(),
            ..Figures::about(&self.machine)
        }
    }

    /// The figures after so much time on this machine, beside these competitors.
    pub(super) fn figures(
        &self,
        engine: &Engine<Ranks>,
        outcome: &Outcome,
        summary: &Summary,
        (wall, competition): (Duration, &Competition),
    ) -> Figures {
        let tally = engine.counts().tally;
        let figures = Figures {
            samples_executed: tally.executed,
            samples_skipped: tally.skipped,
            shared_bytes: tally.shared,
            shared_resident_bytes: engine.memory_ref().shared_resident_bytes(),
            ranks_as: self.rank_mode.name().to_owned(),
            ranks_as_because: self.rank_mode.reason.clone(),
            workers: engine.memory_ref().workers(),
            one_worker_because: engine
                .memory_ref()
                .alone_because()
                .or_else(|| self.workers.one_because.clone()),
            cores_here: self.cores_here,
            compute: self.describe_compute(),
            host_speed_flops: (self.compute != Compute::None).then_some(self.host_speed()),
            host_speed_spread: self.host_speed.spread,
            computation_ratio: (self.compute != Compute::None)
                .then(|| self.machine.first_slowdown(self.host_speed())),
            warnings: self.warnings.clone(),
            balancing: engine
                .migration_history()
                .map(|history| BalancingFigures::of(&self.request.migration, &history)),
            ..Figures::of(engine, &self.machine, outcome, summary, wall)
        };
        let figures = self.with_disturbances(figures, engine);
        let figures = Figures { measurement: self.measurement(engine, competition), ..figures };
        match self.emulation {
            Some(_) => figures,
            None => figures.with_trust(&self.machine, summary),
        }
    }

    /// How computation was measured.
    fn measurement(&self, engine: &Engine<Ranks>, competition: &Competition) -> Measurement {
        match (engine.bursts(), &self.repeated) {
            (_, Some(measured)) => Measurement::Repeated(measured.spread()),
            (Bursts::None | Bursts::Recorded(..), _) => Measurement::Earlier,
            _ if competition.was_felt(!self.rank_mode.folded) => Measurement::Beside,
            _ => Measurement::Alone,
        }
    }

    /// Adds bursts that took longer than usual. If they matter, their warning comes first.
    fn with_disturbances(&self, mut figures: Figures, engine: &Engine<Ranks>) -> Figures {
        let ratio = self.machine.first_slowdown(self.host_speed());
        let disturbed = engine.memory_ref().disturbed();
        figures.disturbed = DisturbedFigures::of(disturbed, ratio, figures.simulated_seconds);
        figures.warnings.splice(..0, figures.disturbed.and_then(|disturbed| disturbed.doubt()));
        figures
    }

    /// Adds the figures of the pace, if the run is an emulation, and the doubts that follow from all figures.
    pub(super) fn with_pace(&self, mut figures: Figures) -> Figures {
        if let Some(emulation) = &self.emulation {
            figures.warnings.extend(emulation.doubts(figures.ranks, figures.simulated_seconds));
            figures.emulation = Some(emulation.figures());
        }
        figures.warnings.extend(self.left_out_doubt(&figures));
        figures
    }

    /// Did the search for a time factor find one with which the simulator was behind all the same?
    pub(super) fn is_behind(&self, figures: &Figures) -> bool {
        let emulation = self.emulation.as_ref();
        emulation.is_some_and(|emulation| emulation.search_ends_behind(figures.simulated_seconds))
    }

    /// Doubts about what the ranks met.
    pub(super) fn doubts_after(&self, engine: &mut Engine<Ranks>, outcome: &Outcome) -> Vec<String> {
        let mut doubts = Vec::new();
        if engine.memory().fell_back_to_mailboxes() {
            doubts.push(
                "the kernel forbids copies between processes: data took the slower way through mailboxes"
                    .to_owned(),
            );
        }
        doubts.extend(self.request.outputs.overlap_doubt(engine.diagnosis().has_threads()));
        // A program that fails before it calls MPI_Init may well be an MPI program.
        if matches!(outcome, Outcome::Finished { code: 0 }) {
            doubts.extend(self.is_no_mpi_program(engine));
        }
        doubts.extend(engine.memory_ref().out_of_files().map(too_many_files));
        doubts
    }

    /// A warning if no rank called `MPI_Init`.
    fn is_no_mpi_program(&self, engine: &Engine<Ranks>) -> Option<String> {
        let mut ranks = 0..self.programs.len() as u32;
        if ranks.any(|rank| engine.lifecycle(RankId::new(rank)).0) {
            return None;
        }
        let name = self.name();
        if let Some(interface) = self.programs.first().and_then(|program| program.linked_interface()) {
            return Some(format!(
                "no rank of {name} called MPI_Init or MPI_Session_init: it is built for {}, but did not use MPI in this run",
                interface.owner()
            ));
        }
        let other = engine.memory_ref().other_mpi().map(|library| {
            format!(
                "; it loaded {library}, which belongs to another MPI: build what uses it with mpirage's mpicc"
            )
        });
        Some(format!(
            "{name} is not an MPI program (no rank called MPI_Init or MPI_Session_init){}",
            other.unwrap_or_else(|| "; was it built with mpirage's mpicc?".to_owned())
        ))
    }

    /// A warning if `--compute none` left out much computation. Processor times vary, so only clear cases count.
    fn left_out_doubt(&self, figures: &Figures) -> Option<String> {
        let each = figures.cpu_seconds / figures.ranks.max(1) as f64;
        let per_call = figures.cpu_seconds / figures.calls.max(1) as f64;
        let computes = each > 1.0_f64.max(figures.simulated_seconds) && per_call > 1e-4;
        (self.compute == Compute::None && computes).then(|| {
            "computation took no time (--compute none), but the ranks computed for longer than the simulated time: the result covers \
             communication only; use --compute measured to include computation"
                .to_owned()
        })
    }

    /// How computation is charged, in words.
    pub(super) fn describe_compute(&self) -> String {
        let ratio = self.machine.describe_ratio(self.host_speed(), "this core");
        let speed = format!("on this machine, {:.2} Gf/s; {ratio}", self.host_speed() / 1e9);
        match &self.compute {
            Compute::None => "takes no time".to_owned(),
            _ if self.emulation.is_some() => match self.request.host_speed {
                Some(_) => format!("in real time {speed}"),
                None => "in real time: hosts are as fast as this machine".to_owned(),
            },
            Compute::Measured => format!("measured {speed}"),
            Compute::Recorded(file) => format!("recorded in {}, {speed}", file.display()),
            Compute::Repeat(_) => {
                let repeated = self.repeated.as_ref().map(Measured::describe).unwrap_or_default();
                format!("{repeated} {speed}")
            }
        }
    }

    /// How well the speed of this machine is known, if it was measured.
    pub(super) fn describe_host_speed(&self) -> Option<String> {
        let spread = self.host_speed.spread?;
        Some(format!(
            "the speed of this machine, {:.2} Gf/s, was measured within {:.1} %; --host-speed measure measures it again",
            self.host_speed() / 1e9,
            100.0 * spread
        ))
    }
}

/// A warning about files that a folded rank could not open.
fn too_many_files(rank: RankId) -> String {
    let limit = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    format!(
        "rank {rank} could not open a file (EMFILE): folded ranks share this process's limit of {limit} open files; --ranks-as \
         processes gives each rank a limit of its own, `ulimit -Hn` raises the one they share"
    )
}
