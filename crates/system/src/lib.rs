//! What several crates know about the system below the program: stack frames, and libraries that belong to the system.

mod frames;
mod libraries;

pub use frames::{Frame, for_each_frame};
pub use libraries::is_system_library;
