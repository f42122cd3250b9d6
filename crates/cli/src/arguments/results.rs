//! Options for the outputs of a run.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{ArgGroup, Args};
use mpirage_simulation::reporting::IdealTime;
use mpirage_simulation::words::choose;
use mpirage_simulation::{OutputRequest, YES_OR_NO};

use super::{JsonArgument, PACKETS};
use crate::exit::{Failure, usage};

/// The outputs of a run.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Results", group = ArgGroup::new("shown").args(["trace", "report", "live"]).multiple(true), group = ArgGroup::new("pages").args(["report", "live"]).multiple(true))]
pub struct ResultArguments {
    /// The result as JSON.
    #[command(flatten)]
    pub json: JsonArgument,
    /// Do not print the summary
    #[arg(short, long, overrides_with = "quiet")]
    pub quiet: bool,
    /// Write a trace; its ending chooses the format: a folder/ or .ti (time-independent), .mpirage (our own), .goal or .bin (GOAL), .dim (Dimemas), .prv (Paraver), .pftrace (Perfetto), .paje, .otf2 (Vampir), .parquet or .csv (tables)
    #[arg(long, value_name = "FILE")]
    pub trace: Vec<PathBuf>,
    /// Include the messages inside collectives in reports and in traces of single messages (Paraver, Perfetto, Paje): yes or no
    #[arg(long, default_value = "no", value_name = "yes|no", requires = "shown")]
    pub trace_collectives: String,
    /// Capture frames for Wireshark, with --model packet: those of a host, a link (NAME, NAME_UP, NAME_DOWN), or a switch (switch-LEVEL-NUMBER) or one of its ports
    #[arg(long, value_name = "PLACE[:PORT]=FILE.pcapng", help_heading = PACKETS)]
    pub pcap: Vec<String>,
    /// Bytes of each frame that captures keep [default: 128, all headers]
    #[arg(long, value_name = "BYTES", requires = "pcap", help_heading = PACKETS, value_parser = clap::value_parser!(u32).range(1..=262_144))]
    pub pcap_snap: Option<u32>,
    /// Write a report, an HTML page
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Serve the report on this machine while the run goes on; the address is printed on standard error [default port: any that is free]
    #[arg(long, value_name = "PORT", num_args = 0..=1, require_equals = true, default_missing_value = "0")]
    pub live: Option<u16>,
    /// How the report finds the time on an ideal network: by ideal clocks during the run, by a second run of the same calls, or not at all
    #[arg(long, default_value = "clocks", value_name = "clocks|run|no", requires = "pages")]
    pub report_ideal: String,
}

impl ResultArguments {
    /// Refuses `--live` beside `--repeat`: it would show the first run of many.
    pub fn check_live(&self, repeat: Option<u32>) -> Result<(), Failure> {
        match (self.live, repeat) {
            (Some(_), Some(runs)) => Err(usage(format!(
                "--live shows one run while it goes on, and --repeat {runs} simulates {runs}; leave one of them out"
            ))),
            _ => Ok(()),
        }
    }

    /// The outputs that these options ask for.
    pub fn request(&self) -> Result<OutputRequest, Failure> {
        let ideal = [("clocks", IdealTime::Clocks), ("run", IdealTime::Run), ("no", IdealTime::Unknown)];
        Ok(OutputRequest {
            trace: self.trace.clone(),
            trace_collectives: choose("--trace-collectives", &self.trace_collectives, &YES_OR_NO)?,
            pcap: self.pcap.clone(),
            pcap_snap: self.pcap_snap,
            report: self.report.clone(),
            report_ideal: choose("--report-ideal", &self.report_ideal, &ideal)?,
            report_data: false,
            live: self.live.map(|_| Arc::default()),
        })
    }
}
