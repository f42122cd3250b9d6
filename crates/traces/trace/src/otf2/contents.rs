//! The definitions of an archive: ranks, regions and communicators.

use std::collections::HashMap;
use std::sync::Arc;

use mpirage_call::{ContextId, SELF, SendMode, Stamp, WORLD, function_names};
use mpirage_data::Group;
use mpirage_otf2::{Definition, GroupType, Paradigm, Role};

use super::records::{ChunkSize, Records};
use crate::TraceError;
use crate::source::Source;

/// Nanoseconds of a second.
const NANOS: u128 = 1_000_000_000;

/// The definitions of an archive.
#[derive(Debug)]
pub(super) struct Contents {
    /// Ticks of a second.
    resolution: u64,
    /// The location of each rank.
    pub locations: Vec<u64>,
    regions: HashMap<u32, Region>,
    comms: HashMap<u32, Comm>,
    /// Members of the communicators beside the predefined ones.
    pub made: Vec<Vec<u32>>,
}

/// The kind of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Inside {
    /// Not in MPI.
    Program,
    /// In a function of MPI. The time in a local one counts as computation.
    Mpi { local: bool },
    /// In `MPI_Init` or `MPI_Init_thread`.
    Init,
    /// In `MPI_Finalize`.
    Finalize,
}

/// A region.
#[derive(Clone, Copy, Debug)]
pub(super) struct Region {
    pub inside: Inside,
    /// The MPI function, if it is one.
    pub stamp: Option<Stamp>,
    /// When a send in this region is complete.
    pub mode: SendMode,
    /// Does it send and receive at once (`MPI_Sendrecv`)?
    pub exchanges: bool,
}

/// A communicator.
#[derive(Clone, Debug)]
pub(super) enum Comm {
    /// Of these ranks.
    Of { context: ContextId, group: Arc<Group> },
    /// Of the rank itself.
    Itself,
    /// An inter-communicator.
    Inter,
}

/// Definitions as they come, before they are put together.
#[derive(Default)]
struct Collected {
    resolution: u64,
    texts: HashMap<u32, String>,
    regions: Vec<(u32, u32, Role, Paradigm)>,
    groups: HashMap<u32, (GroupType, Vec<u64>)>,
    /// Number, name, group and place in the file.
    comms: Vec<(u32, u32, Option<u32>, u64)>,
    locations: Option<Vec<u64>>,
}

impl Contents {
    /// Reads the file of global definitions.
    pub fn read(source: &Source, chunk: ChunkSize) -> Result<Contents, TraceError> {
        let mut collected = Collected::default();
        Records::definitions(source, chunk, |at, definition, text| {
            collected.add(at, definition, text);
            Ok(())
        })?;
        let Some(locations) = collected.locations.take() else {
            return Err(
                source.bad(0, "the archive has no ranks of MPI: it was not recorded from an MPI program")
            );
        };
        if locations.is_empty() || locations.len() > 1 << 26 {
            return Err(source.bad(0, format!("{} is no number of ranks", locations.len())));
        }
        if collected.resolution == 0 {
            return Err(source.bad(0, "the archive does not say how long a tick of its clock is"));
        }
        let regions = collected.regions();
        let mut made = Vec::new();
        let comms = collected.comms(source, locations.len() as u32, &mut made)?;
        Ok(Contents { resolution: collected.resolution, locations, regions, comms, made })
    }

    /// Nanoseconds of these ticks, rounded down.
    pub fn nanos(&self, ticks: u64) -> u64 {
        u64::try_from(u128::from(ticks) * NANOS / u128::from(self.resolution)).unwrap_or(u64::MAX)
    }

    /// The region with this number. One that is not defined is part of the program.
    pub fn region(&self, number: u32) -> Region {
        self.regions.get(&number).copied().unwrap_or(Region::PROGRAM)
    }

    /// The communicator with this number.
    pub fn comm(&self, number: u32) -> Option<&Comm> {
        self.comms.get(&number)
    }
}

impl Collected {
    fn add(&mut self, at: u64, definition: Definition<'_>, text: String) {
        match definition {
            Definition::Clock { resolution, .. } => self.resolution = resolution,
            Definition::Text { id, .. } => {
                self.texts.insert(id, text);
            }
            Definition::Region { id, name, role, paradigm } => self.regions.push((id, name, role, paradigm)),
            Definition::Group { id, kind, paradigm, members, .. } => {
                if kind == GroupType::COMM_LOCATIONS && paradigm == Paradigm::MPI {
                    self.locations = Some(members);
                } else {
                    self.groups.insert(id, (kind, members));
                }
            }
            Definition::Comm { id, name, group, .. } => self.comms.push((id, name, Some(group), at)),
            Definition::InterComm { id } => self.comms.push((id, 0, None, at)),
            _ => {}
        }
    }

    fn regions(&self) -> HashMap<u32, Region> {
        let functions: HashMap<&str, u16> = function_names().iter().copied().zip(0..).collect();
        let of_mpi = self.regions.iter().filter(|(_, _, _, paradigm)| *paradigm == Paradigm::MPI);
        let region = |&(id, name, role, _): &(u32, u32, Role, Paradigm)| {
            let name = self.texts.get(&name).map_or("", String::as_str);
            (id, Region::of_mpi(name, role, functions.get(name).copied()))
        };
        of_mpi.map(region).collect()
    }

    /// The communicators. Of those of all ranks, the one called `MPI_COMM_WORLD` is it, or else the first.
    fn comms(
        &self,
        source: &Source,
        ranks: u32,
        made: &mut Vec<Vec<u32>>,
    ) -> Result<HashMap<u32, Comm>, TraceError> {
        let mut comms = HashMap::new();
        let world = Arc::new(Group::world(ranks));
        let world_number = self.world(ranks);
        for &(id, _, group, at) in &self.comms {
            let group = group.map(|group| self.groups.get(&group));
            let comm = match group {
                None => Comm::Inter,
                // Other paradigms have communicators too, such as teams of threads.
                Some(None) => continue,
                Some(Some((GroupType::COMM_SELF, _))) => Comm::Itself,
                Some(Some((GroupType::COMM_GROUP, _))) if Some(id) == world_number => {
                    Comm::Of { context: WORLD, group: Arc::clone(&world) }
                }
                Some(Some((GroupType::COMM_GROUP, members))) => {
                    let known =
                        members.iter().map(|&member| u32::try_from(member).ok().filter(|&rank| rank < ranks));
                    let Some(members) = known.collect::<Option<Vec<u32>>>() else {
                        return Err(
                            source.bad(at, format!("a communicator with a rank beyond the last of {ranks}"))
                        );
                    };
                    let group = Group::of(members.iter().copied());
                    let group = group.map_err(|_| source.bad(at, "a communicator that has a rank twice"))?;
                    made.push(members);
                    Comm::Of { context: ContextId::new(made.len() as u32 + 1), group: Arc::new(group) }
                }
                Some(Some(_)) => continue,
            };
            comms.insert(id, comm);
        }
        Ok(comms)
    }

    /// The number of the communicator that is `MPI_COMM_WORLD`.
    fn world(&self, ranks: u32) -> Option<u32> {
        let is_all = |group: &Option<u32>| {
            let group = group.and_then(|group| self.groups.get(&group));
            group.is_some_and(|(kind, members)| {
                *kind == GroupType::COMM_GROUP && members.iter().copied().eq(0..u64::from(ranks))
            })
        };
        let mut of_all = self.comms.iter().filter(|(_, _, group, _)| is_all(group));
        let named = |name: &u32| self.texts.get(name).is_some_and(|name| name == "MPI_COMM_WORLD");
        let first = of_all.clone().next();
        of_all.find(|(_, name, _, _)| named(name)).or(first).map(|&(id, ..)| id)
    }
}

impl Region {
    const PROGRAM: Region =
        Region { inside: Inside::Program, stamp: None, mode: SendMode::Standard, exchanges: false };

    fn of_mpi(name: &str, role: Role, function: Option<u16>) -> Region {
        let inside = match name {
            "MPI_Init" | "MPI_Init_thread" => Inside::Init,
            "MPI_Finalize" => Inside::Finalize,
            _ => Inside::Mpi { local: matches!(role, Role::FUNCTION | Role::FILE_IO) },
        };
        let mode = match name {
            "MPI_Ssend" | "MPI_Issend" => SendMode::Synchronous,
            "MPI_Bsend" | "MPI_Ibsend" => SendMode::Buffered,
            "MPI_Rsend" | "MPI_Irsend" => SendMode::Ready,
            _ => SendMode::Standard,
        };
        let stamp = function.map(|function| Stamp { function, ..Stamp::default() });
        Region { inside, stamp, mode, exchanges: name.starts_with("MPI_Sendrecv") }
    }
}

impl Comm {
    /// Its number in the simulator, and its ranks; the rank itself is `rank`.
    pub fn resolve(&self, rank: u32) -> Result<(ContextId, Arc<Group>), String> {
        match self {
            Comm::Of { context, group } => Ok((*context, Arc::clone(group))),
            Comm::Itself => {
                let group = Group::of([rank]).map_err(|error| error.to_string())?;
                Ok((SELF, Arc::new(group)))
            }
            Comm::Inter => Err("communication in an inter-communicator cannot be replayed".to_owned()),
        }
    }
}
