//! Names, defaults and overrides.

use mpirage_call::{Algorithm, Collective};
use mpirage_collectives::Performed;
use mpirage_collectives::{Choice, Operation, Selector, Shape};
use proptest::prelude::*;

use crate::common::{Case, of_all_ranks};

fn algorithm(choice: &Choice, collective: Collective, shape: &Shape) -> Algorithm {
    choice.method(collective, shape).algorithm
}

fn default_algorithm(collective: Collective, shape: &Shape) -> Algorithm {
    algorithm(&Choice::default(), collective, shape)
}

#[test]
fn names_come_back() {
    for collective in Collective::ALL {
        assert_eq!(Collective::from_name(collective.name()), Some(collective));
    }
    for &algorithm in Algorithm::ALL {
        assert_eq!(Algorithm::from_name(algorithm.name()), Some(algorithm));
        assert!(!algorithm.info().contains('\n'));
    }
    assert_eq!(Collective::from_name("allreduces"), None);
    assert_eq!(Algorithm::from_name(""), None);
}

#[test]
fn every_algorithm_is_of_use() {
    for &algorithm in Algorithm::ALL {
        assert!(Collective::ALL.into_iter().any(|collective| collective.knows(algorithm)), "{algorithm}");
    }
}

#[test]
fn overrides_are_followed_and_the_rest_stays() {
    let choice = Choice::parse(" allreduce=ring, Reduce_Scatter = pairwise ,").unwrap();
    let shape = Shape::new(4).bytes(8).counts(&[], &[8; 4]);
    assert_eq!(algorithm(&choice, Collective::Allreduce, &shape), Algorithm::Ring);
    assert_eq!(algorithm(&choice, Collective::ReduceScatter, &shape), Algorithm::Pairwise);
    assert_eq!(algorithm(&choice, Collective::Barrier, &shape), Algorithm::Dissemination);
    assert_eq!(Choice::parse(""), Ok(Choice::default()));
}

#[test]
fn the_last_override_counts() {
    let choice: Choice = "bcast=chain,bcast=linear".parse().unwrap();
    assert_eq!(algorithm(&choice, Collective::Bcast, &Shape::new(4)), Algorithm::Linear);
}

/// Of a rooted collective only the root knows, and all ranks have to choose alike.
#[test]
fn rules_ask_for_what_is_in_place_where_all_ranks_know_it() {
    let rules = "allgather in-place=yes bruck\nallgather ring\ngather in-place=yes linear\ngather binomial\n";
    let choice = Choice::parse_with("rules", |_| Some(Ok(rules.to_owned()))).unwrap();
    let apart = Shape::new(4).bytes(8);
    let in_place = apart.in_place(true);
    assert_eq!(algorithm(&choice, Collective::Allgather, &in_place), Algorithm::Bruck);
    assert_eq!(algorithm(&choice, Collective::Allgather, &apart), Algorithm::Ring);
    assert_eq!(algorithm(&choice, Collective::Gather, &in_place), Algorithm::Binomial);
}

#[test]
fn errors_name_what_there_is() {
    let error = |text| Choice::parse(text).unwrap_err().to_string();
    let tables: Vec<_> = Selector::names().map(|(name, _)| name).collect();
    assert!(tables.starts_with(&["default", "openmpi-4.1"]));
    assert_eq!(
        error("ring"),
        format!(
            "`ring` is neither a table of algorithms ({}), nor a file, nor of the form collective=algorithm, as in allreduce=ring",
            tables.join(", ")
        )
    );
    assert_eq!(
        error("bcast=chain@4KiB"),
        "`4KiB` is no range of sizes; write as in 64KiB.., ..4KiB or 4KiB..64KiB (the end is not included)"
    );
    assert_eq!(
        error("allredcue=ring"),
        "there is no collective `allredcue`; there are barrier, bcast, gather, gatherv, scatter, scatterv, \
         allgather, allgatherv, alltoall, alltoallv, alltoallw, reduce, allreduce, reduce-scatter, \
         reduce-scatter-block, scan, exscan; of these neighbor-… among neighbours, inter-… between the sides of \
         an inter-communicator, and each with an i in front if it does not block"
    );
    let names: Vec<_> = Collective::Allreduce
        .algorithms()
        .filter(|algorithm| !algorithm.is_simgrids())
        .map(Algorithm::name)
        .collect();
    let list = format!("it has {}", names.join(", "));
    assert_eq!(error("allreduce=fast"), format!("allreduce has no algorithm `fast`; {list}"));
    assert_eq!(error("allreduce=bruck"), format!("allreduce has no algorithm `bruck`; {list}"));
}

#[test]
fn overrides_can_be_for_some_sizes() {
    let choice =
        Choice::parse("allreduce=ring@64KiB..,allreduce=linear@..64,ibcast=chain:segment=8KiB").unwrap();
    let name = |bytes| algorithm(&choice, Collective::Allreduce, &Shape::new(4).bytes(bytes)).name();
    assert_eq!([63, 64, 65_535, 65_536].map(name), ["linear", "recursive-doubling", "rabenseifner", "ring"]);
    let ibcast = Operation { collective: Collective::Bcast, nonblocking: true };
    let (shape, bcast) = (Shape::new(4), Operation { nonblocking: false, ..ibcast });
    assert_eq!(choice.method(ibcast, &shape).to_string(), "chain:segment=8KiB");
    assert_eq!(choice.method(bcast, &shape).to_string(), "binomial");
}

#[test]
fn an_override_that_does_not_fit_the_call_is_left_aside() {
    let choice = Choice::parse("allreduce=ring").unwrap();
    let shape = Shape::new(4).bytes(8).commutative(false);
    assert_eq!(algorithm(&choice, Collective::Allreduce, &shape), Algorithm::RecursiveDoubling);
}

#[test]
fn defaults_by_size() {
    let default =
        |collective, size, bytes| default_algorithm(collective, &Shape::new(size).bytes(bytes)).name();
    assert_eq!(default(Collective::Allreduce, 16, 8), "recursive-doubling");
    assert_eq!(default(Collective::Allreduce, 16, 1 << 20), "rabenseifner");
    assert_eq!(default(Collective::Reduce, 16, 8), "binomial");
    assert_eq!(default(Collective::Bcast, 16, 1000), "binomial");
    assert_eq!(default(Collective::Bcast, 16, 100_000), "scatter-doubling");
    assert_eq!(default(Collective::Bcast, 12, 100_000), "scatter-allgather");
    assert_eq!(default(Collective::Alltoall, 16, 8), "bruck");
    assert_eq!(default(Collective::Alltoall, 4, 8), "linear");
    assert_eq!(default(Collective::Alltoall, 16, 65_536), "pairwise");
    assert_eq!(default(Collective::Allgather, 16, 8), "recursive-doubling");
    assert_eq!(default(Collective::Allgather, 12, 8), "bruck");
    assert_eq!(default(Collective::Allgather, 12, 1 << 20), "ring");
    assert_eq!(default(Collective::ReduceScatterBlock, 16, 8), "recursive-halving");
    assert_eq!(default(Collective::ReduceScatterBlock, 16, 1 << 20), "pairwise");
}

#[test]
fn counts_per_rank_are_added_up() {
    let few = Shape::new(3).counts(&[], &[8, 0, 90_000]);
    assert_eq!(default_algorithm(Collective::Allgatherv, &few), Algorithm::Ring);
    let many = Shape::new(3).counts(&[], &[8, 0, 900_000]);
    assert_eq!(default_algorithm(Collective::ReduceScatter, &many), Algorithm::Pairwise);
}

#[test]
fn what_does_not_commute_is_not_cut_up() {
    let shape = Shape::new(16).bytes(1 << 20).commutative(false);
    assert_eq!(default_algorithm(Collective::Allreduce, &shape), Algorithm::RecursiveDoubling);
    assert_eq!(default_algorithm(Collective::Reduce, &shape), Algorithm::Binomial);
    assert_eq!(default_algorithm(Collective::ReduceScatterBlock, &shape), Algorithm::RecursiveDoubling);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Ranks know different things of one call; they choose the same all the same.
    #[test]
    fn all_ranks_choose_alike(
        collective in prop::sample::select(of_all_ranks().collect::<Vec<_>>()),
        size in 1..=33u32,
        bytes in prop_oneof![0..5000u64, 0..2_000_000u64],
        seed in any::<u64>(),
    ) {
        let case = Case::new(collective, size, bytes)
            .root(seed as u32 % size)
            .counts(|i, j| (seed >> ((i * 7 + j) % 50)) % 100_000);
        let chosen = default_algorithm(collective, &case.shape(0));
        prop_assert!(collective.knows(chosen));
        for rank in 1..size {
            prop_assert_eq!(default_algorithm(collective, &case.shape(rank)), chosen);
        }
    }
}
