//! The subject of tuning: collectives, the calls of a trace, or the calls of a program.

use std::ffi::OsString;
use std::path::Path;

use mpirage_call::Collective;
use mpirage_simulation::words::did_you_mean;
use mpirage_trace::{Format, recognise};

use crate::exit::{Failure, usage};

/// The subject that the user names.
#[derive(Debug, PartialEq, Eq)]
pub enum Subject {
    /// These collectives, each once.
    Collectives(Vec<Collective>),
    /// A trace or a generated workload.
    Trace(String),
    /// A program and its arguments.
    Program(Vec<OsString>),
}

impl Subject {
    /// The words after the options: names of collectives, one trace, or a program with its arguments. A name that is also a
    /// file is the collective; `./bcast` is the file.
    pub fn of(words: &[OsString]) -> Result<Subject, Failure> {
        let first = words.first().map(|word| word.to_string_lossy().into_owned()).unwrap_or_default();
        let alone = words.len() == 1;
        let names: Vec<String> = first.split(',').map(spelled).filter(|name| !name.is_empty()).collect();
        if alone && names == ["all"] {
            return Ok(Subject::Collectives(Collective::OF_ALL_RANKS.to_vec()));
        }
        if names.iter().any(|name| Collective::from_name(name).is_some()) {
            return collectives(&names, words);
        }
        if alone && is_trace(&first) {
            return Ok(Subject::Trace(first));
        }
        if Path::new(&words[0]).exists() || first.contains('/') {
            return Ok(Subject::Program(words.to_vec()));
        }
        Err(usage(format!(
            "{first} is no collective, no trace and no program{}; `mpirage info collectives` lists collectives",
            did_you_mean(
                &spelled(&first),
                Collective::OF_ALL_RANKS.iter().map(|kind| kind.name()).chain(["all"])
            )
        )))
    }
}

fn collectives(names: &[String], words: &[OsString]) -> Result<Subject, Failure> {
    if let Some(word) = words.get(1) {
        return Err(usage(format!(
            "{}: one word names all collectives, separated by commas: {},{}",
            word.display(),
            words[0].display(),
            word.display()
        )));
    }
    let mut kinds = Vec::new();
    for name in names {
        let all = || Collective::OF_ALL_RANKS.iter().map(|kind| kind.name());
        let unknown = || usage(format!("there is no collective {name}{}", did_you_mean(name, all())));
        let kind = Collective::from_name(name).ok_or_else(unknown)?;
        if !Collective::OF_ALL_RANKS.contains(&kind) {
            return Err(usage(format!("{kind} depends on a topology; tune the collectives of all ranks")));
        }
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    Ok(Subject::Collectives(kinds))
}

/// `Reduce_scatter` and `MPI_Reduce_scatter` are as good as `reduce-scatter`.
fn spelled(name: &str) -> String {
    let name = name.trim().to_ascii_lowercase().replace('_', "-");
    name.strip_prefix("mpi-").map(str::to_owned).unwrap_or(name)
}

/// Programs are executable; traces are not. Any text may be a time-independent trace, so only that tells them apart.
fn is_trace(spec: &str) -> bool {
    use std::os::unix::fs::PermissionsExt;
    if spec.starts_with("gen:") {
        return true;
    }
    let Ok(metadata) = std::fs::metadata(spec) else { return false };
    let executable = metadata.is_file() && metadata.permissions().mode() & 0o111 != 0;
    match recognise(spec) {
        Ok(Format::Ti) => !executable,
        Ok(_) => true,
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(words: &[&str]) -> Result<Subject, String> {
        let words: Vec<OsString> = words.iter().map(|word| OsString::from(*word)).collect();
        Subject::of(&words).map_err(|failure| failure.error.to_string())
    }

    #[test]
    fn names_of_collectives_are_read_as_people_write_them() {
        use Collective::{Allreduce, ReduceScatter};
        let both = Ok(Subject::Collectives(vec![Allreduce, ReduceScatter]));
        assert_eq!(subject(&["allreduce,reduce-scatter"]), both);
        assert_eq!(subject(&["MPI_Allreduce,Reduce_scatter,allreduce"]), both);
        assert_eq!(subject(&["all"]), Ok(Subject::Collectives(Collective::OF_ALL_RANKS.to_vec())));
    }

    #[test]
    fn mistakes_are_explained() {
        assert!(subject(&["alreduce"]).unwrap_err().contains("did you mean allreduce?"));
        assert!(subject(&["bcast,alreduce"]).unwrap_err().contains("did you mean allreduce?"));
        assert!(subject(&["bcast", "reduce"]).unwrap_err().contains("bcast,reduce"));
    }

    #[test]
    fn what_is_executable_is_a_program() {
        assert_eq!(subject(&["gen:bcast"]), Ok(Subject::Trace("gen:bcast".to_owned())));
        let program = subject(&["/bin/true", "8"]);
        assert_eq!(program, Ok(Subject::Program(vec!["/bin/true".into(), "8".into()])));
        assert!(matches!(subject(&["/bin/true"]), Ok(Subject::Program(_))));
    }
}
