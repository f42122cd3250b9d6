//! Runs as files for viewers and for analysis: everything that has dates.
//!
//! Each writer is a [`mpirage_record::Recorder`] that streams: its memory does not grow with the run.
