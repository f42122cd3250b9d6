//! Communicators.

use core::ffi::c_int;
use std::sync::{Arc, Mutex, PoisonError};

use mpirage_call::{ContextId, SELF, WORLD};
use mpirage_data::Group;

use crate::constants::*;
use crate::ground::error::{MpiError, Result, fail};
use crate::ground::handles::Handles;
use crate::objects::bridge::Bridge;
use crate::objects::errhandler;
use crate::objects::info::Info;
use crate::objects::keyval::Attributes;
use crate::objects::message::Attached;
use crate::objects::topology::Topology;
use crate::types::{MPI_Comm, MPI_Errhandler, MPI_Session};

/// A communicator, as one of its members sees it.
#[derive(Clone, Debug)]
pub(crate) struct Comm {
    /// Its number at the simulator.
    pub context: ContextId,
    /// Its members as ranks of the world, in order; of an inter-communicator, those on this side.
    pub group: Group,
    /// The other side, of an inter-communicator.
    pub bridge: Option<Arc<Bridge>>,
    /// The rank of this process in it.
    pub rank: u32,
    /// The name that the program gave it.
    pub name: String,
    /// How many persistent collectives have been made on it.
    pub plans: u32,
    /// Its error handler.
    pub errhandler: MPI_Errhandler,
    /// The attributes that the program attached.
    pub attributes: Attributes,
    /// The hints that the program gave.
    pub hints: Info,
    /// Its topology, if it has one.
    pub topology: Option<Arc<Topology>>,
    /// Its own buffer for buffered sends.
    pub buffer: Option<Attached>,
    /// The session that it comes from; none in the world model.
    pub session: Option<MPI_Session>,
}

impl Comm {
    /// A new communicator with these members, seen by the one that is `me` in the world.
    pub(crate) fn new(context: ContextId, group: Group, me: u32) -> Comm {
        let rank = group.rank_of(me).expect("only members see a communicator");
        Comm {
            context,
            group,
            bridge: None,
            rank,
            name: String::new(),
            plans: 0,
            errhandler: errhandler::DEFAULT,
            attributes: Attributes::default(),
            hints: Info::default(),
            topology: None,
            buffer: None,
            session: None,
        }
    }

    pub(crate) fn size(&self) -> u32 {
        self.group.size()
    }

    /// The number of ranks that can receive messages: of an inter-communicator, those on the other side.
    #[inline]
    pub(crate) fn peers(&self) -> u32 {
        self.bridge.as_ref().map_or(self.size(), |bridge| bridge.remote.size())
    }

    /// The rank that the argument `what` names.
    #[inline]
    pub(crate) fn member(&self, what: &str, rank: c_int) -> Result<u32> {
        match u32::try_from(rank) {
            Ok(member) if member < self.peers() => Ok(member),
            _ => fail!(class_of(what), "{what} is {rank}, but {} has {}", self.title(), self.ranks()),
        }
    }

    /// The number of the next persistent collective.
    pub(crate) fn next_plan(&mut self) -> u32 {
        self.plans += 1;
        self.plans
    }

    /// The number of a rank at the simulator.
    #[inline]
    pub(crate) fn seat_of(&self, member: u32) -> u32 {
        self.bridge.as_ref().map_or(member, |bridge| bridge.seat_of(member))
    }

    /// Its name in error messages.
    pub(crate) fn title(&self) -> &str {
        if self.name.is_empty() { "the communicator" } else { &self.name }
    }

    fn ranks(&self) -> String {
        let side = if self.bridge.is_some() { " on its other side" } else { "" };
        match self.peers() {
            1 => format!("1 rank{side}"),
            peers => format!("{peers} ranks{side}"),
        }
    }
}

/// The group of a world of so many ranks from the `first` of the run on. The first world's is one for all ranks of this process, which look at it with
/// every message.
pub(crate) fn world_group(first: u32, size: u32) -> Group {
    static KNOWN: Mutex<Option<Group>> = Mutex::new(None);
    if first > 0 {
        return Group::of(first..first + size).expect("ranks of a world are distinct");
    }
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if known.as_ref().is_none_or(|group| group.size() != size) {
        *known = None;
    }
    known.get_or_insert_with(|| Group::world(size)).clone()
}

/// All communicators of this process.
#[derive(Debug)]
pub(crate) struct Comms {
    handles: Handles<Comm>,
}

impl Comms {
    /// None: they come with [`Comms::open`].
    pub(crate) const fn new() -> Comms {
        Comms { handles: Handles::new() }
    }

    /// Makes the predefined communicators of rank `me` of the run, whose world this is.
    pub(crate) fn open(&mut self, me: u32, world: Group) {
        let world = Comm { name: "MPI_COMM_WORLD".into(), ..Comm::new(WORLD, world, me) };
        let alone = Group::of([me]).expect("one rank is a group");
        let own = Comm { name: "MPI_COMM_SELF".into(), ..Comm::new(SELF, alone, me) };
        self.handles.predefine(MPI_COMM_WORLD.0, world);
        self.handles.predefine(MPI_COMM_SELF.0, own);
    }

    /// Brings those near that are likely to be used.
    pub(crate) fn fetch(&self) {
        self.handles.fetch();
    }

    pub(crate) fn insert(&mut self, comm: Comm) -> MPI_Comm {
        MPI_Comm(self.handles.insert(comm))
    }

    #[inline]
    pub(crate) fn get(&self, comm: MPI_Comm) -> Result<&Comm> {
        self.handles.get(comm.0).ok_or_else(|| self.invalid(comm))
    }

    pub(crate) fn get_mut(&mut self, comm: MPI_Comm) -> Result<&mut Comm> {
        self.get(comm)?;
        Ok(self.handles.get_mut(comm.0).expect("it is there"))
    }

    #[cold]
    fn invalid(&self, comm: MPI_Comm) -> MpiError {
        let text = match comm {
            MPI_COMM_NULL => "the communicator is MPI_COMM_NULL".to_owned(),
            MPI_COMM_WORLD => "MPI_COMM_WORLD does not exist without MPI_Init".to_owned(),
            MPI_COMM_SELF => "MPI_COMM_SELF does not exist without MPI_Init".to_owned(),
            MPI_Comm(handle) if self.handles.is_stale(handle) => {
                format!("the communicator {handle:#x} has been freed already")
            }
            MPI_Comm(handle) => format!("{handle:#x} is not a communicator"),
        };
        MpiError::new(MPI_ERR_COMM, text)
    }

    /// The predefined ones stay.
    pub(crate) fn check_freeable(&self, comm: MPI_Comm) -> Result<()> {
        let object = self.get(comm)?;
        if comm == MPI_COMM_WORLD || comm == MPI_COMM_SELF {
            fail!(MPI_ERR_COMM, "{} is predefined and cannot be freed", object.title());
        }
        Ok(())
    }

    pub(crate) fn remove(&mut self, comm: MPI_Comm) -> Result<Comm> {
        self.check_freeable(comm)?;
        Ok(self.handles.remove(comm.0).expect("it is there"))
    }
}

/// The error class of a wrong rank in the argument `what`.
fn class_of(what: &str) -> c_int {
    if what == "root" { MPI_ERR_ROOT } else { MPI_ERR_RANK }
}
