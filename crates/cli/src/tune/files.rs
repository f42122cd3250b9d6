//! The files that `mpirage tune` writes: opened before the search, written after it.

use std::path::Path;

use mpirage_call::{Algorithm, Collective, Method};
use mpirage_collectives::Performed;
use mpirage_collectives::mpich::{self, MpichVersion};
use mpirage_collectives::{Choice, Condition, Decision, Flag, Rule, Selector, Shape, write_dynamic_rules};
use mpirage_files::OutputFile;
use mpirage_simulation::{Failures, words};
use mpirage_tune::{Threshold, rules_by_size, thresholds};

use super::page;
use super::show::Results;
use crate::arguments::TuneArguments;
use crate::exit::{Failure, usage};
use crate::output::say;
use crate::results::{self, JsonOutput, write};

/// A library that reads rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Library {
    /// Open MPI 4.1 and 5.0: a file of dynamic rules.
    OpenMpi,
    /// MPICH: a JSON file of selections.
    Mpich(MpichVersion),
    /// mpirage itself: `--coll FILE`.
    Mpirage,
}

const LIBRARIES: [(&str, Library); 4] = [
    ("openmpi", Library::OpenMpi),
    ("mpich", Library::Mpich(MpichVersion::V4_0)),
    ("mpich-4.3", Library::Mpich(MpichVersion::V4_3)),
    ("mpirage", Library::Mpirage),
];

impl Library {
    /// The library that the user names, or that reads files with this ending.
    pub fn of(arguments: &TuneArguments) -> Result<Option<Library>, Failure> {
        let Some(file) = &arguments.output else { return Ok(None) };
        if let Some(format) = &arguments.format {
            let choices = LIBRARIES.map(|(name, _)| name);
            let known = LIBRARIES.iter().find(|(name, _)| name == format).map(|(_, library)| *library);
            let meant = words::did_you_mean(format, choices);
            let unknown = || usage(format!("--format {format}: expected {}{meant}", choices.join(", ")));
            return known.ok_or_else(unknown).map(Some);
        }
        match file.extension().and_then(|ending| ending.to_str()) {
            Some("rules") => Ok(Some(Library::Mpirage)),
            Some("conf") => Ok(Some(Library::OpenMpi)),
            Some("json") => Ok(Some(Library::Mpich(MpichVersion::V4_0))),
            _ => Err(usage(format!(
                "-o {}: the ending does not say which library reads the file; use --format {}",
                file.display(),
                LIBRARIES.map(|(name, _)| name).join("|")
            ))),
        }
    }

    /// The table that the library uses without the file.
    pub fn table(self) -> &'static str {
        match self {
            Library::OpenMpi => "openmpi-4.1",
            Library::Mpich(MpichVersion::V4_0) => "mpich-4.0",
            Library::Mpich(MpichVersion::V4_3) => "mpich-4.3",
            Library::Mpirage => "",
        }
    }

    /// A test whether its file can express a method; none if it can express all.
    pub fn allowed(self) -> Option<fn(Collective, Method, &Shape<'_>) -> bool> {
        match self {
            Library::OpenMpi => Some(open_mpi_does),
            Library::Mpich(MpichVersion::V4_0) => Some(mpich_4_0_does),
            Library::Mpich(MpichVersion::V4_3) => Some(mpich_4_3_does),
            Library::Mpirage => None,
        }
    }

    /// The text of its file.
    fn text(self, results: &Results<'_>) -> Result<String, Failure> {
        match self {
            Library::OpenMpi => dynamic_rules(results),
            Library::Mpich(version) => {
                let mut rules = rules_by_size(results.rows, mpich_looks_at_sizes);
                rules = rules.into_iter().map(for_mpich).collect();
                // Where MPICH's own method is the best and has no name in the file, its own rules stay.
                rules.retain(|rule| mpich::write(std::slice::from_ref(rule), version).is_ok());
                mpich::write(&rules, version).map_err(usage)
            }
            Library::Mpirage => Ok(own_rules(results)),
        }
    }

    /// How a user hands the file to the library.
    fn usage(self, file: &Path) -> String {
        let file = file.display();
        match self {
            Library::OpenMpi => format!(
                "mpirun --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename {file} …"
            ),
            Library::Mpich(_) => format!("MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE={file} mpirun …"),
            Library::Mpirage => format!("mpirage run --coll {file} …"),
        }
    }
}

/// Does a file of dynamic rules that names this method lead to it? Some algorithms of Open MPI fall back to others for some calls.
fn open_mpi_does(collective: Collective, method: Method, shape: &Shape<'_>) -> bool {
    let decision = Decision { collective, ranks: shape.size, bytes: 0, method: Some(method) };
    let read = write_dynamic_rules(&[decision]).ok().and_then(|text| Selector::read(&text).ok());
    let done = read.and_then(|selector| selector.method(collective.into(), shape));
    done.is_some_and(|done| same(collective, done, method))
}

/// Are two methods the same, if what they do not say is as usual?
fn same(collective: Collective, one: Method, other: Method) -> bool {
    let defaults = collective.defaults(one.algorithm).unwrap_or_default();
    one.algorithm == other.algorithm && one.settings.or(defaults) == other.settings.or(defaults)
}

fn mpich_4_0_does(collective: Collective, method: Method, shape: &Shape<'_>) -> bool {
    mpich_does(collective, method, shape, MpichVersion::V4_0)
}

fn mpich_4_3_does(collective: Collective, method: Method, shape: &Shape<'_>) -> bool {
    mpich_does(collective, method, shape, MpichVersion::V4_3)
}

/// Does a selection file that names this method lead to it? Several of our algorithms have one name in MPICH.
fn mpich_does(collective: Collective, method: Method, shape: &Shape<'_>, version: MpichVersion) -> bool {
    let rule = Rule::new(collective.into(), Vec::new(), method).ok();
    let text = rule.and_then(|rule| mpich::write(&[rule], version).ok());
    let read = text.and_then(|text| Choice::parse_with("file", |_| Some(Ok(text.clone()))).ok());
    read.is_some_and(|choice| same(collective, choice.method(collective, shape), method))
}

/// The rule for calls that the algorithm can perform in MPICH, which follows its file without a check and may abort.
fn for_mpich(mut rule: Rule) -> Rule {
    use Algorithm as A;
    use Collective as C;
    let collective = rule.operation.collective;
    let wants = |flag| Condition::Is(flag, true);
    match collective {
        C::Alltoall | C::Alltoallv | C::Alltoallw => {
            rule.conditions.push(Condition::Is(Flag::InPlace, false))
        }
        C::Reduce | C::Allreduce => {
            rule.conditions.extend([Flag::Commutative, Flag::BuiltIn, Flag::ElementEach].map(wants));
        }
        C::ReduceScatter | C::ReduceScatterBlock => rule.conditions.push(wants(Flag::Commutative)),
        C::Allgather | C::Allgatherv if rule.method.algorithm == A::RecursiveDoubling => {
            rule.conditions.push(wants(Flag::PowerOfTwo));
        }
        _ => {}
    }
    rule
}

/// Can a selection file of MPICH ask for the size of this collective?
fn mpich_looks_at_sizes(collective: Collective) -> bool {
    use Collective as C;
    matches!(
        collective,
        C::Bcast
            | C::Reduce
            | C::Allreduce
            | C::Alltoall
            | C::Allgather
            | C::Allgatherv
            | C::ReduceScatter
            | C::ReduceScatterBlock
    )
}

/// Does Open MPI look at the size of a message for this collective?
fn open_mpi_looks_at_sizes(collective: Collective) -> bool {
    use Collective as C;
    matches!(
        collective,
        C::Bcast
            | C::Reduce
            | C::Allreduce
            | C::Gather
            | C::Scatter
            | C::Allgather
            | C::Allgatherv
            | C::Alltoall
            | C::ReduceScatter
            | C::ReduceScatterBlock
    )
}

/// Open MPI's file. What it cannot express, and communicators of other sizes, are left to the library's own decisions.
fn dynamic_rules(results: &Results<'_>) -> Result<String, Failure> {
    let all = thresholds(results.rows, open_mpi_looks_at_sizes);
    let decision = |&Threshold { collective, ranks, from, method }: &Threshold| {
        let decision = Decision { collective, ranks, bytes: from, method: Some(method) };
        let method = write_dynamic_rules(&[decision]).is_ok().then_some(method);
        Decision { method, ..decision }
    };
    // A rule holds for larger communicators too, up to the next one.
    let beyond = |one: &Threshold| Decision {
        collective: one.collective,
        ranks: one.ranks + 1,
        bytes: 0,
        method: None,
    };
    let decisions: Vec<Decision> = all.iter().map(beyond).chain(all.iter().map(decision)).collect();
    let text = write_dynamic_rules(&decisions).map_err(usage)?;
    Ok(format!("# {}\n{text}", results.title()))
}

/// Our own format: one rule per line.
fn own_rules(results: &Results<'_>) -> String {
    let mut text = format!("# {}\n", results.title());
    results.rules.iter().for_each(|rule| text.push_str(&format!("{rule}\n")));
    text
}

/// Opened outputs.
pub struct Files {
    rules: Option<(OutputFile, Library)>,
    plot: Option<OutputFile>,
    report: Option<OutputFile>,
    json: JsonOutput,
}

impl Files {
    /// Opens what the user asks for.
    pub fn open(arguments: &TuneArguments, library: Option<Library>) -> Result<Files, Failure> {
        let rules = arguments.output.as_deref().map(|file| results::open_new(file, arguments.force));
        let rules = rules.transpose()?.zip(library);
        let plot = arguments.plot.as_deref().map(results::open_plot).transpose()?;
        let report =
            arguments.report.as_deref().map(|file| results::open_report("--report", file)).transpose()?;
        let json = JsonOutput::open(&arguments.json)?;
        Ok(Files { rules, plot, report, json })
    }

    /// Writes them all. A file that fails does not stop the others.
    pub fn write(self, results: &Results<'_>) -> Result<u8, Failure> {
        let mut failures = Failures::default();
        if let Some((file, library)) = self.rules {
            let name = file.path().to_owned();
            let text = library.text(results);
            if failures.note(text.and_then(|text| write(file, &text))).is_some() && !results.quiet {
                say!("mpirage: wrote {}; use it with: {}", name.display(), library.usage(&name));
            }
        }
        if let Some(file) = self.plot {
            failures.note(write(file, &page::plot(results)));
        }
        if let Some(file) = self.report {
            failures.note(write(file, &page::page(results)));
        }
        failures.note(self.json.write(&results.json()));
        Ok(failures.exit_code(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_open_mpi_does_is_allowed() {
        let does = |collective, method: &str, ranks| {
            let shape = Shape::new(ranks).bytes(1 << 20);
            open_mpi_does(collective, mpirage_collectives::read_method(method).unwrap(), &shape)
        };
        assert!(does(Collective::Bcast, "chain:segment=8KiB:radix=4", 16));
        assert!(does(Collective::Bcast, "k-nomial:segment=0:radix=4", 16));
        assert!(!does(Collective::Bcast, "k-nomial:segment=0:radix=8", 16), "its radix is 4");
        assert!(!does(Collective::Bcast, "double-tree", 16));
        // Its recursive doubling falls back to another algorithm.
        assert!(does(Collective::Allgather, "recursive-doubling", 8));
        assert!(!does(Collective::Allgather, "recursive-doubling", 6));
    }

    #[test]
    fn only_what_mpich_does_is_allowed() {
        let does = |collective, method: &str, ranks| {
            let shape = Shape::new(ranks).bytes(1 << 20);
            mpich_4_0_does(collective, mpirage_collectives::read_method(method).unwrap(), &shape)
        };
        assert!(does(Collective::Bcast, "binomial", 16));
        assert!(does(Collective::Allgather, "ring", 16));
        assert!(!does(Collective::Bcast, "chain", 16));
        assert!(!does(Collective::Bcast, "double-tree", 16));
    }
}
