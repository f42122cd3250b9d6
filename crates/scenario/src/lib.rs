//! A scenario: everything a run depends on, resolved and checked before it starts.
//!
//! What a user typed and what files say becomes values here, once: the [`Model`] (network parameters and
//! MPI protocol) and the [`Placement`] of ranks on hosts. Below this crate nobody reads a setting.

mod fit;
mod keys;
mod model;
mod placement;
mod simgrid;

pub use model::{MODELS, Model, ModelError, ModelName};
pub use placement::{Mapping, Placement, PlacementError, Slots};
