//! Workloads that are not programs: traces of earlier runs, and patterns made from parameters.
//!
//! A [`Workload`] yields the calls of its ranks, in the words in which every rank speaks to the simulator
//! ([`mpirage_call`]). It has no clock: what a call answers is all it learns. Readers of trace formats and generators are
//! workloads; writers of traces without dates are consumers of records. Formats with dates are in `mpirage-timeline`.

mod aggregate;
mod binary;
mod chakra;
mod communicators;
mod convert;
mod dim;
mod dumpi;
mod error;
mod expansion;
mod function;
mod generate;
mod goal;
mod info;
mod losses;
mod open;
mod otf2;
mod prv;
mod source;
mod ti;
mod workload;
mod writer;

use mpirage_call::varint;

pub use aggregate::{GridError, ProcessGrid, aggregate, aggregate_computation};
pub use binary::{BinaryTrace, BinaryWriter};
pub use chakra::Chakra;
pub use convert::convert;
pub use dim::{DimTrace, DimWriter};
pub use dumpi::Dumpi;
pub use error::{TraceError, TracePlace};
pub use generate::{
    CollectiveSpec, Generated, KEYS, KeyInfo, PATTERNS, PatternInfo, TRAINING, TRAINING_KEYS, Training,
    models,
};
pub use goal::{
    Dependency, Goal, GoalBinaryWriter, GoalSchedules, GoalTextWriter, GoalWriter, Op, OpKind, RankSchedule,
    compile_goal,
};
pub use info::{Info, Matrix, info};
pub use open::{Format, open, recognise};
pub use otf2::Otf2Trace;
pub use prv::PrvTrace;
pub use ti::{TiLayout, TiTrace, TiWriter};
pub use workload::{Calls, Computation, Step, ThreadSync, Workload};
pub use writer::{TraceRecorder, TraceWriter};
