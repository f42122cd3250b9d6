//! Recursive multiplying: recursive doubling with groups of k ranks, among the lowest ranks.
//!
//! ```text
//!   radix 3, 11 ranks   9 > 0, 10 > 1     round 0  (0 1 2) (3 4 5) (6 7 8)     round 1  (0 3 6) (1 4 7) (2 5 8)     0 > 9, 1 > 10
//! ```
//!
//! Other than in a recursive exchange (`recursive_exchange`), the surplus ranks are the highest ones, and rank r hands its vector to rank r modulo the power.
//! This is MPICH (`src/mpi/coll/allreduce`).

use crate::shape::Shape;
use crate::step::Schedule;

pub(crate) fn allreduce(shape: &Shape, out: &mut Schedule) {
    let radix = shape.parameters.radix.max(2);
    let power = largest_power(radix, shape.size);
    if shape.rank >= power {
        let partner = shape.rank % power;
        out.send(partner, shape.vector());
        return out.recv(partner, shape.bytes);
    }
    let surplus = || (shape.rank + power..shape.size).step_by(power as usize);
    surplus().for_each(|rank| out.irecv(rank, shape.bytes));
    out.wait_all();
    surplus().for_each(|_| out.reduce(shape.bytes));
    let mut distance = 1;
    while distance < power {
        round(shape, radix, distance, out);
        distance *= radix;
    }
    surplus().for_each(|rank| out.isend(rank, shape.vector()));
    out.wait_all();
}

/// Each with each of a group whose members are `distance` apart.
fn round(shape: &Shape, radix: u32, distance: u32, out: &mut Schedule) {
    let digit = shape.rank / distance % radix;
    let first = shape.rank - digit * distance;
    let others = || (0..radix).filter(|&other| other != digit).map(|other| first + other * distance);
    for other in others() {
        out.isend(other, shape.vector());
        out.irecv(other, shape.bytes);
    }
    out.wait_all();
    others().for_each(|_| out.reduce(shape.bytes));
    // Operands are combined in the order of ranks, in the buffer of the last one.
    if digit + 1 < radix {
        out.copy(shape.bytes);
    }
}

/// The largest power of the radix that is not above `most`.
fn largest_power(radix: u32, most: u32) -> u32 {
    let mut power = 1;
    while power <= most / radix {
        power *= radix;
    }
    power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_do_not_overflow() {
        assert_eq!(
            [1, 2, 8, 9, 26, 27, u32::MAX].map(|most| largest_power(3, most)),
            [1, 1, 3, 9, 9, 27, 3_486_784_401]
        );
    }
}
