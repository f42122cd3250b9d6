//! MPICH's selection file, the JSON of `MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE`: read into a [`Selector`](super::Selector), and written from rules.
//!
//! A file is a tree. Each key is a condition, a collective or, at a leaf, an algorithm; of the keys beside each other the first that holds
//! counts:
//!
//! ```text
//! { "collective=bcast": { "comm_size<=8":       { "algorithm=MPIR_Bcast_intra_binomial": {} },
//!                         "comm_size=any":      { "algorithm=MPIR_Bcast_intra_scatter_ring_allgather": {} } } }
//! ```
//!
//! The format is that of MPICH 4.0 (`src/mpi/coll/src/csel.c`). 4.3 has it too; it adds algorithms, their parameters, `comm_avg_ppn<` and a bare
//! `any`. Both replace their built-in tables by the file, and end a program that calls a collective which the file does not have.

use mpirage_call::Collective;

mod names;
mod parameters;
mod read;
mod tree;
mod write;

pub(crate) use read::read;
pub use read::{MpichError, Problem};
pub use write::{MpichVersion, UnwritableRule, write};

use super::rule::Quantity;
use crate::operation::Operation;

/// The quantity that `total_msg_size` compares: bytes, or elements for one operation.
fn total(operation: Operation) -> Quantity {
    match operation {
        Operation { collective: Collective::ReduceScatterBlock, nonblocking: true } => {
            Quantity::TotalElements
        }
        _ => Quantity::Total,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::performed::Performed;
    use crate::select::{Rule, Selector};
    use crate::shape::Shape;
    use crate::shaped::Shaped;

    /// MPICH's name of what a table chooses.
    fn choice(table: &Selector, operation: Operation, shape: &Shape) -> Option<String> {
        let method = table.method(operation, shape)?;
        names::written(operation.collective, operation.nonblocking, method.algorithm)
    }

    fn shapes(operation: Operation) -> impl Iterator<Item = Shape<'static>> {
        let sizes = [1, 4, 8, 9, 256, 257, 2048, 2049, 12_288, 12_289, 40_000, 524_288, 600_000, 4 << 20];
        let flags = [(true, true, false), (true, false, false), (false, false, false), (true, true, true)];
        let ranks = [2, 3, 4, 7, 8, 9, 12, 16, 33, 64];
        ranks.into_iter().filter(move |_| operation.collective.sizes_are_known()).flat_map(move |ranks| {
            sizes.into_iter().flat_map(move |bytes| {
                flags.map(|(commutative, built_in, in_place)| {
                    let shape = Shape::new(ranks).bytes(bytes).element(4).in_place(in_place);
                    shape.commutative(commutative).built_in(built_in)
                })
            })
        })
    }

    #[test]
    fn a_file_of_no_rules_is_what_the_library_does() {
        let counts = [5000; 64];
        for (version, table) in [(MpichVersion::V4_0, "mpich-4.0"), (MpichVersion::V4_3, "mpich-4.3")] {
            let file = read(&write(&[], version).unwrap()).unwrap();
            let table = Selector::named(table).unwrap();
            let mut compared = 0;
            for operation in table.rules().map(|rule| rule.operation) {
                for shape in shapes(operation) {
                    let counts = &counts[..shape.size as usize];
                    let shape = shape.counts(counts, counts);
                    let (theirs, ours) =
                        (choice(&file, operation, &shape), choice(&table, operation, &shape));
                    assert!(ours.is_some() && theirs == ours, "{operation} {shape:?}: {theirs:?} {ours:?}");
                    compared += 1;
                }
            }
            assert!(compared > 10_000, "{compared}");
        }
    }

    #[test]
    fn rules_survive_a_file() {
        let rules = [
            "bcast ranks>=4 bytes<1000 scatter-ring",
            "bcast ranks=3 binomial",
            "allgather ranks=8 bytes<=100 ring",
            "allreduce bytes>=4096 commutative=yes recursive-doubling",
            "ialltoall ranks<5 in-place=no bruck",
        ]
        .map(|line| Rule::parse(line).unwrap());
        let file = read(&write(&rules, MpichVersion::V4_0).unwrap()).unwrap();
        let mut table = Selector::default();
        rules.into_iter().for_each(|rule| table.push(rule));
        Selector::named("mpich-4.0").unwrap().rules().cloned().for_each(|rule| table.push(rule));
        for operation in ["bcast", "allgather", "allreduce"].map(|name| Operation::from_name(name).unwrap()) {
            for shape in shapes(operation) {
                assert_eq!(
                    choice(&file, operation, &shape),
                    choice(&table, operation, &shape),
                    "{operation} {shape:?}"
                );
            }
        }
    }

    #[test]
    fn rules_that_mpich_cannot_follow_say_why() {
        let error = |line| write(&[Rule::parse(line).unwrap()], MpichVersion::V4_0).unwrap_err().to_string();
        assert_eq!(
            error("allgather bytes<100 ring"),
            "MPICH cannot follow the rule `allgather bytes<100B ring`: it knows only the size of all blocks together; use total, \
             or add ranks=N"
        );
        assert!(
            error("bcast chain")
                .contains("it has no algorithm chain for bcast; it has MPIR_Bcast_intra_binomial, ")
        );
        assert!(
            error("scan bytes<4 recursive-doubling")
                .ends_with("it cannot ask scan for its size; leave this condition out")
        );
    }

    #[test]
    fn algorithms_with_parameters_survive_a_file() {
        let rules = [
            "barrier recursive-exchange:radix=4",
            "allgather recursive-exchange:radix=3",
            "allreduce commutative=yes recursive-exchange:radix=4",
            "allreduce commutative=yes k-reduce-scatter-allgather:radix=3",
            "allreduce commutative=yes recursive-multiplying:radix=5",
            "allreduce commutative=yes tree-k-nomial-1:radix=3:segment=4KiB",
            "iallreduce commutative=yes recursive-exchange:radix=2",
            "bcast tree-k-ary:radix=3:sends=in-order",
            "ibcast tree-k-nomial-2:radix=3:segment=1KiB",
            "ireduce commutative=yes tree-k-ary:radix=2",
        ]
        .map(|line| Rule::parse(line).unwrap());
        for rule in rules {
            let text = write(std::slice::from_ref(&rule), MpichVersion::V4_3).unwrap();
            let read = read(&text).unwrap().method(rule.operation, &Shape::new(9).bytes(64)).unwrap();
            let defaults = rule.operation.collective.defaults(read.algorithm).unwrap();
            assert_eq!(read.algorithm, rule.method.algorithm);
            assert_eq!(read.settings.or(defaults), rule.method.settings.or(defaults), "{rule}");
            assert!(write(&[rule], MpichVersion::V4_0).is_err(), "MPICH 4.0 has none of these");
        }
        let whole = Rule::parse("bcast tree-k-ary:segment=4KiB").unwrap();
        assert!(write(&[whole], MpichVersion::V4_3).is_err(), "its blocking tree does not cut the vector");
    }

    #[test]
    fn mpich_4_3_has_a_radix() {
        let rule = Rule::parse("allgather total<1KiB bruck:radix=4").unwrap();
        let text = write(std::slice::from_ref(&rule), MpichVersion::V4_3).unwrap();
        assert!(text.contains("\"algorithm=MPIR_Allgather_intra_k_brucks\": { \"k=4\": {} }"), "{text}");
        let shape = Shape::new(9).bytes(64);
        assert_eq!(read(&text).unwrap().method(rule.operation, &shape), Some(rule.method));
        let error = write(&[rule], MpichVersion::V4_0).unwrap_err().to_string();
        assert!(
            error.ends_with("MPICH 4.0 has bruck with radix 2 only; leave the radix out, or use MPICH 4.3"),
            "{error}"
        );
    }

    #[test]
    fn errors_name_the_line_and_a_remedy() {
        let error = |text: &str| read(text).unwrap_err().to_string();
        assert_eq!(
            error("{\"collective=bcast\":\n{\"comm_type=intra\": {\"comm_sizes<4\": {}}}}"),
            "line 2: MPICH has no key `comm_sizes<4`; there are collective=, comm_type=, comm_size, avg_msg_size, total_msg_size and \
             count with <, <= or =any, is_…=yes|no and algorithm="
        );
        assert!(error("{\"collective=bcast\": {\"algorithm=MPIR_Bcast_intra_fast\": {}}}").starts_with(
            "line 1: bcast has no schedule for `MPIR_Bcast_intra_fast`; it has those for MPIR_Bcast_intra_binomial, "
        ));
        assert!(
            error("{\"collective=bcast\": {\"composition=MPIDI_Bcast_intra_composition_alpha\": {}}}")
                .contains("give that of MPIR_CVAR_COLL")
        );
        assert_eq!(
            error("{\"bcast\": {}}"),
            "line 1: `bcast` is not expected here: the first keys are collectives, as in collective=bcast"
        );
    }

    /// Below a condition on the call, MPICH compares the size of a communicator with <=.
    #[test]
    fn comm_size_below_means_what_mpich_makes_of_it() {
        let leaf = |name: &str| format!("{{\"algorithm=MPIR_Alltoall_intra_{name}\": {{}}}}");
        let size =
            format!("{{\"comm_size<8\": {}, \"comm_size=any\": {}}}", leaf("scattered"), leaf("brucks"));
        let alltoall = Operation::from_name("alltoall").unwrap();
        let of_eight = |text: String| choice(&read(&text).unwrap(), alltoall, &Shape::new(8)).unwrap();
        assert_eq!(of_eight(format!("{{\"collective=alltoall\": {size}}}")), "MPIR_Alltoall_intra_brucks");
        let below = format!("{{\"collective=alltoall\": {{\"is_sendbuf_inplace=no\": {size}}}}}");
        assert_eq!(of_eight(below), "MPIR_Alltoall_intra_scattered");
    }
}
