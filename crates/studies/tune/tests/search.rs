//! A search finds what simulating each method alone finds, whatever the number of cores.

use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mpirage_call::Collective;
use mpirage_collectives::Performed;
use mpirage_collectives::{Choice, Selector, Shape};
use mpirage_simulation::{Machine, MachineRequest};
use mpirage_tune::{
    Candidates, Observer, Point, Progress, Row, Search, TuneError, rules, sketch, svg, tuned,
};

/// A machine with one rank per host.
fn machine(platform: &str, model: &str) -> Machine {
    let (platform, model) = (Some(platform.to_owned()), model.to_owned());
    Machine::new(&MachineRequest { platform, model, ..MachineRequest::default() }, 16).unwrap()
}

struct Silent;

impl Observer for Silent {
    fn progress(&self, _: Progress) -> bool {
        false
    }
}

/// Counts simulations.
#[derive(Default)]
struct Counting(AtomicUsize);

impl Observer for Counting {
    fn progress(&self, _: Progress) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed);
        false
    }
}

fn points(collectives: &[Collective], ranks: u32, sizes: &[u64]) -> Vec<Point> {
    let members: Arc<[u32]> = (0..ranks).collect();
    let point = |collective: Collective, bytes: u64| Point {
        collective,
        members: Arc::clone(&members),
        bytes,
        root: 0,
    };
    collectives
        .iter()
        .flat_map(|&kind| sizes.iter().map(move |&bytes| (kind, bytes)))
        .map(|(k, b)| point(k, b))
        .collect()
}

fn search(points: Vec<Point>, cores: usize) -> Search {
    Search {
        points,
        candidates: Candidates::default(),
        base: Choice::default(),
        repeat: 1,
        near: 4.0,
        cores: NonZero::new(cores).unwrap(),
    }
}

fn run(search: &Search, cluster: &Machine) -> Vec<Row> {
    search.run(cluster, &Silent).unwrap()
}

#[test]
fn the_number_of_cores_changes_nothing() {
    let cluster = machine("fat-tree:4x4", "flow:factors");
    let all = points(&Collective::OF_ALL_RANKS, 16, &[0, 8, 40_000]);
    let one = run(&search(all.clone(), 1), &cluster);
    assert_eq!(one, run(&search(all.clone(), 4), &cluster));
    assert_eq!(one.iter().map(|row| &row.point).collect::<Vec<_>>(), all.iter().collect::<Vec<_>>());
}

#[test]
fn the_best_is_the_fastest_of_all() {
    let cluster = machine("cluster:8", "flow:factors");
    for row in run(&search(points(&Collective::OF_ALL_RANKS, 8, &[8, 1 << 20]), 2), &cluster) {
        let kind = row.point.collective;
        assert_eq!(Some(row.best.time), row.all.iter().map(|one| one.time).min(), "{kind}");
        assert!(row.all.contains(&row.base) && row.all.contains(&row.best), "{kind}");
        let counts = [row.point.bytes; 8];
        let shape = Shape::new(8).bytes(row.point.bytes).element(8).counts(&counts, &counts);
        // NCCL's algorithms are tried on accelerators only.
        let tried =
            kind.algorithms().filter(|&algorithm| kind.fits(algorithm, &shape) && !algorithm.is_nccls());
        for algorithm in tried {
            assert!(row.all.iter().any(|one| one.method.algorithm == algorithm), "{kind} {algorithm}");
        }
        assert!(row.loss() >= 0.0);
        // Where nothing is faster, the base method stays.
        assert!(row.best.time < row.base.time || row.best == row.base, "{kind}");
    }
}

#[test]
fn times_are_those_of_the_collective_alone() {
    // A round of the dissemination barrier between two ranks is one message each way, at once.
    let cluster = machine("cluster:2", "flow:no-contention");
    let rows = run(&search(points(&[Collective::Barrier], 2, &[0]), 1), &cluster);
    let time_of = |name: &str| rows[0].all.iter().find(|one| one.method.to_string() == name).unwrap().time;
    let round = time_of("dissemination");
    // There and back again.
    assert_eq!(time_of("linear").as_picos(), 2 * round.as_picos());
    // Several in a row: the mean is the same.
    let repeated = Search { repeat: 5, ..search(points(&[Collective::Barrier], 2, &[0]), 1) };
    assert_eq!(run(&repeated, &cluster)[0].base.time, round);
}

#[test]
fn equal_schedules_are_simulated_once() {
    let cluster = machine("cluster:2", "flow:factors");
    // Between two ranks most algorithms of a broadcast send one message.
    let counting = Counting::default();
    let rows = search(points(&[Collective::Bcast], 2, &[8]), 1).run(&cluster, &counting).unwrap();
    let simulated = counting.0.load(Ordering::Relaxed);
    assert!(simulated < rows[0].all.len(), "{simulated} simulations for {} methods", rows[0].all.len());
}

#[test]
fn only_the_algorithms_that_are_wanted_are_tried() {
    let cluster = machine("cluster:4", "flow:factors");
    let wanted: Vec<_> =
        Collective::Allreduce.algorithms().filter(|algorithm| algorithm.name() == "ring").collect();
    let candidates = Candidates { algorithms: wanted, ..Candidates::default() };
    let search = Search { candidates, ..search(points(&[Collective::Allreduce], 4, &[8]), 1) };
    let names: Vec<String> =
        run(&search, &cluster)[0].all.iter().map(|one| one.method.algorithm.to_string()).collect();
    assert_eq!(names, ["recursive-doubling", "ring"], "the default, and the one that is wanted");
}

#[test]
fn rules_choose_the_best_method_of_every_size() {
    let cluster = machine("cluster:16", "flow:factors");
    let sizes: Vec<u64> = (3..=22).map(|bit| 1 << bit).collect();
    let kinds = [Collective::Alltoall, Collective::Allreduce, Collective::Allgatherv, Collective::Bcast];
    let rows = run(&search(points(&kinds, 16, &sizes), 2), &cluster);
    let rules = rules(&rows);
    // As a user does: written to a file, and read again.
    let text: Vec<String> = rules.iter().map(ToString::to_string).collect();
    let read = Selector::parse(&text.join("\n")).unwrap();
    assert_eq!(read.rules().count(), rules.len());
    // The tuned choice takes the time of the best method, at every size, and nothing else is left to win.
    let again = Search { base: tuned(&Choice::default(), &rules), ..search(points(&kinds, 16, &sizes), 2) };
    for (before, after) in rows.iter().zip(run(&again, &cluster)) {
        assert_eq!(after.base.time, before.best.time, "{} {}", before.point.collective, before.point.bytes);
        assert_eq!(after.loss(), 0.0);
    }
    assert!(rows.iter().any(|row| row.loss() > 0.0), "something is won at all");
}

#[test]
fn ranks_that_do_not_know_sizes_get_one_rule() {
    let cluster = machine("cluster:8", "flow:factors");
    let rows =
        run(&search(points(&[Collective::Alltoallv, Collective::Gatherv], 8, &[8, 1 << 20]), 1), &cluster);
    let text: Vec<String> = rules(&rows).iter().map(ToString::to_string).collect();
    assert_eq!(text.len(), 2, "{text:?}");
    assert!(text.iter().all(|rule| !rule.contains("bytes") && rule.contains("ranks=8")), "{text:?}");
}

#[test]
fn other_parameters_are_tried_of_algorithms_that_are_near() {
    let cluster = machine("cluster:8", "flow:factors");
    let candidates =
        Candidates { segments: vec![4 << 10, 64 << 10], radices: vec![2, 4], ..Candidates::default() };
    let one = |near| Search {
        candidates: candidates.clone(),
        near,
        ..search(points(&[Collective::Bcast], 8, &[1 << 20]), 1)
    };
    let (some, all) = (run(&one(1.0), &cluster), run(&one(f64::INFINITY), &cluster));
    assert_eq!(all[0].skipped, 0);
    assert!(
        some[0].skipped > 0 && some[0].all.len() < all[0].all.len(),
        "{} {}",
        some[0].skipped,
        all[0].all.len()
    );
    let names: Vec<String> = all[0].all.iter().map(|one| one.method.to_string()).collect();
    assert!(names.contains(&"chain:segment=4KiB".to_owned()), "{names:?}");
    assert!(all[0].best.time <= some[0].best.time);
}

#[test]
fn plots_show_every_size() {
    let cluster = machine("cluster:8", "flow:factors");
    let rows = run(&search(points(&[Collective::Bcast], 8, &[0, 8, 64, 1 << 20]), 1), &cluster);
    let lines = sketch(&rows, "default", 80).unwrap();
    let marks =
        lines[..8].iter().flat_map(|line| line.chars()).filter(|&mark| mark == '·' || mark == '*').count();
    assert_eq!(marks, 4, "{lines:#?}");
    assert!(lines.last().unwrap().contains("0 B") && lines.last().unwrap().contains("1 MiB"), "{lines:#?}");
    assert_eq!(sketch(&rows, "default", 20), None);
    let image = svg("a < b", "default", &[("bcast".to_owned(), rows.iter().collect())]);
    assert_eq!(image.matches("<circle").count(), 8);
    assert!(image.contains("a &lt; b") && image.trim_end().ends_with("</svg>"), "{image}");
}

#[test]
fn a_model_with_formulas_is_refused() {
    let cluster = machine("cluster:4", "bus");
    let error = search(points(&[Collective::Bcast], 4, &[8]), 1).run(&cluster, &Silent).unwrap_err();
    assert!(matches!(error, TuneError::Formula), "{error}");
}

#[test]
fn an_observer_can_stop() {
    struct Impatient;
    impl Observer for Impatient {
        fn progress(&self, progress: Progress) -> bool {
            progress.done >= 2
        }
    }
    let cluster = machine("cluster:4", "flow:factors");
    let error =
        search(points(&[Collective::Bcast], 4, &[8, 64, 512]), 1).run(&cluster, &Impatient).unwrap_err();
    assert!(matches!(error, TuneError::Stopped), "{error}");
}
