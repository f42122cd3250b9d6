//! Datatypes whose shape and packed bytes MPICH 4.0.2 on x86-64 has told us.
//!
//! A line of `mpich.txt` is `count size lb extent true_lb true_extent hash : recipe`, where the
//! hash is FNV-1a of `count` elements packed from a memory of [`pattern`].

use mpirage_data::Origin;

use crate::recipe::{Recipe, pattern};

#[test]
fn agrees_with_mpich() {
    let mut wrong = Vec::new();
    for line in include_str!("mpich.txt").lines() {
        let (facts, recipe) = line.split_once(" : ").unwrap();
        let count: usize = facts.split(' ').next().unwrap().parse().unwrap();
        let ours = describe(&Recipe::parse(recipe), count);
        if ours != facts {
            wrong.push(format!("{recipe}\n  MPICH   {facts}\n  mpirage {ours}"));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

fn describe(recipe: &Recipe, count: usize) -> String {
    let datatype = recipe.build().unwrap();
    let (low, high) = datatype.span(count).unwrap();
    let low = low.min(0);
    let memory: Vec<u8> = (low..high).map(pattern).collect();
    let mut packed = Vec::new();
    datatype.pack(count, &memory, Origin(-low as usize), &mut packed);
    format!(
        "{count} {} {} {} {} {} {:016x}",
        datatype.size(),
        datatype.lb(),
        datatype.extent(),
        datatype.true_lb(),
        datatype.true_extent(),
        fnv1a(&packed)
    )
}

fn fnv1a(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
