//! Collectives of a rank: their arguments, and the calls they become.

use mpirage_call::{Blocks, Call, Collective, CollectiveCall, Input, Part, Payload, Peers, Reduction, WORLD};

use super::arguments::{Arguments, bad, size_of};
use super::player::{After, COLLECTIVE, Common, Player};
use super::text::Words;
use super::words::Action;
use crate::Calls;

impl Player {
    pub(super) fn collective(
        &mut self,
        action: Action,
        later: bool,
        mut words: Arguments<'_>,
        common: &mut Common,
        calls: &mut Calls<'_>,
    ) -> Result<bool, String> {
        let input = if words.in_place() { Input::InPlace } else { Input::Apart };
        let mut blocks = std::mem::take(&mut common.blocks);
        let taken = self.taken(action, &mut words, common.ranks, &mut blocks);
        let result = taken.map(|(kind, root, [send, recv], reduction, flops)| {
            let request = later.then(|| {
                self.collectives += 1;
                self.requests.open((COLLECTIVE, self.rank as i32, self.collectives - 1))
            });
            let index = Collective::ALL.iter().position(|&known| known == kind).unwrap_or_default();
            let stamp = self.stamp(common.functions.collectives[index][usize::from(later)]);
            let (send, recv) = (part(send, &blocks[0]), part(recv, &blocks[1]));
            let call = CollectiveCall {
                kind,
                context: WORLD,
                root,
                peers: Peers::All,
                send,
                recv,
                reduction,
                request,
                plan: 0,
                input,
                on_mismatch: Default::default(),
            };
            calls.push(&stamp, &Call::Collective(call));
            if flops > 0.0 {
                self.after = After::Compute(flops);
            }
            !later
        });
        common.blocks = blocks;
        result
    }

    /// The arguments of a collective.
    fn taken(
        &self,
        action: Action,
        words: &mut Arguments<'_>,
        ranks: u32,
        blocks: &mut [Vec<u64>; 2],
    ) -> Result<Taken, String> {
        use Collective as C;
        let nothing = [Cut::Whole(0); 2];
        Ok(match action {
            Action::Barrier => (C::Barrier, 0, nothing, None, 0.0),
            Action::Bcast => {
                let count = words.size("the size")?;
                let root = words.root(ranks)?;
                let bytes = Cut::Whole(count * words.datatype(self.element)?);
                let none = Cut::Whole(0);
                (C::Bcast, root, if root == self.rank { [bytes, none] } else { [none, bytes] }, None, 0.0)
            }
            Action::Reduce | Action::Allreduce | Action::Scan | Action::Exscan => {
                self.reduced(action, words, ranks)?
            }
            Action::ReduceScatter => {
                let counts = words.counts(ranks, 0, 1)?;
                let flops = words.amount("the flops")?;
                let element = words.datatype(self.element)?;
                let total = fill(&mut blocks[1], counts, element)?;
                let reduction = Some(words.reduction(total, element as u32)?);
                (C::ReduceScatter, 0, [Cut::Whole(total), Cut::Each], reduction, flops)
            }
            Action::Alltoall | Action::Allgather | Action::Gather | Action::Scatter => {
                self.equal(action, words, ranks)?
            }
            Action::Alltoallv => {
                let gives = words.counts(ranks, 1, 1)?;
                let gets = words.counts(ranks, 1, 0)?;
                fill(&mut blocks[0], gives, words.datatype(self.element)?)?;
                fill(&mut blocks[1], gets, words.datatype(self.element)?)?;
                (C::Alltoallv, 0, [Cut::Each; 2], None, 0.0)
            }
            Action::Gatherv => {
                let count = words.size("the count to send")?;
                let gets = words.counts(ranks, 0, 0)?;
                let root = words.root(ranks)?;
                let send = Cut::Whole(count * words.datatype(self.element)?);
                let recv = if root == self.rank { Cut::Each } else { Cut::Whole(0) };
                fill(&mut blocks[1], gets, words.datatype(self.element)?)?;
                (C::Gatherv, root, [send, recv], None, 0.0)
            }
            Action::Scatterv => {
                let gives = words.counts(ranks, 0, 1)?;
                let count = words.size("the count to receive")?;
                let root = words.root(ranks)?;
                let send = if root == self.rank { Cut::Each } else { Cut::Whole(0) };
                fill(&mut blocks[0], gives, words.datatype(self.element)?)?;
                let recv = Cut::Whole(count * words.datatype(self.element)?);
                (C::Scatterv, root, [send, recv], None, 0.0)
            }
            Action::Allgatherv => {
                let count = words.size("the count to send")?;
                let gets = words.counts(ranks, 0, 0)?;
                // Then two datatypes, or displacements, or both.
                let left = words.words.count() as u64;
                let typed = left <= 2 || left > u64::from(ranks);
                let (gives, got) = match typed {
                    true => (words.datatype(self.element)?, words.datatype(self.element)?),
                    false => (self.element, self.element),
                };
                fill(&mut blocks[1], gets, got)?;
                (C::Allgatherv, 0, [Cut::Whole(count * gives), Cut::Each], None, 0.0)
            }
            _ => return Err("is no collective".to_owned()),
        })
    }

    fn reduced(&self, action: Action, words: &mut Arguments<'_>, ranks: u32) -> Result<Taken, String> {
        let count = words.size("the size")?;
        let flops = words.amount("the flops")?;
        let root = if action == Action::Reduce { words.root(ranks)? } else { 0 };
        let element = words.datatype(self.element)?;
        let (kind, gets) = match action {
            Action::Reduce => (Collective::Reduce, root == self.rank),
            Action::Allreduce => (Collective::Allreduce, true),
            Action::Scan => (Collective::Scan, true),
            _ => (Collective::Exscan, true),
        };
        let bytes = Cut::Whole(count * element);
        let reduction = Some(words.reduction(count * element, element as u32)?);
        Ok((kind, root, [bytes, if gets { bytes } else { Cut::Whole(0) }], reduction, flops))
    }

    fn equal(&self, action: Action, words: &mut Arguments<'_>, ranks: u32) -> Result<Taken, String> {
        let (gives, gets) = (words.size("the count to send")?, words.size("the count to receive")?);
        let rooted = matches!(action, Action::Gather | Action::Scatter);
        let root = if rooted { words.root(ranks)? } else { 0 };
        let (gives, gets) = (gives * words.datatype(self.element)?, gets * words.datatype(self.element)?);
        let none = Cut::Whole(0);
        let is_root = root == self.rank;
        let (kind, cuts) = match action {
            Action::Alltoall => (Collective::Alltoall, [Cut::Equal(gives), Cut::Equal(gets)]),
            Action::Allgather => (Collective::Allgather, [Cut::Whole(gives), Cut::Equal(gets)]),
            Action::Gather => {
                (Collective::Gather, [Cut::Whole(gives), if is_root { Cut::Equal(gets) } else { none }])
            }
            _ => (Collective::Scatter, [if is_root { Cut::Equal(gives) } else { none }, Cut::Whole(gets)]),
        };
        Ok((kind, root, cuts, None, 0.0))
    }
}

/// Kind, root, how both sides are cut, reduction, flops that follow.
type Taken = (Collective, u32, [Cut; 2], Option<Reduction>, f64);

#[derive(Clone, Copy)]
enum Cut {
    Whole(u64),
    Equal(u64),
    /// As written down.
    Each,
}

fn part(cut: Cut, blocks: &[u64]) -> Part<'_> {
    let blocks = match cut {
        Cut::Whole(bytes) => Blocks::Whole(bytes),
        Cut::Equal(bytes) => Blocks::Equal(bytes),
        Cut::Each => Blocks::Each(blocks),
    };
    Part { payload: Payload::Absent, blocks }
}

/// Offsets and lengths of blocks with these counts, one after the other; gives the bytes of all.
fn fill(blocks: &mut Vec<u64>, counts: Words<'_>, element: u64) -> Result<u64, String> {
    blocks.clear();
    let mut total = 0u64;
    for word in counts {
        let count = size_of(word).ok_or_else(|| bad("a count", word))?;
        blocks.extend([total, count * element]);
        total += count * element;
    }
    Ok(total)
}
