//! Services: what a waiting rank does for the simulator, in portions that fit a mailbox.

use mpirage_call::{RankId, Service};
use mpirage_channel::SERVICE_BYTES;

/// Lets a waiting rank carry out services.
pub(crate) trait Serve {
    /// Asks a rank for one service, whose operands and result fit a mailbox, and fills `back` with the result. If the rank cannot
    /// carry it out, the implementation reports a fault, which ends the run.
    fn serve(&mut self, rank: RankId, service: &Service<'_>, back: &mut [u8]);
}

/// A reduction by an operator of the program.
#[derive(Clone, Copy)]
pub(crate) struct Reduction {
    pub op: u64,
    pub datatype: u64,
    pub elements: u64,
}

impl Reduction {
    /// Replaces `inout` by `incoming op inout`, computed by a rank, however large the operands are.
    pub(crate) fn run(self, server: &mut impl Serve, rank: RankId, incoming: &[u8], inout: &mut [u8]) {
        let element = inout.len() / (self.elements.max(1) as usize);
        if element == 0 {
            return;
        }
        if element > SERVICE_BYTES / 2 {
            return self.run_staged(server, rank, incoming, inout);
        }
        let Reduction { op, datatype, .. } = self;
        let step = SERVICE_BYTES / 2 / element * element;
        for (incoming, inout) in incoming.chunks(step).zip(inout.chunks_mut(step)) {
            let elements = (inout.len() / element) as u64;
            let operand = inout.to_vec();
            let service = Service::Reduce { op, datatype, elements, incoming, inout: &operand };
            server.serve(rank, &service, inout);
        }
    }

    /// One element does not fit: the rank collects the operands in a buffer first.
    fn run_staged(self, server: &mut impl Serve, rank: RankId, incoming: &[u8], inout: &mut [u8]) {
        let Reduction { op, datatype, elements } = self;
        let mut offset = 0;
        for bytes in incoming.chunks(SERVICE_BYTES).chain(inout.chunks(SERVICE_BYTES)) {
            server.serve(rank, &Service::Stage { offset, bytes }, &mut []);
            offset += bytes.len() as u64;
        }
        let bytes = inout.len() as u64;
        server.serve(rank, &Service::ReduceStaged { op, datatype, elements, bytes }, &mut []);
        let mut offset = incoming.len() as u64;
        for back in inout.chunks_mut(SERVICE_BYTES) {
            let bytes = back.len() as u64;
            server.serve(rank, &Service::Fetch { offset, bytes }, back);
            offset += bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A rank that adds bytes, with the limits of a mailbox.
    #[derive(Default)]
    struct Adder {
        staged: Vec<u8>,
        calls: usize,
    }

    impl Serve for Adder {
        fn serve(&mut self, _: RankId, service: &Service<'_>, back: &mut [u8]) {
            assert!(back.len() <= SERVICE_BYTES);
            match *service {
                Service::Reduce { incoming, inout, .. } => {
                    assert!(incoming.len() + inout.len() <= SERVICE_BYTES);
                    self.calls += 1;
                    add(incoming, inout, back);
                }
                Service::Stage { offset, bytes } => {
                    assert!(bytes.len() <= SERVICE_BYTES);
                    assert_eq!(offset as usize, self.staged.len());
                    self.staged.extend_from_slice(bytes);
                }
                Service::ReduceStaged { bytes, .. } => {
                    self.calls += 1;
                    let (left, right) = self.staged.split_at_mut(bytes as usize);
                    let operand = right.to_vec();
                    add(left, &operand, right);
                }
                Service::Fetch { offset, bytes } => {
                    back.copy_from_slice(&self.staged[offset as usize..][..bytes as usize]);
                }
                Service::Peek { .. } | Service::Poke { .. } => unreachable!("no part of a reduction"),
            }
        }
    }

    fn add(left: &[u8], right: &[u8], sum: &mut [u8]) {
        for (sum, (left, right)) in sum.iter_mut().zip(left.iter().zip(right)) {
            *sum = left.wrapping_add(*right);
        }
    }

    /// Reduces `elements` elements of `size` bytes; gives how often the operator was called.
    fn reduce(elements: usize, size: usize) -> usize {
        let incoming: Vec<u8> = (0..elements * size).map(|i| (i % 251) as u8).collect();
        let mut inout: Vec<u8> = (0..elements * size).map(|i| (i % 13) as u8).collect();
        let mut sum = inout.clone();
        add(&incoming, &inout, &mut sum);
        let mut rank = Adder::default();
        Reduction { op: 1, datatype: 2, elements: elements as u64 }.run(
            &mut rank,
            RankId::new(0),
            &incoming,
            &mut inout,
        );
        assert!(inout == sum, "{elements} elements of {size} bytes");
        rank.calls
    }

    #[test]
    fn operands_of_any_size_are_reduced_whole() {
        assert_eq!(reduce(0, 8), 0);
        assert_eq!(reduce(3, 8), 1);
        assert_eq!(reduce(1 << 18, 8), 4);
        assert_eq!(reduce(5, 300_000), 5);
        assert_eq!(reduce(1, SERVICE_BYTES / 2), 1);
        assert_eq!(reduce(1, SERVICE_BYTES / 2 + 1), 1);
        assert_eq!(reduce(3, 2 * SERVICE_BYTES + 7), 1);
    }
}
