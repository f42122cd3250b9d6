//! The definitions of an archive: the machine, ranks and their locations, regions, communicators, links.

use mpirage_interpret::RunInfo;
use mpirage_otf2::{Definition, GroupType, LocationType, Paradigm, UNDEFINED};
use mpirage_units::Time;

use super::SOURCE_LINE;
use super::archive::About;
use super::definitions::Definitions;
use super::regions::Region;
use super::streams::Streams;

/// Picoseconds.
const TICKS_PER_SECOND: u64 = 1_000_000_000_000;

/// Numbers of groups: the locations of all ranks, all ranks, a rank alone. Groups of other communicators follow.
const LOCATIONS: u32 = 0;
const ALL: u32 = 1;
const ITSELF: u32 = 2;
const FIRST_GROUP: u32 = 3;

/// The whole machine, in the tree of its parts.
const MACHINE: u32 = 0;

/// The name of an archive's property: the speed of its hosts, in flops.
pub(super) const HOST_SPEED: &str = "MPIRAGE::HOST_SPEED";

/// Definitions that come up during a run.
pub(super) struct Contents {
    definitions: Definitions,
    /// The texts of source lines, by their number.
    lines: Vec<u32>,
    groups: u32,
    comms: u32,
    links: u32,
}

/// The facts for definitions that are known at the end of a run.
pub(super) struct Written<'a> {
    pub run: &'a RunInfo,
    pub regions: &'a [Region],
    /// Rank and name of the locations beside those of ranks.
    pub further: &'a [(u32, String)],
    /// The location of metrics, if there is one.
    pub links: Option<usize>,
    pub streams: &'a Streams,
    pub end: Time,
}

impl Contents {
    pub fn new() -> Contents {
        Contents {
            definitions: Definitions::new(),
            lines: Vec::new(),
            groups: FIRST_GROUP,
            comms: 0,
            links: 0,
        }
    }

    /// The communicators that always exist: `MPI_COMM_WORLD` and `MPI_COMM_SELF`.
    pub fn world(&mut self, ranks: u32) {
        let ranks: Vec<u64> = (0..ranks.into()).collect();
        self.group(LOCATIONS, "locations of ranks", GroupType::COMM_LOCATIONS, ranks.clone());
        self.group(ALL, "MPI_COMM_WORLD", GroupType::COMM_GROUP, ranks);
        self.group(ITSELF, "MPI_COMM_SELF", GroupType::COMM_SELF, Vec::new());
        self.comm("MPI_COMM_WORLD", ALL, UNDEFINED);
        self.comm("MPI_COMM_SELF", ITSELF, UNDEFINED);
    }

    /// Adds a communicator, and returns its number.
    pub fn communicator(&mut self, ranks: u32, members: &[u32]) -> u32 {
        let name = format!("communicator {}", self.comms);
        let all =
            members.len() == ranks as usize && members.iter().zip(0..).all(|(&member, rank)| member == rank);
        let group = if all { ALL } else { self.groups };
        if !all {
            self.groups += 1;
            let members = members.iter().map(|&member| member.into()).collect();
            self.group(group, &name, GroupType::COMM_GROUP, members);
        }
        self.comm(&name, group, UNDEFINED)
    }

    fn group(&mut self, id: u32, name: &str, kind: GroupType, members: Vec<u64>) {
        let name = self.definitions.text(name);
        self.definitions.add(&Definition::Group { id, name, kind, paradigm: Paradigm::MPI, members });
    }

    fn comm(&mut self, name: &str, group: u32, parent: u32) -> u32 {
        let (id, name) = (self.comms, self.definitions.text(name));
        self.comms += 1;
        self.definitions.add(&Definition::Comm { id, name, group, parent });
        id
    }

    /// The text of a source line, which has a number from 1 on.
    pub fn line(&mut self, number: u32, names: &[String]) -> u32 {
        while self.lines.len() < number as usize {
            let text = self.definitions.text(&names[self.lines.len()]);
            self.lines.push(text);
        }
        self.lines[number as usize - 1]
    }

    /// Adds the metric of a link. Metrics are numbered in the order in which they are added.
    pub fn link(&mut self, name: &str) {
        let (id, name, unit) = (self.links, self.definitions.text(name), self.definitions.text("B/s"));
        self.links += 1;
        self.definitions.add(&Definition::Metric { id, name, unit });
    }

    /// All definitions.
    pub fn definitions(self, written: &Written<'_>) -> Definitions {
        let Contents { mut definitions, .. } = self;
        let length = written.end.as_picos();
        definitions.add_to_machine(&Definition::Clock { resolution: TICKS_PER_SECOND, start: 0, length });
        let name = definitions.text("MPI");
        definitions.add_to_machine(&Definition::Paradigm { paradigm: Paradigm::MPI, name });
        let name = definitions.text("source line");
        definitions.add_to_machine(&Definition::Attribute { id: SOURCE_LINE, name });
        define_machine(&mut definitions, written);
        define_locations(&mut definitions, written);
        for (region, id) in written.regions.iter().zip(0..) {
            let (name, role, paradigm) = (definitions.text(region.name), region.role, region.paradigm);
            definitions.add_to_machine(&Definition::Region { id, name, role, paradigm });
        }
        definitions
    }
}

/// The machine, its hosts that have ranks, and the ranks.
fn define_machine(definitions: &mut Definitions, written: &Written<'_>) {
    let (hosts, host_of_rank) = written.run.used_hosts();
    let (name, class) = (definitions.text(written.run.platform.name()), definitions.text("machine"));
    definitions.add_to_machine(&Definition::SystemNode {
        id: MACHINE,
        name,
        class,
        parent: UNDEFINED,
        domain: 0,
    });
    let class = definitions.text("node");
    for (host, id) in hosts.iter().zip(MACHINE + 1..) {
        let name = definitions.text(&written.run.platform.host(*host).name());
        definitions.add_to_machine(&Definition::SystemNode { id, name, class, parent: MACHINE, domain: 1 });
    }
    for (host, id) in host_of_rank.iter().zip(0..) {
        let name = definitions.text(&format!("MPI Rank {id}"));
        definitions.add_to_machine(&Definition::LocationGroup { id, name, parent: MACHINE + 1 + host });
    }
    if written.links.is_some() {
        let (id, name) = (written.run.ranks(), definitions.text("links"));
        definitions.add_to_machine(&Definition::LocationGroup { id, name, parent: MACHINE });
    }
}

fn define_locations(definitions: &mut Definitions, written: &Written<'_>) {
    let ranks = written.run.ranks();
    let mut define = |id: usize, name: &str, kind: LocationType, group: u32| {
        let (name, events) = (definitions.text(name), written.streams.events(id));
        definitions.add_to_machine(&Definition::Location { id: id as u64, name, kind, events, group });
    };
    for rank in 0..ranks {
        define(rank as usize, "Master thread", LocationType::CPU_THREAD, rank);
    }
    for ((rank, name), id) in written.further.iter().zip(ranks as usize..) {
        define(id, name, LocationType::CPU_THREAD, *rank);
    }
    if let Some(id) = written.links {
        define(id, "Links", LocationType::METRIC, ranks);
    }
}

/// The contents of the anchor: the facts that other formats show too, and the speed of hosts, if they all have the same.
pub(super) fn about(run: &RunInfo) -> About {
    let property =
        |(name, value): &(String, String)| (format!("MPIRAGE::{}", name.to_uppercase()), value.clone());
    let mut properties: Vec<(String, String)> = run.facts.iter().map(property).collect();
    let speeds = run
        .placement
        .iter()
        .map(|&host| run.platform.host(host).speed.comparable().unwrap_or(run.measured_on));
    let slowest = speeds.clone().fold(f64::INFINITY, f64::min);
    if speeds.fold(0.0, f64::max) == slowest {
        properties.push((HOST_SPEED.to_owned(), slowest.to_string()));
    }
    About { machine: run.platform.name().to_owned(), description: run.program.clone(), properties }
}
