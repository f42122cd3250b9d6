//! Opens the workload that a user names.

use std::path::Path;

use crate::source::Source;
use crate::{
    BinaryTrace, Chakra, DimTrace, Dumpi, Generated, Goal, Otf2Trace, PrvTrace, TiTrace, TraceError,
    Training, Workload,
};

/// The formats of traces, and patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `gen:NAME,…`: a pattern made from parameters.
    Generated,
    /// SimGrid's time-independent traces.
    Ti,
    /// mpirage's own format.
    Binary,
    /// Dimemas.
    Dim,
    /// LogGOPSim's schedules, as text.
    GoalText,
    /// LogGOPSim's schedules, compiled.
    GoalBinary,
    /// SST's DUMPI.
    Dumpi,
    /// OTF2, of Score-P and others.
    Otf2,
    /// Paraver, of Extrae and others.
    Prv,
    /// Chakra's execution traces, of MLCommons.
    Chakra,
}

/// Opens the workload that `spec` names: a pattern, a file or a folder. The contents show the format.
pub fn open(spec: &str) -> Result<Box<dyn Workload>, TraceError> {
    let path = Path::new(spec);
    match recognise(spec)? {
        Format::Generated if is_training(spec) => Ok(Box::new(Training::parse(spec)?)),
        Format::Generated => Ok(Box::new(Generated::parse(spec)?)),
        Format::Ti => Ok(Box::new(TiTrace::open(path)?)),
        Format::Binary => Ok(Box::new(BinaryTrace::open(path)?)),
        Format::Dim => Ok(Box::new(DimTrace::open(path)?)),
        Format::GoalText => Ok(Box::new(Goal::open_text(path)?)),
        Format::GoalBinary => Ok(Box::new(Goal::open_binary(path)?)),
        Format::Dumpi => Ok(Box::new(Dumpi::open(path)?)),
        Format::Otf2 => Ok(Box::new(Otf2Trace::open(path)?)),
        Format::Prv => Ok(Box::new(PrvTrace::open(path)?)),
        Format::Chakra => Ok(Box::new(Chakra::open(spec)?)),
    }
}

/// Is it the generator that has a workload of its own?
fn is_training(spec: &str) -> bool {
    crate::generate::name_of(spec) == crate::TRAINING.name
}

/// The format of the workload that `spec` names.
pub fn recognise(spec: &str) -> Result<Format, TraceError> {
    if spec.starts_with("gen:") {
        return Ok(Format::Generated);
    }
    if Chakra::recognise(spec) {
        return Ok(Format::Chakra);
    }
    let path = Path::new(spec);
    if path.is_dir() {
        return Ok(if holds_dumpi(path) { Format::Dumpi } else { Format::Ti });
    }
    if spec.ends_with(".meta") {
        return Ok(Format::Dumpi);
    }
    let mut head = Vec::new();
    Source::open(path)?.append(0, 512, &mut head)?;
    Ok(format_of(&head))
}

/// The format of a file that starts like this.
fn format_of(head: &[u8]) -> Format {
    if head.starts_with(b"#DIMEMAS") {
        Format::Dim
    } else if head.starts_with(b"#Paraver") {
        Format::Prv
    } else if head.starts_with(b"MPIRAGE\n") {
        Format::Binary
    } else if head.starts_with(&4223u64.to_le_bytes()) {
        Format::GoalBinary
    } else if head.starts_with(b"\xff\xaa\xddDUMPI") {
        Format::Dumpi
    } else if Otf2Trace::recognise(head) {
        Format::Otf2
    } else if head.windows(9).any(|word| word == b"num_ranks") {
        Format::GoalText
    } else {
        Format::Ti
    }
}

fn holds_dumpi(folder: &Path) -> bool {
    let names = std::fs::read_dir(folder).into_iter().flatten().flatten();
    names.into_iter().any(|entry| entry.path().extension().is_some_and(|extension| extension == "meta"))
}
