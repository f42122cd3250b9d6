//! Definitions: what the numbers in events stand for.

use crate::bytes::{ByteOrder, Fields, FormatError, UNDEFINED, put_record, put_text, put_u32, put_u64};

const CLOCK_PROPERTIES: u8 = 5;
const PARADIGM: u8 = 6;
const STRING: u8 = 10;
const ATTRIBUTE: u8 = 11;
const SYSTEM_TREE_NODE: u8 = 12;
const LOCATION_GROUP: u8 = 13;
const LOCATION: u8 = 14;
const REGION: u8 = 15;
const GROUP: u8 = 18;
const METRIC_MEMBER: u8 = 19;
const METRIC_CLASS: u8 = 20;
const COMM: u8 = 22;
const SYSTEM_TREE_NODE_DOMAIN: u8 = 27;
const INTER_COMM: u8 = 43;

/// In the file of a location.
const MAPPING_TABLE: u8 = 5;

/// A metric with a value that holds until the next one.
const ABSOLUTE_UNTIL_NEXT: u8 = 1 | 3 << 4;
const TYPE_STRING: u8 = 11;
const TYPE_DOUBLE: u8 = 10;
const DECIMAL: u8 = 1;
const ASYNCHRONOUS: u8 = 2;
const ABSTRACT_RECORDER: u8 = 1;

/// The number of the empty text, in archives that mpirage writes.
const NO_TEXT: u32 = 0;

/// Roots that are no ranks.
pub enum RootCode {}

impl RootCode {
    /// The operation has no root.
    pub const NONE: u32 = u32::MAX;
    /// The rank itself: of inter-communicators.
    pub const THIS: u32 = u32::MAX - 1;
    /// Another rank of the same side of an inter-communicator.
    pub const THIS_GROUP: u32 = u32::MAX - 2;
}

/// Defines a type for a code of one byte. Codes without a name are kept.
macro_rules! codes {
    ($($(#[$doc:meta])* $type:ident { $($(#[$name_doc:meta])* $name:ident = $code:literal,)* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $type(pub u8);

        impl $type {
            $($(#[$name_doc])* pub const $name: $type = $type($code);)*
        }
    )*};
}

codes! {
    /// The programming model to which a region or a group belongs.
    Paradigm {
        /// Annotated by the user.
        USER = 1,
        /// MPI.
        MPI = 4,
        /// The measurement itself.
        MEASUREMENT = 6,
    }
    /// The role of a region.
    Role {
        /// An ordinary function.
        FUNCTION = 1,
        /// A piece of code.
        CODE = 4,
        /// A barrier.
        BARRIER = 15,
        /// A collective from one to all ranks.
        ONE_TO_ALL = 23,
        /// A collective from all ranks to one.
        ALL_TO_ONE = 24,
        /// A collective from all ranks to all.
        ALL_TO_ALL = 25,
        /// Another collective.
        COLLECTIVE = 26,
        /// Access to files.
        FILE_IO = 27,
        /// Point-to-point communication.
        POINT_TO_POINT = 28,
        /// One-sided communication.
        ONE_SIDED = 29,
        /// Nothing that the program does.
        ARTIFICIAL = 31,
    }
    /// The kind of a group's members.
    GroupType {
        /// The locations of all ranks, in order of their ranks.
        COMM_LOCATIONS = 4,
        /// Ranks: places in the group of [`GroupType::COMM_LOCATIONS`].
        COMM_GROUP = 5,
        /// The rank itself: of communicators such as `MPI_COMM_SELF`.
        COMM_SELF = 6,
    }
    /// The kind of a location group.
    LocationGroupType {
        /// A process.
        PROCESS = 1,
    }
    /// The kind of a location.
    LocationType {
        /// A thread.
        CPU_THREAD = 1,
        /// A location that records metrics.
        METRIC = 3,
    }
    /// The kind of numbers that a mapping maps.
    Mapping {
        /// Regions.
        REGION = 3,
        /// Communicators.
        COMM = 6,
    }
}

/// A record of the file of global definitions. Texts are given by the number of their definition; number 0 must be the empty text.
#[derive(Clone, Debug, PartialEq)]
pub enum Definition<'a> {
    /// The clock.
    Clock {
        /// Ticks of a second.
        resolution: u64,
        /// The time of the first event.
        start: u64,
        /// The ticks from the first to the last event.
        length: u64,
    },
    /// A paradigm that the program uses.
    Paradigm {
        /// Which.
        paradigm: Paradigm,
        /// Its name.
        name: u32,
    },
    /// A text.
    Text {
        /// Its number.
        id: u32,
        /// The text.
        text: &'a str,
    },
    /// An attribute of events whose values are texts.
    Attribute {
        /// Its number.
        id: u32,
        /// Its name.
        name: u32,
    },
    /// A part of the machine.
    SystemNode {
        /// Its number.
        id: u32,
        /// Its name.
        name: u32,
        /// The kind of part, in words.
        class: u32,
        /// The part it belongs to; [`UNDEFINED`] for the whole machine.
        parent: u32,
        /// 0: a machine, 1: a node with its memory.
        domain: u8,
    },
    /// A process.
    LocationGroup {
        /// Its number.
        id: u32,
        /// Its name.
        name: u32,
        /// The part of the machine it is on.
        parent: u32,
    },
    /// A thread of a process, with events.
    Location {
        /// Its number, and the name of its files.
        id: u64,
        /// Its name.
        name: u32,
        /// Its kind.
        kind: LocationType,
        /// The number of its events.
        events: u64,
        /// Its process.
        group: u32,
    },
    /// A region of the program, such as a function.
    Region {
        /// Its number.
        id: u32,
        /// Its name.
        name: u32,
        /// Its role.
        role: Role,
        /// The programming model of the function.
        paradigm: Paradigm,
    },
    /// Locations or ranks.
    Group {
        /// Its number.
        id: u32,
        /// Its name.
        name: u32,
        /// The kind of its members.
        kind: GroupType,
        /// The programming model of the group.
        paradigm: Paradigm,
        /// The members.
        members: Vec<u64>,
    },
    /// A communicator.
    Comm {
        /// Its number.
        id: u32,
        /// Its name.
        name: u32,
        /// Its members.
        group: u32,
        /// The communicator it was made from; [`UNDEFINED`] if that is not known.
        parent: u32,
    },
    /// An inter-communicator.
    InterComm {
        /// Its number.
        id: u32,
    },
    /// A metric that holds until its next value, and the class that contains only this metric, with the same number.
    Metric {
        /// Its number.
        id: u32,
        /// Its name.
        name: u32,
        /// Its unit.
        unit: u32,
    },
}

impl Definition<'_> {
    /// Appends the records, and returns how many there are.
    pub fn encode(&self, out: &mut Vec<u8>) -> u64 {
        let numbers =
            |out: &mut Vec<u8>, numbers: &[u32]| numbers.iter().for_each(|&number| put_u32(out, number));
        match self {
            Definition::Clock { resolution, start, length } => put_record(out, CLOCK_PROPERTIES, |out| {
                for number in [*resolution, *start, *length, u64::MAX] {
                    put_u64(out, number);
                }
            }),
            Definition::Paradigm { paradigm, name } => put_record(out, PARADIGM, |out| {
                out.push(paradigm.0);
                put_u32(out, *name);
                out.push(0);
            }),
            Definition::Text { id, text } => put_record(out, STRING, |out| {
                put_u32(out, *id);
                put_text(out, text);
            }),
            Definition::Attribute { id, name } => put_record(out, ATTRIBUTE, |out| {
                numbers(out, &[*id, *name]);
                out.push(TYPE_STRING);
                put_u32(out, *name);
            }),
            Definition::SystemNode { id, name, class, parent, domain } => {
                put_record(out, SYSTEM_TREE_NODE, |out| numbers(out, &[*id, *name, *class, *parent]));
                put_record(out, SYSTEM_TREE_NODE_DOMAIN, |out| {
                    put_u32(out, *id);
                    out.push(*domain);
                });
                return 2;
            }
            Definition::LocationGroup { id, name, parent } => put_record(out, LOCATION_GROUP, |out| {
                numbers(out, &[*id, *name]);
                out.push(LocationGroupType::PROCESS.0);
                numbers(out, &[*parent, UNDEFINED]);
            }),
            Definition::Location { id, name, kind, events, group } => put_record(out, LOCATION, |out| {
                put_u64(out, *id);
                put_u32(out, *name);
                out.push(kind.0);
                put_u64(out, *events);
                put_u32(out, *group);
            }),
            Definition::Region { id, name, role, paradigm } => put_record(out, REGION, |out| {
                // Name, description, an old code of the role, source file and lines, canonical name.
                numbers(out, &[*id, *name, NO_TEXT]);
                out.push(0);
                numbers(out, &[NO_TEXT, 0, 0, *name]);
                out.extend([role.0, paradigm.0]);
                put_u32(out, 0);
            }),
            Definition::Group { id, name, kind, paradigm, members } => {
                encode_group(out, [*id, *name], *kind, *paradigm, members);
            }
            Definition::Comm { id, name, group, parent } => {
                put_record(out, COMM, |out| numbers(out, &[*id, *name, *group, *parent, 0]));
            }
            Definition::InterComm { id } => {
                put_record(out, INTER_COMM, |out| {
                    numbers(out, &[*id, UNDEFINED, UNDEFINED, UNDEFINED, UNDEFINED, 0])
                });
            }
            Definition::Metric { id, name, unit } => {
                put_record(out, METRIC_MEMBER, |out| {
                    numbers(out, &[*id, *name, *name]);
                    out.extend([0, ABSOLUTE_UNTIL_NEXT, TYPE_DOUBLE, DECIMAL]);
                    put_u64(out, 0);
                    put_u32(out, *unit);
                });
                put_record(out, METRIC_CLASS, |out| {
                    put_u32(out, *id);
                    out.push(1);
                    put_u32(out, *id);
                    out.extend([ASYNCHRONOUS, ABSTRACT_RECORDER]);
                });
                return 2;
            }
        }
        1
    }
}

fn encode_group(
    out: &mut Vec<u8>,
    [id, name]: [u32; 2],
    kind: GroupType,
    paradigm: Paradigm,
    members: &[u64],
) {
    put_record(out, GROUP, |out| {
        put_u32(out, id);
        put_u32(out, name);
        out.push(old_group_type(kind));
        put_u32(out, members.len() as u32);
        members.iter().for_each(|&member| put_u64(out, member));
        out.extend([kind.0, paradigm.0]);
        put_u32(out, 0);
    });
}

/// The code of OTF2 before 1.2, which is still written beside the new one.
fn old_group_type(kind: GroupType) -> u8 {
    match kind {
        GroupType::COMM_GROUP => 4,
        GroupType::COMM_SELF => 5,
        GroupType::COMM_LOCATIONS => 6,
        _ => 0,
    }
}

/// A definition that a reader of programs needs. It owns its texts.
pub type Owned = Definition<'static>;

impl Definition<'_> {
    /// The definition of this kind with these fields, with its text if it is one; none if it is of no interest.
    pub fn decode(kind: u8, fields: &[u8], order: ByteOrder) -> Result<Option<(Owned, String)>, FormatError> {
        let mut fields = Fields::new(fields, order);
        let f = &mut fields;
        let mut own_text = String::new();
        let definition = match kind {
            CLOCK_PROPERTIES => Definition::Clock { resolution: f.u64()?, start: f.u64()?, length: f.u64()? },
            STRING => {
                let id = f.u32()?;
                own_text = f.text()?;
                Definition::Text { id, text: "" }
            }
            LOCATION => Definition::Location {
                id: f.u64()?,
                name: f.u32()?,
                kind: LocationType(f.u8()?),
                events: f.u64()?,
                group: f.u32()?,
            },
            REGION => {
                let [id, name, _] = [f.u32()?, f.u32()?, f.u32()?];
                f.u8()?;
                for _ in 0..4 {
                    f.u32()?;
                }
                Definition::Region { id, name, role: Role(f.u8()?), paradigm: Paradigm(f.u8()?) }
            }
            GROUP => decode_group(f)?,
            COMM => {
                let [id, name, group, parent] = [f.u32()?, f.u32()?, f.u32()?, f.u32()?];
                Definition::Comm { id, name, group, parent }
            }
            INTER_COMM => Definition::InterComm { id: f.u32()? },
            _ => return Ok(None),
        };
        Ok(Some((definition, own_text)))
    }
}

fn decode_group(f: &mut Fields<'_>) -> Result<Owned, FormatError> {
    let [id, name] = [f.u32()?, f.u32()?];
    let old = f.u8()?;
    let count = f.u32()? as usize;
    // Each member has a byte at least: a damaged number must not allocate memory.
    if count > f.len() {
        return Err(FormatError::Short);
    }
    let members = (0..count).map(|_| f.u64()).collect::<Result<Vec<_>, _>>()?;
    let (kind, paradigm) = match old {
        _ if !f.is_empty() => (GroupType(f.u8()?), Paradigm(f.u8()?)),
        4 => (GroupType::COMM_GROUP, Paradigm::MPI),
        5 => (GroupType::COMM_SELF, Paradigm::MPI),
        6 => (GroupType::COMM_LOCATIONS, Paradigm::MPI),
        _ => (GroupType(0), Paradigm(0)),
    };
    Ok(Definition::Group { id, name, kind, paradigm, members })
}

/// A mapping in the file of a location: from the numbers in its events to those of global definitions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IdMap {
    /// Pairs, sorted by the local number.
    pairs: Vec<(u64, u64)>,
}

impl IdMap {
    /// The mapping in a record of this kind, and what it is for; none if the record is no mapping.
    pub fn decode(
        kind: u8,
        fields: &[u8],
        order: ByteOrder,
    ) -> Result<Option<(Mapping, IdMap)>, FormatError> {
        if kind != MAPPING_TABLE {
            return Ok(None);
        }
        let mut fields = Fields::new(fields, order);
        let f = &mut fields;
        let mapping = Mapping(f.u8()?);
        let count = f.u64()?;
        let dense = match f.u8()? {
            0 => true,
            1 => false,
            mode => return Err(FormatError::Code("kind of mapping", mode)),
        };
        if count > f.len() as u64 {
            return Err(FormatError::Short);
        }
        let pair = |local| Ok((if dense { local } else { f.u64()? }, f.u64()?));
        let mut pairs = (0..count).map(pair).collect::<Result<Vec<_>, _>>()?;
        pairs.sort_unstable();
        Ok(Some((mapping, IdMap { pairs })))
    }

    /// The global number. A number that is not mapped is global already.
    pub fn global(&self, local: u32) -> u32 {
        let at = self.pairs.binary_search_by_key(&u64::from(local), |&(local, _)| local);
        at.map_or(local, |at| u32::try_from(self.pairs[at].1).unwrap_or(UNDEFINED))
    }
}

#[cfg(test)]
mod tests;
