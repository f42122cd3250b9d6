//! Fits a network model to measurements, and compares simulated with measured times.
//!
//! ```text
//!  OSU, IMB, SKaMPI, NetPIPE, CSV ──read──> samples ──medians──> points ──fit──> Calibration ──> model file, report, plot
//!  two result files ──records──> series of both ──compare──> Comparison
//! ```
//!
//! The model is that of Clauss et al., *Single node on-line simulation of MPI applications with SMPI* (IPDPS 2011), sections 4.1
//! and 6: the time of a message is piece-wise linear in its size. Errors are logarithmic, |ln X − ln R|, as in its section 7.1.
//!
//! | file | what |
//! |---|---|
//! | `read/` | formats of measurements |
//! | `measurement` | samples, and the median of each size |
//! | `line`, `segments` | regression, and where the pieces begin |
//! | `bootstrap` | how sure the parameters are |
//! | `protocol` | where sends begin to block, and receives to wait |
//! | `windows`, `interface` | what messages cost processors and a shared interface |
//! | `affine` | the two affine models to compare with |
//! | `fit` | all of it, in order |
//! | `scores` | how well models describe the measurements |
//! | `model_file`, `report` | the result as a model file, a page and a plot |
//! | `record`, `compare` | times of two sources, series by series |
//! | `comparison_page` | that as a page and a plot |
//! | `error` | the logarithmic error |
//!
//! Nothing here prints, simulates, or reads and writes files. Results depend on the input and a seed alone.

mod affine;
mod bootstrap;
mod compare;
mod comparison_page;
mod error;
mod fit;
mod interface;
mod line;
mod measurement;
mod model_file;
mod protocol;
mod read;
mod record;
mod report;
mod scores;
mod segments;
mod windows;

pub use bootstrap::Interval;
pub use compare::{CompareError, Comparison, Group, Pair, compare};
pub use comparison_page::{comparison_page, comparison_plot};
pub use error::{LogErrors, percent};
pub use fit::{
    Calibration, FitError, FitKind, FitRequest, OverheadFit, PieceFit, Prediction, Route, TimeModel, fit,
};
pub use interface::{CrowdedGap, Fitted, GapSection, GapTime, InterfaceFit};
pub use measurement::{Measurements, Point, Sample, SampleKind};
pub use model_file::{ModelFile, write_model};
pub use protocol::Limits;
pub use read::{Format, ReadError, ReadOptions, read, read_breakpoints};
pub use record::{Record, read_records};
pub use report::{page, plot};
pub use scores::Score;
pub use segments::Criterion;
