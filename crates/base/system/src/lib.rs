//! System facilities shared by several crates: stack frames, libraries of the system, signals that stop the program,
//! words of a shell, memory that is exhausted, a timer that samples.

mod exhausted_memory;
mod frames;
mod libraries;
mod sampling;
mod shell;
mod stop_signals;
mod thread_signals;

pub use exhausted_memory::NamesExhaustion;
pub use frames::{Frame, for_each_frame};
pub use libraries::is_system_library;
pub use sampling::SamplingTimer;
pub use shell::{quoted, split_words};
pub use stop_signals::{leave_signals_to_others, remember_stop_signals, stop_signal, stop_signals};
pub use thread_signals::{Thread, signal_thread};
