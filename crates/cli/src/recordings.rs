//! What is written while a run goes on: the figures of the summary, and the files that were asked for.

use std::cell::{Ref, RefCell};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use mpirage_record::{Record, Recorder, Several, Summary, Writer};

use mpirage_trace::{BinaryWriter, TiLayout, TiWriter, Transcript};

use crate::exit::{Failure, usage};
use crate::machine::Machine;

/// All consumers of a run's records.
pub struct Recordings {
    summary: Rc<RefCell<Summary>>,
    writers: Vec<Shared<dyn Writer>>,
}

impl Recordings {
    /// One writer for each file, by its ending.
    /// Bursts are measured on a machine of `speed` flops.
    pub fn create(files: &[PathBuf], machine: &Machine, speed: f64) -> Result<Recordings, Failure> {
        let writers = files.iter().map(|file| writer(file, machine, speed)).collect::<Result<_, _>>()?;
        Ok(Recordings { summary: Rc::default(), writers })
    }

    /// Whom the engine tells.
    pub fn recorder(&self) -> Box<dyn Recorder> {
        let summary = Box::new(Shared(Rc::clone(&self.summary)));
        if self.writers.is_empty() {
            return summary;
        }
        let mut several = Several::new();
        several.add(summary);
        for writer in &self.writers {
            several.add(Box::new(Shared(Rc::clone(&writer.0))));
        }
        Box::new(several)
    }

    /// The figures so far.
    pub fn summary(&self) -> Ref<'_, Summary> {
        self.summary.borrow()
    }

    /// Completes the files.
    pub fn finish(&mut self) -> Result<(), Failure> {
        for writer in &self.writers {
            let mut writer = writer.0.borrow_mut();
            writer.finish().map_err(usage)?;
            for warning in writer.warnings() {
                eprintln!("mpirage: in the trace, {warning}");
            }
        }
        Ok(())
    }
}

fn writer(file: &Path, machine: &Machine, speed: f64) -> Result<Shared<dyn Writer>, Failure> {
    let ranks = machine.ranks() as u32;
    if file.extension().is_some_and(|ending| ending == "mpirage") {
        let writer = BinaryWriter::create(file, ranks, Some(speed)).map_err(usage)?;
        return Ok(Shared(Rc::new(RefCell::new(Transcript::new(writer)))));
    }
    let folder = file.as_os_str().as_encoded_bytes().ends_with(b"/");
    if folder || file.extension().is_some_and(|ending| ending == "ti") {
        let layout = if folder { TiLayout::Folder } else { TiLayout::List };
        let writer = TiWriter::create(file, layout, ranks, Some(speed)).map_err(usage)?;
        let protocol = &machine.model.protocol;
        let writer = writer.local_work(protocol.reduce_seconds_per_byte, protocol.copy_seconds_per_byte);
        return Ok(Shared(Rc::new(RefCell::new(Transcript::new(writer)))));
    }
    Err(usage(format!("--trace {}: traces of this kind are not there yet", file.display())))
}

/// A recorder that somebody else wants to see too.
struct Shared<R: ?Sized>(Rc<RefCell<R>>);

impl<R: Recorder + ?Sized> Recorder for Shared<R> {
    fn record(&mut self, record: &Record<'_>) {
        self.0.borrow_mut().record(record);
    }

    fn wants_arguments(&self) -> bool {
        self.0.borrow().wants_arguments()
    }
}
