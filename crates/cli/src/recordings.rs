//! What is written while a run goes on: the figures of the summary, and the files that were asked for.

use std::cell::{Ref, RefCell};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use mpirage_record::{Record, Recorder, Several, Summary, Writer};
use mpirage_timeline::{RunInfo, Sites};
use mpirage_trace::{BinaryWriter, Transcript};

use crate::exit::{Failure, usage};
use crate::lines::Lines;
use crate::machine::Machine;

/// Where the calls of a run come from.
pub struct Source<'a> {
    /// The program or trace, as the user named it.
    pub name: &'a str,
    /// Speed of the machine on which its computation was measured, in flops.
    pub speed: f64,
    /// Its source, if it has one.
    pub lines: Option<Rc<Lines>>,
}

/// All consumers of a run's records.
pub struct Recordings {
    summary: Rc<RefCell<Summary>>,
    writers: Vec<Shared<dyn Writer>>,
}

impl Recordings {
    /// One writer for each file, by its ending.
    pub fn create(files: &[PathBuf], source: &Source<'_>, machine: &Machine) -> Result<Recordings, Failure> {
        let writers = files.iter().map(|file| writer(file, source, machine)).collect::<Result<_, _>>()?;
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
            writer.0.borrow_mut().finish().map_err(usage)?;
        }
        Ok(())
    }
}

fn writer(file: &Path, source: &Source<'_>, machine: &Machine) -> Result<Shared<dyn Writer>, Failure> {
    if file.extension().is_some_and(|ending| ending == "mpirage") {
        let ranks = machine.ranks() as u32;
        let writer = BinaryWriter::create(file, ranks, Some(source.speed)).map_err(usage)?;
        return Ok(Shared(Rc::new(RefCell::new(Transcript(writer)))));
    }
    let run = RunInfo {
        program: source.name.to_owned(),
        platform: Arc::clone(&machine.platform),
        placement: machine.placement.hosts.as_slice().into(),
        facts: vec![("model".to_owned(), machine.model.name.clone())],
        sites: source.lines.clone().map(|lines| lines as Rc<dyn Sites>),
        collective_messages: false,
    };
    let writer = mpirage_timeline::create(file, &run).map_err(usage)?;
    Ok(Shared(Rc::new(RefCell::new(writer))))
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
