//! What a call sets in motion: sends, receives and collectives, once or again and again.
//!
//! ```text
//!  MPI_Send ─────────────────────────────┐ run      call, answer, done
//!  MPI_Isend ──► Operation ──────────────┤ begin    a request, whose transfers are under way
//!  MPI_Send_init, MPI_Start ─────────────┘ keep     a request that holds on to the operation
//! ```

use std::sync::Arc;

use mpirage_call::{Completion, RequestId};
use smallvec::{SmallVec, smallvec};

use crate::collection::Collection;
use crate::connection;
use crate::error::Result;
use crate::fold::Fold;
use crate::library::with;
use crate::message::{Incoming, Outgoing};
use crate::objects::bridge::Bridge;
use crate::objects::request::Request;
use crate::region::Region;
use crate::status;
use crate::types::{MPI_Comm, MPI_Request};

/// Most operations have one step, which needs no memory of its own.
pub(crate) type Steps = SmallVec<[Step; 1]>;
/// What is under way of such an operation.
pub(crate) type Transfers = SmallVec<[Transfer; 1]>;

/// Something to do, with all its arguments checked.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    /// For errors found when it completes.
    pub comm: MPI_Comm,
    /// What happens at once, in this order.
    pub steps: Steps,
    /// Is the status empty, whatever the steps receive?
    pub collective: bool,
}

/// One call to the simulator, or none if the peer is nobody.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Nothing(Completion),
    Send(Outgoing),
    Receive(Incoming),
    Collective(Box<Collection>),
}

/// A step under way.
#[derive(Debug)]
pub(crate) struct Transfer {
    /// Its number at the simulator; none once it is complete.
    pub id: Option<RequestId>,
    /// What it keeps in memory until then.
    pub held: Held,
    /// How it ended.
    pub done: Option<Completion>,
}

/// Memory of ours that a transfer uses.
#[derive(Debug, Default)]
pub(crate) struct Held {
    /// Packed bytes that are sent from here.
    #[allow(dead_code, reason = "it is kept for its address, which the simulator has")]
    pub outgoing: Option<Arc<Vec<u8>>>,
    /// Packed bytes that arrive here, to be unpacked.
    pub incoming: Option<Box<Landing>>,
    /// Bytes there is room for, for the message when there are more.
    pub room: u64,
    /// Whence it comes, if from the other side of an inter-communicator.
    pub bridge: Option<Arc<Bridge>>,
}

/// Packed bytes and where they go from here.
#[derive(Debug)]
pub(crate) struct Landing {
    packed: Vec<u8>,
    /// Filled one after the other.
    regions: Vec<Region>,
    /// Does a completion tell how many bytes have come? Of a collective, all of them have.
    counted: bool,
    /// Are they contributions to be combined first?
    fold: Option<Fold>,
}

impl Operation {
    pub(crate) fn one(comm: MPI_Comm, step: Step) -> Operation {
        let collective = matches!(step, Step::Collective(_));
        Operation { comm, steps: smallvec![step], collective }
    }

    /// Does it and waits for its end, which is that of its last step.
    pub(crate) fn run(self) -> Result<Completion> {
        let [step] = &self.steps[..] else {
            let request = self.begin();
            return crate::completion::wait_for(request);
        };
        let (held, completion) = step.run();
        held.finish(&completion)?;
        Ok(completion)
    }

    /// Sets it in motion.
    pub(crate) fn begin(self) -> MPI_Request {
        let transfers = self.launch();
        with(|library| library.requests.insert(Request::once(self.comm, self.collective, transfers)))
    }

    /// A request that starts it when told.
    pub(crate) fn keep(mut self) -> MPI_Request {
        with(|library| {
            for step in &mut self.steps {
                if let (Step::Collective(collection), Ok(comm)) = (step, library.comms.get_mut(self.comm)) {
                    comm.plans += 1;
                    collection.plan = comm.plans;
                }
            }
            library.requests.insert(Request::persistent(self))
        })
    }

    /// Starts all steps.
    pub(crate) fn launch(&self) -> Transfers {
        self.steps.iter().map(Step::launch).collect()
    }
}

impl Step {
    fn launch(&self) -> Transfer {
        if let Step::Nothing(completion) = self {
            return Transfer { id: None, held: Held::default(), done: Some(*completion) };
        }
        let id = with(|library| library.requests.take_id());
        let held = match self {
            Step::Nothing(_) => unreachable!("dealt with above"),
            Step::Send(message) => message.post(id),
            Step::Receive(message) => message.post(id),
            Step::Collective(collection) => collection.post(id),
        };
        Transfer { id: Some(id), held, done: None }
    }

    fn run(&self) -> (Held, Completion) {
        match self {
            Step::Nothing(completion) => (Held::default(), *completion),
            Step::Send(message) => {
                message.run();
                (Held::default(), Completion::empty(0))
            }
            Step::Receive(message) => message.run(),
            Step::Collective(collection) => (collection.run(), Completion::empty(0)),
        }
    }
}

impl Held {
    /// Does the simulator know addresses of memory in here?
    pub(crate) fn keeps_memory(&self) -> bool {
        self.outgoing.is_some() || self.incoming.is_some()
    }

    /// The completion with its source as the program numbers it.
    pub(crate) fn seen_from_here(&self, completion: Completion) -> Completion {
        self.bridge.as_ref().map_or(completion, |bridge| bridge.seen_from_here(completion))
    }

    /// Puts what arrived where it belongs.
    pub(crate) fn finish(self, completion: &Completion) -> Result<()> {
        if let Some(landing) = self.incoming {
            landing.finish(completion)?;
        }
        status::check_room(completion, self.room)
    }
}

impl Landing {
    /// Room for a message.
    pub(crate) fn of_message(region: Region) -> Landing {
        Landing { packed: vec![0; region.bytes()], regions: vec![region], counted: true, fold: None }
    }

    /// Room for what a collective brings.
    pub(crate) fn of_collective(regions: Vec<Region>) -> Landing {
        let bytes = regions.iter().map(Region::bytes).sum();
        Landing { packed: vec![0; bytes], regions, counted: false, fold: None }
    }

    /// Room for so many bytes of contributions, which are combined.
    pub(crate) fn of_contributions(bytes: usize, fold: Fold) -> Landing {
        let regions = vec![fold.result.clone()];
        Landing { packed: vec![0; bytes], regions, counted: false, fold: Some(fold) }
    }

    /// Where the packed bytes are to be stored.
    pub(crate) fn address(&mut self) -> u64 {
        self.packed.as_mut_ptr().addr() as u64
    }

    fn finish(mut self, completion: &Completion) -> Result<()> {
        if let Some(fold) = self.fold.take() {
            self.packed = fold.apply(&self.packed)?;
        }
        let arrived = if self.counted { completion.bytes as usize } else { usize::MAX };
        let mut rest = &self.packed[..arrived.min(self.packed.len())];
        for region in &self.regions {
            let (now, later) = rest.split_at(region.bytes().min(rest.len()));
            // SAFETY: the program gave this memory to MPI for the operation that is just completing.
            unsafe { region.unpack(now) };
            rest = later;
        }
        Ok(())
    }
}

/// Bytes a message may have to travel inside its call.
pub(crate) fn inline_bytes() -> usize {
    connection::line().briefing.inline_bytes as usize
}
