//! `mpirage info collectives`: collectives, their algorithms, what tables choose, and schedules.

use mpirage_call::{Collective, Method, Settings};
use mpirage_collectives::Performed;
use mpirage_collectives::{Choice, Nodes, Rule, Selector, Shape};
use mpirage_simulation::{words::count, words::did_you_mean};
use mpirage_tune::schedules::{Call, Schedules, dot};
use mpirage_units::BYTES;

use crate::arguments::InfoArguments;
use crate::exit::{Failure, usage};
use crate::output;

/// The command refuses more ranks than this: their schedules are too long to read.
const MOST_RANKS: u32 = 4096;
/// The size of `--show` if the user names none.
const SHOWN_BYTES: u64 = 1024;
/// The largest size for which tables are listed.
const LARGEST: u64 = 16 << 20;

/// Lists what the arguments ask for.
pub fn command(arguments: &InfoArguments) -> Result<(), Failure> {
    let collective = arguments.collective.as_deref().map(named).transpose()?;
    match (&arguments.show, &arguments.selector) {
        (Some(method), _) => show(arguments, collective, method),
        (None, Some(selector)) => list_choices(arguments, collective, selector),
        (None, None) => {
            if arguments.n.is_some() || arguments.ranks_per_node.is_some() {
                return Err(usage("-n and --ranks-per-node go with --show or --selector"));
            }
            let all = || Collective::ALL.to_vec();
            collective.map_or_else(all, |one| vec![one]).into_iter().for_each(list_algorithms);
            if collective.is_none() {
                list_tables();
            }
            Ok(())
        }
    }
}

/// The collective of that name, as people write it.
fn named(name: &str) -> Result<Collective, Failure> {
    let spelled = name.to_ascii_lowercase().replace('_', "-");
    let names = || Collective::ALL.iter().map(|kind| kind.name());
    let unknown = || usage(format!("there is no collective {name}{}", did_you_mean(&spelled, names())));
    Collective::from_name(spelled.strip_prefix("mpi-").unwrap_or(&spelled)).ok_or_else(unknown)
}

/// Refuses collectives whose peers only a topology knows.
fn of_all_ranks(collective: Collective, option: &str) -> Result<(), Failure> {
    match Collective::OF_ALL_RANKS.contains(&collective) {
        true => Ok(()),
        false => Err(usage(format!(
            "{option}: {collective} depends on a topology; name a collective of all ranks"
        ))),
    }
}

fn list_algorithms(collective: Collective) {
    output::line(collective.name());
    for algorithm in collective.algorithms() {
        let defaults = collective.defaults(algorithm).unwrap_or_default();
        output::line(format_args!("  {:<20} {}{}", algorithm.name(), algorithm.info(), parameters(defaults)));
    }
}

/// ` [segment=64KiB, radix=2]`: the parameters of an algorithm with their defaults.
fn parameters(defaults: Settings) -> String {
    let written = defaults.to_string();
    match written.strip_prefix(':') {
        Some(list) => format!(" [{}]", list.replace(':', ", ")),
        None => String::new(),
    }
}

fn list_tables() {
    output::line("\ntables of rules: --coll NAME");
    for (name, meaning) in Selector::names() {
        output::line(format_args!("  {name:<20} {meaning}"));
    }
}

/// Prints or draws the schedules of all ranks.
fn show(arguments: &InfoArguments, collective: Option<Collective>, method: &str) -> Result<(), Failure> {
    let collective = collective.ok_or_else(|| {
        usage("--show: name a collective, as in `mpirage info collectives allreduce --show ring -n 5`")
    })?;
    of_all_ranks(collective, "--show")?;
    let (ranks, nodes) = ranks_of(arguments, "--show")?;
    let bytes = match &arguments.bytes {
        Some(text) => BYTES.read_whole(text).map_err(|error| usage(format!("--bytes: {error}")))?,
        None if collective == Collective::Barrier => 0,
        None => SHOWN_BYTES,
    };
    let root = arguments.root.unwrap_or(0);
    if arguments.root.is_some() && !collective.is_rooted() {
        return Err(usage(format!("--root: {collective} has no root")));
    }
    if root >= ranks {
        return Err(usage(format!("--root {root}: the last rank is {}", ranks - 1)));
    }
    let call = Call { collective, method: method_of(collective, method)?, ranks, bytes, root, nodes };
    if !call.is_possible() {
        return Err(usage(format!(
            "--show {method}: this algorithm cannot perform {collective} on {}",
            count(ranks.into(), "rank")
        )));
    }
    let schedules = Schedules::new(&call);
    let lines = if arguments.dot { dot::lines(&call, &schedules) } else { schedules.lines(&call) };
    lines.iter().for_each(output::line);
    Ok(())
}

/// The number of ranks, and the nodes that they are on.
fn ranks_of(arguments: &InfoArguments, option: &str) -> Result<(u32, Nodes), Failure> {
    let ranks = arguments.n.ok_or_else(|| usage(format!("{option}: -n is missing, the number of ranks")))?;
    if !(1..=MOST_RANKS).contains(&ranks) {
        return Err(usage(format!("-n {ranks}: expected 1 to {MOST_RANKS} ranks")));
    }
    let per_node = arguments.ranks_per_node.unwrap_or(1);
    Ok((ranks, Nodes::new((0..ranks).map(|rank| rank / per_node))))
}

/// A method of this collective; mistakes get a list or a suggestion.
fn method_of(collective: Collective, text: &str) -> Result<Method, Failure> {
    let rule = Rule::parse(&format!("{collective} {text}"));
    rule.map(|rule| rule.method).map_err(|error| {
        let names = collective.algorithms().map(|algorithm| algorithm.name());
        usage(format!("--show: {error}{}", did_you_mean(text.split(':').next().unwrap_or_default(), names)))
    })
}

/// Prints from which size on a choice takes which method.
fn list_choices(
    arguments: &InfoArguments,
    collective: Option<Collective>,
    text: &str,
) -> Result<(), Failure> {
    let (ranks, nodes) = ranks_of(arguments, "--selector")?;
    let choice = mpirage_simulation::choice("--selector", text)?;
    let kinds = collective.map_or(Collective::OF_ALL_RANKS.to_vec(), |one| vec![one]);
    for kind in kinds {
        of_all_ranks(kind, "--selector")?;
        output::line(kind.name());
        for (from, method) in thresholds(&choice, kind, ranks, &nodes) {
            output::line(format_args!("  {:>10}  {method}", format!("{}..", mpirage_tune::size_text(from))));
        }
    }
    Ok(())
}

/// The sizes at which the method changes, up to 16 MiB. Vectors that are reduced have elements of eight bytes.
fn thresholds(choice: &Choice, kind: Collective, ranks: u32, nodes: &Nodes) -> Vec<(u64, Method)> {
    let element = if kind.reduces() { 8 } else { 1 };
    let method = |elements: u64| {
        let counts = vec![elements * element; ranks as usize];
        let shape = Shape::new(ranks).bytes(elements * element).element(element).counts(&counts, &counts);
        choice.method(kind, &shape.nodes(Some(nodes)))
    };
    let mut found = vec![(0, method(0))];
    let mut from = 0;
    for bit in 0..=(LARGEST / element).ilog2() {
        let to = 1 << bit;
        while method(to) != found[found.len() - 1].1 {
            // The method changes somewhere between both; if it changes several times, the first change that halving meets.
            let (mut same, mut other) = (from, to);
            let last = found[found.len() - 1].1;
            while other - same > 1 {
                let middle = same + (other - same) / 2;
                if method(middle) == last { same = middle } else { other = middle }
            }
            found.push((other * element, method(other)));
            from = other;
        }
        from = to;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_exact() {
        let choice =
            Choice::parse("alltoall=linear,alltoall=bruck@..257,alltoall=pairwise@5000..5001").unwrap();
        let nodes = Nodes::new(0..4);
        let found = thresholds(&choice, Collective::Alltoall, 4, &nodes);
        let names: Vec<_> = found.iter().map(|(from, method)| (*from, method.to_string())).collect();
        assert_eq!(
            names,
            [(0, "bruck".to_owned()), (257, "linear".to_owned())],
            "a single size between two powers is not met"
        );
        let choice = Choice::parse("allreduce=ring@4000..,allreduce=linear@..4000").unwrap();
        let found = thresholds(&choice, Collective::Allreduce, 4, &nodes);
        assert_eq!(found.iter().map(|&(from, _)| from).collect::<Vec<_>>(), [0, 4000]);
    }

    #[test]
    fn parameters_stand_behind_descriptions() {
        assert_eq!(parameters(Settings::default()), "");
        let settings = Settings { segment: Some(65536), radix: Some(4), ..Settings::default() };
        assert_eq!(parameters(settings), " [segment=64KiB, radix=4]");
    }

    #[test]
    fn methods_are_checked() {
        let error = |text| method_of(Collective::Allreduce, text).unwrap_err().error.to_string();
        assert!(error("rign").contains("did you mean ring?"), "{}", error("rign"));
        assert!(error("ring:radix=3").contains("no parameter radix"), "{}", error("ring:radix=3"));
        assert_eq!(named("MPI_Reduce_scatter").unwrap(), Collective::ReduceScatter);
        assert!(named("alreduce").unwrap_err().error.to_string().contains("did you mean allreduce?"));
    }
}
