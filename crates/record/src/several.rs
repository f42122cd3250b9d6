//! Several consumers of one stream.

use crate::{Record, Recorder};

/// Recorders that are all told the same.
#[derive(Default)]
pub struct Several(Vec<Box<dyn Recorder>>);

impl Several {
    /// Nobody yet.
    pub fn new() -> Several {
        Several::default()
    }

    /// Tells this one too.
    pub fn add(&mut self, recorder: Box<dyn Recorder>) {
        self.0.push(recorder);
    }
}

impl Recorder for Several {
    fn record(&mut self, record: &Record<'_>) {
        for recorder in &mut self.0 {
            recorder.record(record);
        }
    }

    fn wants_arguments(&self) -> bool {
        self.0.iter().any(|recorder| recorder.wants_arguments())
    }

    fn wants_ideal(&self) -> bool {
        self.0.iter().any(|recorder| recorder.wants_ideal())
    }
}
