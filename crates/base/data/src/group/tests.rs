//! Groups against plain vectors.

use proptest::prelude::*;

use super::*;

fn ranks(group: &Group) -> Vec<u32> {
    group.iter().collect()
}

fn range(first: i32, last: i32, stride: i32) -> RankRange {
    RankRange { first, last, stride }
}

#[test]
fn a_large_regular_group_is_small() {
    let world = Group::world(100_000);
    let odd = world.range_incl(&[range(1, 99_999, 2)]).unwrap();
    let without_one = world.excl(&[5_000]).unwrap();
    assert_eq!((world.0.series.len(), odd.0.series.len(), without_one.0.series.len()), (1, 1, 2));
    assert_eq!(odd.rank_of(4_001), Some(2_000));
    assert_eq!(without_one.world_of(5_000), Some(5_001));
}

#[test]
fn the_examples_of_the_standard() {
    let world = Group::world(10);
    let incl = world.range_incl(&[range(1, 5, 2), range(6, 2, -2)]);
    assert_eq!(incl.map(|group| ranks(&group)), Ok(vec![1, 3, 5, 6, 4, 2]));
    let abc = Group::of([3, 0, 2]).unwrap();
    let cd = Group::of([2, 5]).unwrap();
    assert_eq!(ranks(&abc.union(&cd)), [3, 0, 2, 5]);
    assert_eq!(ranks(&abc.intersection(&cd)), [2]);
    assert_eq!(ranks(&abc.difference(&cd)), [3, 0]);
    assert_eq!(abc.translate(&[2, 0], &cd), Ok(vec![Some(0), None]));
}

#[test]
fn errors_name_the_rank() {
    let world = Group::world(4);
    assert_eq!(world.incl(&[0, 4]).unwrap_err().to_string(), "rank 4 is outside a group of 4");
    assert_eq!(world.incl(&[-1]).unwrap_err().to_string(), "rank -1 is outside a group of 4");
    assert_eq!(world.excl(&[2, 1, 2]).unwrap_err().to_string(), "rank 2 is given more than once");
    assert_eq!(Group::of([7, 7]), Err(GroupError::Duplicate { rank: 7 }));
    let error = world.range_incl(&[range(0, 3, -1)]).unwrap_err();
    assert_eq!(error.to_string(), "no stride of -1 leads from rank 0 to rank 3");
    assert!(world.range_incl(&[range(0, 0, 0)]).is_err());
}

#[test]
fn comparison() {
    let world = Group::world(3);
    assert_eq!(world.compare(&Group::of([0, 1, 2]).unwrap()), Comparison::Identical);
    assert_eq!(world.compare(&Group::of([2, 0, 1]).unwrap()), Comparison::Similar);
    assert_eq!(world.compare(&Group::world(4)), Comparison::Unequal);
    assert_eq!(Group::empty().compare(&Group::world(0)), Comparison::Identical);
}

fn shuffles() -> impl Strategy<Value = Vec<u32>> {
    Just((0..40).collect::<Vec<u32>>()).prop_shuffle().prop_flat_map(|all| {
        (0..all.len()).prop_map(move |n| {
            let mut some = all[..n].to_vec();
            // sorting every other one makes regular groups as well as irregular ones
            if n % 2 == 0 {
                some.sort_unstable();
            }
            some
        })
    })
}

proptest! {
    #[test]
    fn lookups_invert_each_other(members in shuffles()) {
        let group = Group::of(members.clone()).unwrap();
        prop_assert_eq!(ranks(&group), members.clone());
        for world in 0..45 {
            let expected = members.iter().position(|&member| member == world).map(|i| i as u32);
            prop_assert_eq!(group.rank_of(world), expected);
        }
        for rank in 0..45 {
            prop_assert_eq!(group.world_of(rank), members.get(rank as usize).copied());
        }
    }

    #[test]
    fn subsets_are_those_of_lists(members in shuffles(), seed in shuffles()) {
        let group = Group::of(members.clone()).unwrap();
        let chosen: Vec<i32> =
            seed.iter().filter(|&&rank| rank < group.size()).map(|&rank| rank as i32).collect();
        let picked: Vec<u32> = chosen.iter().map(|&rank| members[rank as usize]).collect();
        let left: Vec<u32> = members.iter().copied().filter(|member| !picked.contains(member)).collect();
        prop_assert_eq!(ranks(&group.incl(&chosen).unwrap()), picked);
        prop_assert_eq!(ranks(&group.excl(&chosen).unwrap()), left);
    }

    #[test]
    fn one_sequence_is_one_group(members in shuffles(), other in shuffles()) {
        let (a, b) = (Group::of(members.clone()).unwrap(), Group::of(other.clone()).unwrap());
        prop_assert_eq!(a == b, members == other);
        prop_assert_eq!(a.union(&Group::empty()).compare(&a), Comparison::Identical);
        prop_assert_eq!(a.union(&b).size(), a.size() + b.difference(&a).size());
    }
}
