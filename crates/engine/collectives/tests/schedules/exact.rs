//! Schedules written out, where simulated times are compared with SimGrid's to the last digit.

use mpirage_call::{Algorithm, Collective};
use mpirage_collectives::Step::{self, *};

use crate::common::Case;

/// The steps of `rank`, without local copies.
fn steps(case: &Case, algorithm: Algorithm, rank: usize) -> Vec<Step> {
    let mut steps = case.schedules(algorithm).swap_remove(rank).steps;
    steps.retain(|step| !matches!(step, Copy { .. }));
    steps
}

fn irecv(from: u32, bytes: u64) -> Step {
    Irecv { from, bytes, slot: 0, set: 0 }
}

fn isend(to: u32, bytes: u64) -> Step {
    Isend { to, bytes, slot: 0, set: 0 }
}

fn send(to: u32, bytes: u64) -> Step {
    Send { to, bytes, slot: 0 }
}

fn recv(from: u32, bytes: u64) -> Step {
    Recv { from, bytes, slot: 0 }
}

fn exchange(to: u32, sent: u64, from: u32, received: u64) -> [Step; 3] {
    [irecv(from, received), isend(to, sent), WaitAll]
}

#[test]
fn allreduce_by_recursive_doubling_swaps_the_vector_with_rank_xor_mask() {
    let case = Case::new(Collective::Allreduce, 8, 8).element(8);
    let expected: Vec<_> = [4, 7, 1]
        .into_iter()
        .flat_map(|with| exchange(with, 8, with, 8).into_iter().chain([Reduce { bytes: 8 }]))
        .collect();
    assert_eq!(steps(&case, Algorithm::RecursiveDoubling, 5), expected);
}

#[test]
fn allreduce_of_six_shrinks_to_four() {
    let case = Case::new(Collective::Allreduce, 6, 8).element(8);
    assert_eq!(steps(&case, Algorithm::RecursiveDoubling, 2), [send(3, 8), recv(3, 8)]);
    let reduce = [Reduce { bytes: 8 }];
    let expected = [
        &[recv(2, 8)],
        &reduce[..],
        &exchange(1, 8, 1, 8),
        &reduce,
        &exchange(5, 8, 5, 8),
        &reduce,
        &[send(2, 8)],
    ];
    assert_eq!(steps(&case, Algorithm::RecursiveDoubling, 3), expected.concat());
}

#[test]
fn alltoall_linear_posts_all_receives_then_all_sends() {
    let case = Case::new(Collective::Alltoall, 4, 10);
    let expected =
        [irecv(2, 10), irecv(3, 10), irecv(0, 10), isend(0, 10), isend(3, 10), isend(2, 10), WaitAll];
    assert_eq!(steps(&case, Algorithm::Linear, 1), expected);
}

#[test]
fn alltoallv_linear_leaves_out_pairs_with_nothing_to_say() {
    let case = Case::new(Collective::Alltoallv, 4, 0).counts(|i, j| u64::from(i * 2 == j) * 7);
    assert_eq!(steps(&case, Algorithm::Linear, 1), [isend(2, 7), WaitAll]);
    assert_eq!(steps(&case, Algorithm::Linear, 2), [irecv(1, 7), WaitAll]);
    assert_eq!(steps(&case, Algorithm::Linear, 3), []);
}

#[test]
fn alltoall_pairwise_sends_to_rank_plus_i_and_receives_from_rank_minus_i() {
    let case = Case::new(Collective::Alltoall, 5, 10);
    let expected =
        [exchange(2, 10, 0, 10), exchange(3, 10, 4, 10), exchange(4, 10, 3, 10), exchange(0, 10, 2, 10)];
    assert_eq!(steps(&case, Algorithm::Pairwise, 1), expected.concat());
}

#[test]
fn alltoall_bruck_sends_all_blocks_whose_index_has_the_bit() {
    let case = Case::new(Collective::Alltoall, 6, 10);
    // Of 0..6: 1 3 5 have bit 0; 2 3 have bit 1; 4 5 have bit 2.
    let expected = [exchange(2, 30, 0, 30), exchange(3, 20, 5, 20), exchange(5, 20, 3, 20)];
    assert_eq!(steps(&case, Algorithm::Bruck, 1), expected.concat());
}

#[test]
fn scatter_binomial_sends_the_biggest_subtree_first() {
    let case = Case::new(Collective::Scatter, 7, 10);
    assert_eq!(steps(&case, Algorithm::Binomial, 0), [send(4, 30), send(2, 20), send(1, 10)]);
    assert_eq!(steps(&case, Algorithm::Binomial, 4), [recv(0, 30), send(6, 10), send(5, 10)]);
    let rotated = case.root(5);
    assert_eq!(steps(&rotated, Algorithm::Binomial, 5), [send(2, 30), send(0, 20), send(6, 10)]);
}

#[test]
fn rabenseifner_halves_with_the_nearest_first_and_comes_back() {
    let case = Case::new(Collective::Allreduce, 4, 64).element(8);
    let reduce = |bytes| [Reduce { bytes }];
    let expected = [
        &exchange(3, 32, 3, 32)[..],
        &reduce(32),
        &exchange(0, 16, 0, 16),
        &reduce(16),
        &exchange(0, 16, 0, 16),
        &exchange(3, 32, 3, 32),
    ];
    assert_eq!(steps(&case, Algorithm::Rabenseifner, 2), expected.concat());
}

#[test]
fn a_reduction_that_does_not_commute_goes_by_rank_zero() {
    let case = Case::new(Collective::Reduce, 4, 8).root(3).commutative(false);
    let last = |rank| steps(&case, Algorithm::Binomial, rank).pop();
    assert_eq!(last(0), Some(Send { to: 3, bytes: 8, slot: 1 }));
    assert_eq!(last(3), Some(Recv { from: 0, bytes: 8, slot: 1 }));
}
