//! Files that a run writes: traces, captures, a report. Each appears under its name when it is complete.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use mpirage_files::{OutputFile, is_special};
use mpirage_trace::{
    BinaryWriter, Computation, DimWriter, GoalWriter, TiLayout, TiWriter, TraceError, TraceWriter,
};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::failure::{Failure, usage};
use crate::json::one_or_many;
use crate::live::Live;
use crate::reporting::IdealTime;
use crate::words::choose;

/// The answers to a question.
pub const YES_OR_NO: [(&str, bool); 2] = [("yes", true), ("no", false)];

/// The files that a run writes besides its figures. Fields have the names of the options.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct OutputRequest {
    /// Traces and timelines; the ending of a file chooses its format.
    #[serde(deserialize_with = "one_or_many")]
    pub trace: Vec<PathBuf>,
    /// Do reports and timelines include the messages inside collectives?
    #[serde(deserialize_with = "yes_or_no")]
    pub trace_collectives: bool,
    /// Captures of frames: `PLACE[:PORT]=FILE.pcapng`.
    #[serde(deserialize_with = "one_or_many")]
    pub pcap: Vec<String>,
    /// Bytes of each frame that captures keep.
    pub pcap_snap: Option<u32>,
    /// The report: a page.
    pub report: Option<PathBuf>,
    /// How the report finds the time on an ideal network.
    pub report_ideal: IdealTime,
    /// Is the data of the report wanted, and no page?
    #[serde(skip)]
    pub report_data: bool,
    /// Where the data of the report is shown while the run goes on.
    #[serde(skip)]
    pub live: Option<Arc<Live>>,
}

impl OutputRequest {
    /// True if the run has nothing to write.
    pub fn is_empty(&self) -> bool {
        self.trace.is_empty() && !self.has_report()
    }

    /// Is a report wanted?
    pub fn has_report(&self) -> bool {
        self.report.is_some() || self.report_data || self.live.is_some()
    }

    /// A doubt about the report, which has one row for all threads of a rank, if `threads` says that ranks had several inside MPI.
    pub fn overlap_doubt(&self, threads: bool) -> Option<String> {
        let shown = threads && self.has_report();
        shown.then(|| {
            "several threads of a rank were inside MPI at the same time: their calls overlap in the rank's row of the report; timelines \
             (--trace FILE.prv, .pftrace, .paje, .otf2) have a row for each thread"
                .to_owned()
        })
    }
}

/// Reads `yes`, `no`, true or false.
fn yes_or_no<'de, D: Deserializer<'de>>(source: D) -> Result<bool, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Answer {
        Bool(bool),
        Word(String),
    }
    match Answer::deserialize(source)? {
        Answer::Bool(answer) => Ok(answer),
        Answer::Word(word) => choose("trace_collectives", &word, &YES_OR_NO).map_err(D::Error::custom),
    }
}

/// Outputs that could not be written. One that fails does not stop the others.
#[derive(Debug, Default)]
pub struct Failures(Vec<Failure>);

impl Failures {
    /// Remembers a failure.
    pub fn note<T>(&mut self, result: Result<T, Failure>) -> Option<T> {
        result.map_err(|failure| self.0.push(failure)).ok()
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Failure> {
        self.0.iter()
    }

    /// The same failures after one that came first.
    #[must_use]
    pub fn after(mut self, first: Result<(), Failure>) -> Failures {
        self.0.splice(..0, first.err());
        self
    }

    /// The exit code of a run that ended with `code`: the first failure decides if the run itself succeeded.
    pub fn exit_code(&self, code: u8) -> u8 {
        if code == 0 { self.0.first().map_or(0, |failure| failure.code) } else { code }
    }
}

/// Opens an output file.
pub fn open(file: &Path) -> Result<OutputFile, Failure> {
    OutputFile::create(file).map_err(|error| usage(format!("cannot write {}: {error}", file.display())))
}

/// Opens a report, whose name must end in `.html`.
pub fn open_report(option: &str, file: &Path) -> Result<OutputFile, Failure> {
    let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let is_page = ["html", "htm"].iter().any(|known| ending.eq_ignore_ascii_case(known));
    if !is_page && !is_special(file) {
        return Err(usage(format!(
            "{option} {}: a report is an HTML page; choose a name that ends in .html",
            file.display()
        )));
    }
    open(file)
}

/// The writer of calls for `file`, by its ending; `None` if files with this ending have times. `local_work`: the seconds per
/// byte of reductions, of copies, and per packed block inside collectives.
pub fn scribe(
    file: &Path,
    ranks: u32,
    computation: Computation,
    local_work: [f64; 3],
) -> Option<Result<Box<dyn TraceWriter>, TraceError>> {
    let folder = file.as_os_str().as_encoded_bytes().ends_with(b"/");
    let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let layout = match ending {
        "mpirage" => {
            let writer = BinaryWriter::create(file, ranks, computation);
            return Some(writer.map(|writer| Box::new(writer) as Box<dyn TraceWriter>));
        }
        "goal" | "bin" => {
            let writer = GoalWriter::create(file, ending == "bin", ranks, computation);
            return Some(
                writer.map(|writer| Box::new(writer.local_work(local_work)) as Box<dyn TraceWriter>),
            );
        }
        "dim" => {
            let writer = DimWriter::create(file, ranks, computation);
            return Some(writer.map(|writer| Box::new(writer) as Box<dyn TraceWriter>));
        }
        _ if folder => TiLayout::Folder,
        "ti" => TiLayout::List,
        "txt" => TiLayout::OneFile,
        _ => return None,
    };
    let writer = TiWriter::create(file, layout, ranks, computation);
    Some(writer.map(|writer| Box::new(writer.local_work(local_work)) as Box<dyn TraceWriter>))
}
