//! The file of `mpirage jobs`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mpirage_units::{Duration, parse_duration};
use serde::Deserialize;

use crate::failure::{Failure, usage};

/// How long a turn lasts if the file does not say.
const QUANTUM: &str = "10ms";

/// The jobs, as the file says.
#[derive(Clone, Debug, PartialEq)]
pub struct JobsFile {
    /// The folder of the file, in which programs run and to which names of files refer.
    pub folder: PathBuf,
    /// How ranks of several jobs share one core.
    pub sharing: CoreSharing,
    /// The jobs, in the order of the file.
    pub jobs: Vec<JobSpec>,
}

/// How ranks share the cores of a host that has more ranks than cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoreSharing {
    /// They do not: more ranks than cores are an error.
    Own,
    /// All compute at the same time, each more slowly.
    Fair,
    /// The ranks of a core take turns of this length.
    RoundRobin(Duration),
}

/// A job.
#[derive(Clone, Debug, PartialEq)]
pub struct JobSpec {
    /// Its name.
    pub name: String,
    /// The program, trace or workload that it executes.
    pub what: What,
    /// Where, in the words of the file; empty for the next hosts that no job uses.
    pub hosts: Vec<String>,
    /// Ranks per host.
    pub ppn: Option<u32>,
    /// When it starts.
    pub start: Duration,
}

/// The program, trace or workload of a job.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// A program.
    Program {
        /// Its path and its arguments.
        words: Vec<String>,
        /// The number of ranks.
        ranks: u32,
        /// The folder in which it runs.
        folder: PathBuf,
        /// Environment variables.
        environment: BTreeMap<String, String>,
    },
    /// A trace, or a generated workload.
    Trace(String),
}

/// The file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    cores: Option<String>,
    quantum: Option<String>,
    #[serde(default)]
    job: Vec<Job>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Job {
    name: String,
    program: Option<Words>,
    trace: Option<String>,
    ranks: Option<u32>,
    hosts: Option<Words>,
    ppn: Option<u32>,
    start: Option<String>,
    wdir: Option<PathBuf>,
    #[serde(default)]
    env: BTreeMap<String, String>,
}

/// One text, or a list of words.
#[derive(Deserialize)]
#[serde(untagged)]
enum Words {
    Text(String),
    List(Vec<String>),
}

impl JobsFile {
    /// Reads a file.
    pub fn read(file: &Path) -> Result<JobsFile, Failure> {
        let name = file.display();
        let text = mpirage_files::read_text(file, mpirage_files::LONGEST_TEXT).map_err(usage)?;
        let folder = std::path::absolute(file).map_err(|error| usage(format!("{name}: {error}")))?;
        let folder = folder.parent().unwrap_or(Path::new("/"));
        JobsFile::parse(&text, folder).map_err(|problem| usage(format!("{name}: {problem}")))
    }

    fn parse(text: &str, folder: &Path) -> Result<JobsFile, String> {
        let document: Document = toml::from_str(text).map_err(|error| error.to_string())?;
        let sharing = sharing(document.cores.as_deref(), document.quantum.as_deref())?;
        let jobs = document.job.into_iter().map(|job| job.resolve(folder)).collect::<Result<Vec<_>, _>>()?;
        if jobs.is_empty() {
            return Err("there is no job; write for example\n[[job]]\nname = \"halo\"\nprogram = \"./halo\"\nranks = 16".to_owned());
        }
        for (at, job) in jobs.iter().enumerate() {
            if jobs[..at].iter().any(|other| other.name == job.name) {
                return Err(format!(
                    "two jobs have the name `{}`; names tell them apart in results",
                    job.name
                ));
            }
        }
        Ok(JobsFile { folder: folder.to_owned(), sharing, jobs })
    }
}

fn sharing(cores: Option<&str>, quantum: Option<&str>) -> Result<CoreSharing, String> {
    let sharing = match cores.unwrap_or("own") {
        "own" => CoreSharing::Own,
        "fair" => CoreSharing::Fair,
        "round-robin" => {
            CoreSharing::RoundRobin(time("quantum", quantum.unwrap_or(QUANTUM)).and_then(|quantum| {
                match quantum.is_zero() {
                    true => Err("quantum: a turn must last longer than zero".to_owned()),
                    false => Ok(quantum),
                }
            })?)
        }
        other => {
            return Err(format!("cores = \"{other}\": expected \"own\", \"fair\" or \"round-robin\""));
        }
    };
    match (sharing, quantum) {
        (CoreSharing::Own | CoreSharing::Fair, Some(_)) => {
            Err("quantum: only cores = \"round-robin\" has turns".to_owned())
        }
        _ => Ok(sharing),
    }
}

fn time(key: &str, text: &str) -> Result<Duration, String> {
    match parse_duration(text) {
        Ok(seconds) if seconds >= 0.0 => Ok(Duration::from_secs_f64(seconds)),
        Ok(_) => Err(format!("{key} = \"{text}\": a time must not be negative")),
        Err(error) => Err(format!("{key}: {error}")),
    }
}

impl Job {
    fn resolve(self, folder: &Path) -> Result<JobSpec, String> {
        let name = self.name.clone();
        let job = |problem: String| format!("job `{name}`: {problem}");
        let valid = |letter: char| letter.is_alphanumeric() || "-_.+".contains(letter);
        if name.is_empty() || name.starts_with('.') || !name.chars().all(valid) {
            return Err(job("a name has letters, digits and - _ . + only, because files get it".to_owned()));
        }
        let start = self.start.as_deref().map_or(Ok(Duration::default()), |text| time("start", text));
        let start = start.map_err(&job)?;
        let hosts = match &self.hosts {
            None => Vec::new(),
            Some(Words::Text(text)) => text.split(',').map(|host| host.trim().to_owned()).collect(),
            Some(Words::List(list)) => list.clone(),
        };
        if self.ppn == Some(0) {
            return Err(job("ppn = 0: a host has at least one rank".to_owned()));
        }
        let ppn = self.ppn;
        let what = self.what(folder).map_err(&job)?;
        Ok(JobSpec { name, what, hosts, ppn, start })
    }

    fn what(self, folder: &Path) -> Result<What, String> {
        let words = match (self.program, self.trace) {
            (Some(Words::Text(text)), None) => mpirage_system::split_words(&text)
                .ok_or_else(|| format!("program = \"{text}\": a quote is not closed"))?,
            (Some(Words::List(words)), None) => words,
            (None, Some(trace)) => {
                if self.ranks.is_some() || self.wdir.is_some() || !self.env.is_empty() {
                    return Err(
                        "ranks, wdir and env belong to programs; a trace has its own ranks".to_owned()
                    );
                }
                let generated = trace.starts_with("gen:");
                let path = folder.join(&trace).to_string_lossy().into_owned();
                return Ok(What::Trace(if generated { trace } else { path }));
            }
            (None, None) => return Err("it has neither a program nor a trace".to_owned()),
            (Some(_), Some(_)) => {
                return Err("it has both a program and a trace; make two jobs of them".to_owned());
            }
        };
        let ranks = self.ranks.ok_or("ranks = N is missing: how many ranks has the program?")?;
        if words.is_empty() || ranks == 0 {
            return Err("it needs a program and at least one rank".to_owned());
        }
        let folder = self.wdir.map_or_else(|| folder.to_owned(), |wdir| folder.join(wdir));
        Ok(What::Program { words, ranks, folder, environment: self.env })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<JobsFile, String> {
        JobsFile::parse(text, Path::new("/study"))
    }

    #[test]
    fn programs_and_traces() {
        let file = parse(
            "cores = \"round-robin\"\nquantum = \"5ms\"\n\
             [[job]]\nname = \"a\"\nprogram = \"./halo 'x y'\"\nranks = 4\nhosts = \"node-0, 2-3\"\nwdir = \"sub\"\n\
             [[job]]\nname = \"b\"\ntrace = \"b.mpirage\"\nstart = \"2s\"\n[[job]]\nname = \"c\"\ntrace = \"gen:ring,n=2\"",
        );
        let file = file.unwrap();
        assert_eq!(file.sharing, CoreSharing::RoundRobin(Duration::from_secs_f64(5e-3)));
        let [a, b, c] = &file.jobs[..] else { panic!("three jobs: {file:?}") };
        let words = vec!["./halo".to_owned(), "x y".to_owned()];
        let folder = PathBuf::from("/study/sub");
        assert_eq!(a.what, What::Program { words, ranks: 4, folder, environment: BTreeMap::new() });
        assert_eq!(a.hosts, ["node-0", "2-3"]);
        assert_eq!(
            (&b.what, b.start),
            (&What::Trace("/study/b.mpirage".to_owned()), Duration::from_secs_f64(2.0))
        );
        assert_eq!(c.what, What::Trace("gen:ring,n=2".to_owned()));
    }

    #[test]
    fn mistakes_are_named() {
        let program = "[[job]]\nname = \"a\"\nprogram = \"./a\"\n";
        for (text, problem) in [
            ("", "there is no job"),
            ("cores = \"fair\"\nquantum = \"1s\"", "only cores = \"round-robin\" has turns"),
            ("cores = \"round-robin\"\nquantum = \"0s\"", "longer than zero"),
            ("cores = \"mine\"", "expected \"own\", \"fair\" or \"round-robin\""),
            (program, "ranks = N is missing"),
            ("[[job]]\nname = \"a\"", "neither a program nor a trace"),
            ("[[job]]\nname = \"a/b\"\ntrace = \"x\"", "letters, digits"),
            ("[[job]]\nname = \"a\"\ntrace = \"x\"\nranks = 3", "a trace has its own ranks"),
            ("[[job]]\nname = \"a\"\ntrace = \"x\"\nstart = \"-1s\"", "start"),
            ("[[job]]\nname = \"a\"\ntrace = \"x\"\nhost = \"n\"", "unknown field `host`"),
            (
                "[[job]]\nname = \"a\"\ntrace = \"x\"\n[[job]]\nname = \"a\"\ntrace = \"x\"",
                "two jobs have the name `a`",
            ),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(problem), "{text}: {error}");
        }
    }
}
