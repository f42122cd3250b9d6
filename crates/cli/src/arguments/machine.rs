//! Options that describe the simulated machine.

use std::ffi::OsString;
use std::num::NonZero;
use std::path::PathBuf;

use clap::Args;
use mpirage_simulation::{Machine, MachineRequest};

use super::{PACKETS, PLACEMENT};
use crate::conflicts::Conflicts;
use crate::output::say;

/// The simulated machine, and the placement of ranks on it.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Machine")]
pub struct MachineArguments {
    /// The machine: a platform file (TOML or SimGrid XML) or a built-in name; `mpirage info platforms` lists them [default: cluster:N]
    #[arg(short, long, value_name = "PLATFORM")]
    pub platform: Option<String>,
    /// The network, such as hdr200, for cables of which the platform says nothing; `mpirage info networks` lists them
    #[arg(long, value_name = "NETWORK")]
    pub net: Option<String>,
    /// The network model; `mpirage info models` lists them
    #[arg(long, default_value = "flow", value_name = "MODEL")]
    pub model: String,
    /// How the MPI library uses the network, with --model flow or packet; `mpirage info profiles` lists them
    #[arg(long, value_name = "PROFILE")]
    pub mpi_profile: Option<String>,
    /// With --model packet: only messages from, to or through these hosts, links and switches as packets, all others as flows
    #[arg(long, value_name = "PLACE,…", value_delimiter = ',', help_heading = PACKETS)]
    pub packet_at: Vec<String>,
    /// What random numbers start from: losses and late receivers of profiles, and the noise of a model
    #[arg(long, default_value_t = 0, value_name = "NUMBER")]
    pub seed: u64,
    /// Algorithms of collectives: the table of a library, NAME=ALGORITHM[@SIZES], files; `mpirage info collectives` lists them
    #[arg(long, default_value = "", hide_default_value = true, value_name = "CHOICE")]
    pub coll: String,
    /// Hosts to use: NAME[:SLOTS],… (also -host, --hosts)
    #[arg(short = 'H', long = "host", value_name = "HOSTS", value_delimiter = ',', help_heading = PLACEMENT)]
    pub host: Vec<String>,
    /// A file of hosts, one per line, optionally with slots=N or :N (also -machinefile, -f)
    #[arg(long, value_name = "FILE", help_heading = PLACEMENT)]
    pub hostfile: Option<PathBuf>,
    /// Placement of ranks: fill one host after the other, core by core (slot, core), one rank per NUMA domain or socket of a host in turn (numa, socket), or one rank per host in turn (node)
    #[arg(long, default_value = "slot", value_name = "HOW", help_heading = PLACEMENT)]
    pub map_by: String,
    /// What ranks are bound to on hosts with a [node]: their core, their socket or nothing (core, socket, none; also --bind-to)
    #[arg(long, default_value = "core", value_name = "HOW", help_heading = PLACEMENT)]
    pub bind: String,
    /// Print the host and core of each rank
    #[arg(long, help_heading = PLACEMENT)]
    pub report_bindings: bool,
    /// Ranks per host (also -ppn, -npernode)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub ppn: Option<u32>,
    /// Put the ranks on N cores of the machine, in blocks; the ranks of a core compute one after the other, burst by burst, as the virtual processors of Adaptive MPI do
    #[arg(long, value_name = "N", help_heading = PLACEMENT)]
    pub on_cores: Option<NonZero<u32>>,
    /// Who chooses the performance states of hosts that have several: performance, powersave, conservative, ondemand or slack, as in slack:period=10ms [default: hosts keep the state in which they start]
    #[arg(long, value_name = "GOVERNOR")]
    pub governor: Option<String>,
}

impl MachineArguments {
    /// The machine that they ask for.
    pub fn request(&self) -> MachineRequest {
        let own = self.clone();
        MachineRequest {
            platform: own.platform,
            net: own.net,
            model: own.model,
            mpi_profile: own.mpi_profile,
            packet_at: own.packet_at,
            seed: own.seed,
            coll: own.coll,
            host: own.host,
            hostfile: own.hostfile,
            map_by: own.map_by,
            bind: own.bind,
            ppn: own.ppn,
            on_cores: own.on_cores,
            governor: own.governor,
            mpich: false,
        }
    }

    /// Prints where each rank runs, if that was asked for.
    pub fn show_bindings(&self, machine: &Machine) {
        if self.report_bindings {
            machine.bindings().for_each(|line| say!("{line}"));
        }
    }

    /// The files that describe the machine.
    pub fn add_inputs(&self, files: &mut Conflicts) {
        files.machine(&self.request());
    }

    /// The same options as words of a command line.
    pub fn to_words(&self) -> Vec<OsString> {
        let mut words: Vec<OsString> = Vec::new();
        let mut add = |option: &str, value: OsString| words.extend([option.into(), value]);
        if let Some(platform) = &self.platform {
            add("--platform", platform.into());
        }
        if let Some(network) = &self.net {
            add("--net", network.into());
        }
        add("--model", self.model.clone().into());
        if let Some(profile) = &self.mpi_profile {
            add("--mpi-profile", profile.clone().into());
        }
        if !self.packet_at.is_empty() {
            add("--packet-at", self.packet_at.join(",").into());
        }
        if self.seed != 0 {
            add("--seed", self.seed.to_string().into());
        }
        if !self.coll.is_empty() {
            add("--coll", self.coll.clone().into());
        }
        self.host.iter().for_each(|host| add("--host", host.into()));
        if let Some(file) = &self.hostfile {
            add("--hostfile", file.into());
        }
        add("--map-by", self.map_by.clone().into());
        add("--bind", self.bind.clone().into());
        if let Some(ppn) = self.ppn {
            add("--ppn", ppn.to_string().into());
        }
        if let Some(governor) = &self.governor {
            add("--governor", governor.into());
        }
        words
    }
}
