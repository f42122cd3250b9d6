//! Who computes what: ranks numbered as Megatron-LM numbers them, and the groups in which they communicate.
//!
//! ```text
//! rank = tensor + tp × (data + dp × stage)          data = expert + ep × replica
//! ```

use mpirage_call::{ContextId, FIRST_MADE};

/// The degrees of parallelism.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub dp: u32,
    pub tp: u32,
    pub pp: u32,
    /// Ranks of `dp` among which experts are spread.
    pub ep: u32,
    /// Do the first and the last stage combine the gradient of a matrix that they share?
    pub shares_embedding: bool,
}

/// The place of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seat {
    pub tensor: u32,
    pub data: u32,
    pub stage: u32,
}

/// Groups of one kind: each rank is in one, or in none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Axis {
    /// Shares layers.
    Tensor,
    /// Has the same part of the model.
    Data,
    /// Has different experts of the same layers.
    Expert,
    /// Has the same experts.
    Replica,
    /// The first and the last stage.
    Embedding,
}

impl Axis {
    const ALL: [Axis; 5] = [Axis::Tensor, Axis::Data, Axis::Expert, Axis::Replica, Axis::Embedding];
}

impl Layout {
    pub fn ranks(&self) -> u64 {
        u64::from(self.dp) * u64::from(self.tp) * u64::from(self.pp)
    }

    pub fn seat(&self, rank: u32) -> Seat {
        let (tensor, rest) = (rank % self.tp, rank / self.tp);
        Seat { tensor, data: rest % self.dp, stage: rest / self.dp }
    }

    pub fn rank(&self, seat: Seat) -> u32 {
        seat.tensor + self.tp * (seat.data + self.dp * seat.stage)
    }

    /// How many ranks a group has.
    pub fn size(&self, axis: Axis) -> u32 {
        match axis {
            Axis::Tensor => self.tp,
            Axis::Data => self.dp,
            Axis::Expert => self.ep,
            Axis::Replica => self.dp / self.ep,
            Axis::Embedding => 2,
        }
    }

    fn exists(&self, axis: Axis) -> bool {
        match axis {
            Axis::Embedding => self.shares_embedding,
            Axis::Replica => self.ep > 1 && self.size(axis) > 1,
            _ => self.size(axis) > 1,
        }
    }

    fn count(&self, axis: Axis) -> u32 {
        if !self.exists(axis) {
            return 0;
        }
        match axis {
            Axis::Embedding => self.tp * self.dp,
            _ => self.ranks() as u32 / self.size(axis),
        }
    }

    /// The number of a rank's group among those of its kind, and the rank in it.
    fn place(&self, axis: Axis, Seat { tensor, data, stage }: Seat) -> (u32, u32) {
        let (Layout { tp, dp, ep, .. }, expert, replica) = (*self, data % self.ep, data / self.ep);
        match axis {
            Axis::Tensor => (data + dp * stage, tensor),
            Axis::Data => (tensor + tp * stage, data),
            Axis::Expert => (tensor + tp * (replica + dp / ep * stage), expert),
            Axis::Replica => (tensor + tp * (expert + ep * stage), replica),
            Axis::Embedding => (tensor + tp * data, u32::from(stage > 0)),
        }
    }

    /// The communicator of a rank's group and the rank in it, if communicators are numbered from `first` on.
    pub fn group(&self, axis: Axis, seat: Seat, first: ContextId) -> (ContextId, u32) {
        let before: u32 =
            Axis::ALL.iter().take_while(|&&other| other != axis).map(|&other| self.count(other)).sum();
        let (number, place) = self.place(axis, seat);
        (ContextId::new(first.get() + before + number), place)
    }

    /// The members of all groups, in the order of their communicators.
    pub fn groups(&self) -> Vec<Vec<u32>> {
        let count = Axis::ALL.iter().map(|&axis| self.count(axis)).sum::<u32>();
        let mut groups = vec![Vec::new(); count as usize];
        for rank in 0..self.ranks() as u32 {
            let seat = self.seat(rank);
            let inner = seat.stage > 0 && seat.stage + 1 < self.pp;
            for axis in Axis::ALL.into_iter().filter(|&axis| self.exists(axis)) {
                if axis != Axis::Embedding || !inner {
                    let (context, _) = self.group(axis, seat, FIRST_MADE);
                    groups[(context.get() - FIRST_MADE.get()) as usize].push(rank);
                }
            }
        }
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_where_they_think_they_are() {
        let layout = Layout { dp: 4, tp: 2, pp: 3, ep: 2, shares_embedding: true };
        let groups = layout.groups();
        for rank in 0..24 {
            let seat = layout.seat(rank);
            assert_eq!(layout.rank(seat), rank);
            for axis in Axis::ALL {
                if axis == Axis::Embedding && seat.stage == 1 {
                    continue;
                }
                let (context, place) = layout.group(axis, seat, ContextId::new(100));
                let members = &groups[(context.get() - 100) as usize];
                assert_eq!(members.len() as u32, layout.size(axis), "{axis:?}");
                assert_eq!(members[place as usize], rank, "{axis:?}");
            }
        }
        assert_eq!(groups.len(), 12 + 6 + 12 + 12 + 8);
        assert_eq!(groups[0], [0, 1], "tensor parallelism is between neighbours");
    }
}
