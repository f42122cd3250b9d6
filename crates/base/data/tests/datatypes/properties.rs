//! Random datatypes against the type map of the standard.

use mpirage_data::{Datatype, Origin};
use proptest::prelude::*;

use crate::recipe::{Recipe, TypeMap, pattern, recipes};

/// Memory that holds `count` elements, filled by displacement, and the index of its origin.
fn memory_for(datatype: &Datatype, count: usize, byte: impl Fn(i64) -> u8) -> (Vec<u8>, usize) {
    let (low, high) = datatype.span(count).unwrap();
    let low = low.min(0);
    ((low..high.max(low)).map(byte).collect(), -low as usize)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn shape_is_that_of_the_type_map(recipe in recipes()) {
        let (datatype, map) = (recipe.build().unwrap(), TypeMap::of(&recipe));
        prop_assert_eq!(datatype.size(), map.size());
        prop_assert_eq!(datatype.lb(), map.lb());
        prop_assert_eq!(datatype.extent(), map.extent());
        prop_assert_eq!(datatype.true_lb(), map.true_lb());
        prop_assert_eq!(datatype.true_extent(), map.true_ub() - map.true_lb());
        prop_assert_eq!(datatype.element_count(), map.entries.len() as u64);
    }

    #[test]
    fn packing_follows_the_type_map(recipe in recipes(), count in 0..4usize) {
        let (datatype, map) = (recipe.build().unwrap(), TypeMap::of(&recipe).array(count));
        let (memory, origin) = memory_for(&datatype, count, pattern);
        let mut packed = vec![7];
        datatype.pack(count, &memory, Origin(origin), &mut packed);
        prop_assert_eq!(&packed[1..], map.packed_pattern());
    }

    #[test]
    fn unpacking_writes_what_packing_reads(recipe in recipes(), count in 0..4usize, cut in 0..40usize) {
        let (datatype, map) = (recipe.build().unwrap(), TypeMap::of(&recipe).array(count));
        prop_assume!(!map.overlaps());
        let packed: Vec<u8> = (0..map.size()).map(|i| pattern(i as i64)).collect();
        let received = &packed[..packed.len().saturating_sub(cut)];
        let (mut memory, origin) = memory_for(&datatype, count, |_| 0);
        let mut expected = memory.clone();

        let used = datatype.unpack(count, received, &mut memory, Origin(origin));

        prop_assert_eq!(used, whole_basics(&map, received.len()));
        for (at, byte) in map.displacements().zip(&received[..used]) {
            expected[(origin as i64 + at) as usize] = *byte;
        }
        prop_assert_eq!(memory, expected);
    }

    #[test]
    fn signatures_follow_the_type_map(recipe in recipes(), count in 1..4usize, bytes in 0..200usize) {
        let (datatype, map) = (recipe.build().unwrap(), TypeMap::of(&recipe).array(count));
        let members: Vec<_> = map.entries.iter().map(|&(basic, _)| Datatype::basic(basic)).collect();
        let flat = Datatype::structure(&vec![1; members.len()], &vec![0; members.len()], &members).unwrap();
        prop_assert_eq!(flat.signature(1), datatype.signature(count));

        let bytes = bytes.min(map.size());
        prop_assert_eq!(flat.signature_of_bytes(bytes), datatype.signature_of_bytes(bytes));
        prop_assert_eq!(datatype.elements(bytes).is_some(), whole_basics(&map, bytes) == bytes);
    }

    #[test]
    fn contiguous_means_that_packing_copies(recipe in recipes()) {
        let (datatype, map) = (recipe.build().unwrap(), TypeMap::of(&recipe).array(3));
        let in_order = map.displacements().eq(0..map.size() as i64);
        prop_assert_eq!(datatype.is_contiguous(), in_order && map.lb() == 0 && map.extent() == map.size() as i64);
    }

    #[test]
    fn recipes_survive_being_written(recipe in recipes()) {
        prop_assert_eq!(Recipe::parse(&recipe.to_string()).to_string(), recipe.to_string());
    }
}

/// Bytes of the basics that `bytes` hold entirely.
fn whole_basics(map: &TypeMap, bytes: usize) -> usize {
    let mut used = 0;
    for (basic, _) in &map.entries {
        if used + basic.size() > bytes {
            break;
        }
        used += basic.size();
    }
    used
}
