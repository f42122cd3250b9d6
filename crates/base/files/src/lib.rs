//! Files that a user names: inputs are read with care, outputs appear under their names only when they are complete.

mod input;
mod output;

pub use input::*;
pub use output::{OutputFile, OutputFolder, SealedFile, folder_of, is_special, resolve};
