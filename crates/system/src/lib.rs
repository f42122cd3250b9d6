//! What several crates know about the system below the program: stack frames, libraries that belong to the system, and signals that stop it.

mod frames;
mod libraries;
mod stop_signals;

pub use frames::{Frame, for_each_frame};
pub use libraries::is_system_library;
pub use stop_signals::{remember_stop_signals, stop_signal, stop_signals};
