//! SimGrid's own algorithms for several ranks per node: the data of every collective arrive, wherever ranks and root are.
//!
//! `every_algorithm.rs` has the tests with one rank per node, `tests/simgrid/collectives.py` compares times with SimGrid.

use mpirage_call::Method;
use mpirage_collectives::Performed;

use crate::common::machine::{Sends, run_with};
use crate::common::memory::Memory;
use crate::common::{Case, all_methods};

/// Blocks of ranks, ranks dealt out in turn, all on one node, one alone and the others together.
fn layouts(size: u32) -> Vec<Vec<u32>> {
    let by = |host: &dyn Fn(u32) -> u32| (0..size).map(host).collect();
    vec![
        by(&|r| r / 2),
        by(&|r| r / 3),
        by(&|r| r % 3),
        by(&|_| 0),
        by(&|r| r.min(1)),
        by(&|r| u32::from(r + 1 < size)),
    ]
}

fn check(case: &Case, method: Method) {
    let schedules = case.annotated(method);
    for sends in [Sends::Eager, Sends::Synchronous] {
        run_with(&schedules, sends, Memory::of(case))
            .unwrap_or_else(|failure| panic!("{method}, {sends:?}: {failure:?}\n{case:?}"));
    }
}

/// Some compositions choose their parts by size; long vectors for some numbers of ranks are enough to see both.
fn sizes(ranks: u32) -> &'static [u64] {
    if [7, 12].contains(&ranks) { &[72, 2400] } else { &[72] }
}

#[test]
fn data_arrive_on_all_kinds_of_nodes() {
    let mut checked = 0;
    let on_nodes = |method: &Method| method.algorithm.is_simgrids() && method.algorithm.reads_nodes();
    for (collective, method) in all_methods().filter(|(_, method)| on_nodes(method)) {
        for (size, root) in (1..=12).flat_map(|size| [(size, 0), (size, size / 2), (size, size - 1)]) {
            for (hosts, &bytes) in layouts(size)
                .into_iter()
                .flat_map(|hosts| sizes(size).iter().map(move |bytes| (hosts.clone(), bytes)))
            {
                let case = Case::new(collective, size, bytes).root(root).element(8).on(hosts);
                if collective.fits(method.algorithm, &case.shape(0)) {
                    check(&case, method);
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 3000, "{checked}");
}
