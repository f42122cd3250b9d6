//! Compares what the members of a collective give and get.

use mpirage_call::{Collective, CollectiveCall, FindingClass, Peers, Signature};
use rustc_hash::FxHashMap;

use crate::raw::{CallSite, RawFinding, Related};

/// Above this many members, each is compared with the first two only.
const ALL_PAIRS: usize = 128;

/// A rank's declaration about its part in a collective.
#[derive(Clone, Debug, Default)]
pub(crate) struct Declared {
    pub call: CallSite,
    pub send: Vec<Signature>,
    pub recv: Vec<Signature>,
    pub send_text: String,
    pub recv_text: String,
}

/// A rank enters a collective.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// The rank of `MPI_COMM_WORLD`.
    pub rank: u32,
    /// Its rank in the communicator.
    pub member: u32,
    /// The number of members.
    pub size: u32,
}

#[derive(Debug)]
struct Member {
    rank: u32,
    declared: Declared,
}

/// A collective that some of its members have entered.
#[derive(Debug)]
struct Instance {
    kind: Collective,
    root: u32,
    members: Vec<Option<Member>>,
    entered: usize,
}

/// The collectives under way, by their numbers.
#[derive(Debug, Default)]
pub(crate) struct Collectives {
    under_way: FxHashMap<u64, Instance>,
}

impl Collectives {
    /// A rank enters. Gives what is wrong when all have entered.
    pub(crate) fn enter(
        &mut self,
        number: u64,
        entry: Entry,
        call: &CollectiveCall<'_>,
        declared: Declared,
    ) -> Vec<RawFinding> {
        let instance = self.under_way.entry(number).or_insert_with(|| Instance {
            kind: call.kind,
            root: call.root,
            members: (0..entry.size).map(|_| None).collect(),
            entered: 0,
        });
        if let Some(place) = instance.members.get_mut(entry.member as usize)
            && place.replace(Member { rank: entry.rank, declared }).is_none()
        {
            instance.entered += 1;
        }
        if instance.entered < instance.members.len() {
            return Vec::new();
        }
        let Some(instance) = self.under_way.remove(&number) else { return Vec::new() };
        let mut found: Vec<RawFinding> = instance.other_function().into_iter().collect();
        if call.peers == Peers::All {
            found.extend(instance.mismatches());
        }
        found
    }
}

impl Instance {
    fn member(&self, at: usize) -> Option<&Member> {
        self.members.get(at)?.as_ref()
    }

    /// Members that called functions which share an operation of ours but do not match, such as `MPI_Barrier` and `MPI_Win_fence`.
    fn other_function(&self) -> Option<RawFinding> {
        let first = self.member(0)?;
        let name = |member: &Member| plain_name(member.declared.call.name());
        let other = self.members.iter().flatten().find(|member| name(member) != name(first))?;
        let text = format!(
            "rank {} calls {}, but rank {} calls {}",
            other.rank,
            other.declared.call.name(),
            first.rank,
            first.declared.call.name()
        );
        Some(RawFinding {
            class: FindingClass::CollectiveMismatch,
            rank: other.rank,
            call: other.declared.call,
            text,
            expected: Some(format!("{} on all ranks", first.declared.call.name())),
            related: vec![first.related("the call of another rank")],
        })
    }

    fn mismatches(&self) -> Vec<RawFinding> {
        self.pairs().into_iter().filter_map(|(from, to)| self.compare(from, to)).collect()
    }

    /// Members of whom the first sends to the second; the same member does not send to itself.
    fn pairs(&self) -> Vec<(usize, usize)> {
        use Collective as C;
        let (size, root) = (self.members.len(), self.root as usize);
        let others = || (0..size).filter(move |&member| member != root);
        match self.kind {
            C::Bcast | C::Scatter | C::Scatterv => others().map(|to| (root, to)).collect(),
            C::Gather | C::Gatherv => others().map(|from| (from, root)).collect(),
            C::Allgather | C::Allgatherv | C::Alltoall | C::Alltoallv | C::Alltoallw => all_pairs(size),
            C::Reduce | C::Allreduce | C::Scan | C::Exscan | C::ReduceScatter | C::ReduceScatterBlock => {
                (1..size).map(|member| (0, member)).collect()
            }
            _ => Vec::new(),
        }
    }

    fn is_reduction(&self) -> bool {
        use Collective as C;
        matches!(
            self.kind,
            C::Reduce | C::Allreduce | C::Scan | C::Exscan | C::ReduceScatter | C::ReduceScatterBlock
        )
    }

    /// Compares what one member sends with what another receives; of a reduction, what both give.
    fn compare(&self, from: usize, to: usize) -> Option<RawFinding> {
        let (sender, receiver) = (self.member(from)?, self.member(to)?);
        let sent = block(&sender.declared.send, to)?;
        let (received, verb, text) = if self.is_reduction() {
            (block(&receiver.declared.send, from)?, "gives", &receiver.declared.send_text)
        } else {
            (block(&receiver.declared.recv, from)?, "receives", &receiver.declared.recv_text)
        };
        if sent.agrees_with(&received) {
            return None;
        }
        let sent_text = &sender.declared.send_text;
        let class = match sent.elements == received.elements {
            true => FindingClass::DatatypeMismatch,
            false => FindingClass::CountMismatch,
        };
        let name = receiver.declared.call.name();
        let by = if self.is_reduction() { "gives" } else { "sends" };
        Some(RawFinding {
            class,
            rank: receiver.rank,
            call: receiver.declared.call,
            text: format!("{name} {verb} {text}, but rank {} {by} {sent_text}", sender.rank),
            expected: Some(format!("the type signature of {sent_text}")),
            related: vec![sender.related(&format!("rank {} {by} {sent_text}", sender.rank))],
        })
    }
}

impl Member {
    fn related(&self, text: &str) -> Related {
        Related { rank: self.rank, call: self.declared.call, text: text.to_owned() }
    }
}

/// The signature of the block for a peer; one signature stands for all blocks.
fn block(signatures: &[Signature], peer: usize) -> Option<Signature> {
    match signatures {
        [] => None,
        [only] => Some(*only),
        list => list.get(peer).copied(),
    }
}

fn all_pairs(size: usize) -> Vec<(usize, usize)> {
    let senders = if size > ALL_PAIRS { 2 } else { size };
    let to_all = |from: usize| (0..size).filter(move |&to| to != from).map(move |to| (from, to));
    (0..senders).flat_map(to_all).collect()
}

/// The name without what does not matter for matching: large counts, and how a persistent operation was started.
fn plain_name(name: &str) -> &str {
    let name = name.strip_suffix("_c").unwrap_or(name);
    if name == "MPI_Startall" { "MPI_Start" } else { name }
}
