//! Files that a run writes: traces, captures, a report. Each appears under its name when it is complete.

use std::path::{Path, PathBuf};

use mpirage_files::OutputFile;
use mpirage_trace::{
    BinaryWriter, Computation, DimWriter, GoalWriter, TiLayout, TiWriter, TraceError, TraceWriter,
};

use crate::failure::{Failure, usage};
use crate::reporting::IdealTime;

/// The files that a run writes besides its figures. Fields have the names of the options.
#[derive(Clone, Debug, Default)]
pub struct OutputRequest {
    /// Traces and timelines; the ending of a file chooses its format.
    pub trace: Vec<PathBuf>,
    /// Do reports and timelines include the messages inside collectives?
    pub collective_messages: bool,
    /// Captures of frames: `PLACE[:PORT]=FILE.pcapng`.
    pub pcap: Vec<String>,
    /// Bytes of each frame that captures keep.
    pub pcap_snap: Option<u32>,
    /// Is the data of a report wanted, and how does it find the time on an ideal network?
    pub report: Option<IdealTime>,
}

impl OutputRequest {
    /// True if the run has nothing to write.
    pub fn is_empty(&self) -> bool {
        self.trace.is_empty() && self.report.is_none()
    }

    /// A doubt about the report, which has one row for all threads of a rank, if `threads` says that ranks had several inside MPI.
    pub fn overlap_doubt(&self, threads: bool) -> Option<String> {
        let shown = threads && self.report.is_some();
        shown.then(|| {
            "several threads of a rank were inside MPI at the same time: their calls overlap in the rank's row of the report; timelines \
             (--trace FILE.prv, .pftrace, .paje, .otf2) have a row for each thread"
                .to_owned()
        })
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

    /// The exit code of a run that ended with `code`: the first failure decides if the run itself succeeded.
    pub fn exit_code(&self, code: u8) -> u8 {
        if code == 0 { self.0.first().map_or(0, |failure| failure.code) } else { code }
    }
}

/// Opens an output file.
pub fn open(file: &Path) -> Result<OutputFile, Failure> {
    OutputFile::create(file).map_err(|error| usage(format!("cannot write {}: {error}", file.display())))
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
