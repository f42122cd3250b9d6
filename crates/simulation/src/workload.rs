//! Facts that a trace or generated workload states: its computation, its calls and their places.

use std::rc::Rc;

use mpirage_interpret::Sites;
use mpirage_trace::{TracePlace, Workload};
use rustc_hash::FxHashMap;

use crate::diagnosis::{Places, SourcePlace};
use crate::failure::{Failure, usage};
use crate::host_speed;
use crate::machine::Machine;
use crate::simulation::Charged;

/// The computation that takes time: chosen by the user, or as in the traced run.
pub fn charged(typed: Option<&str>, workload: &dyn Workload) -> Result<Charged, Failure> {
    match typed {
        None => Ok(Charged { bursts: !workload.computation().free, declared: true }),
        Some("traced") => Ok(Charged::ALL),
        Some("none") => Ok(Charged::NONE),
        Some(other) => Err(usage(format!("--compute {other}: expected traced or none"))),
    }
}

/// Speed of the machine on which computation was measured. If it is unknown, the speed of the simulated host of rank 0.
pub fn measured_on(
    host_speed: Option<&str>,
    workload: &dyn Workload,
    machine: &Machine,
) -> Result<f64, Failure> {
    let given = host_speed::parse(host_speed)?;
    let known = given.or(workload.computation().measured_on).or(machine.reference_speed);
    Ok(known.unwrap_or_else(|| machine.first_speed()))
}

/// How computation is charged, in words.
pub fn describe_compute(charged: Charged, speed: f64, machine: &Machine) -> String {
    match charged {
        Charged { bursts: true, .. } => {
            let ratio = machine.describe_ratio(speed, "that core");
            format!("as traced, measured on a core of {:.2} Gf/s; {ratio}", speed / 1e9)
        }
        Charged { declared: true, .. } => "takes no time, as in the traced run".to_owned(),
        Charged { .. } => "takes no time".to_owned(),
    }
}

/// Source lines stored in the trace.
struct TracedLines(FxHashMap<u64, String>);

/// The source lines that a trace has stored.
pub fn lines_of(workload: &dyn Workload) -> Option<Rc<dyn Sites>> {
    let sources: FxHashMap<u64, String> = workload.sources().into_iter().collect();
    (!sources.is_empty()).then(|| Rc::new(TracedLines(sources)) as Rc<dyn Sites>)
}

impl Sites for TracedLines {
    fn name(&self, key: u64) -> Option<String> {
        self.0.get(&key).cloned()
    }
}

/// Places in the trace: lines or offsets.
pub struct TracePlaces<'a>(pub &'a dyn Workload);

impl Places for TracePlaces<'_> {
    fn call(&mut self, rank: u32, site: u64) -> Option<SourcePlace> {
        trace_place(self.0, rank, site)
    }
}

/// The place of a call in a trace.
pub fn trace_place(trace: &dyn Workload, rank: u32, site: u64) -> Option<SourcePlace> {
    let (file, place) = trace.place(rank, site)?;
    let line = if let TracePlace::Line(line) = place { Some(line) } else { None };
    let text = format!("{}{place}", file.display());
    Some(SourcePlace { text, file: Some(file.display().to_string()), line, function: None })
}
