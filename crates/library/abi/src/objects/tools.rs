//! The contents of the tool interface (`MPI_T_…`): control variables, performance variables, categories and enumerations, and the
//! handles that a rank has for them.

use mpirage_call::Figure;

use crate::constants::*;
use crate::ground::handles::Handles;
use crate::objects::regions::RegionNames;
use crate::types::*;

/// A variable that says how the run is simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Control {
    Model,
    Collectives,
    EagerLimit,
    Compute,
    SpeedRatio,
    ClockCost,
    RankMode,
    PcontrolLevel,
}

/// A control variable, as `MPI_T_cvar_get_info` shows it.
pub(crate) struct ControlVariable {
    pub name: &'static str,
    pub what: Control,
    pub datatype: MPI_Datatype,
    pub enumeration: Option<usize>,
    pub scope: core::ffi::c_int,
    pub text: &'static str,
}

/// A performance variable, as `MPI_T_pvar_get_info` shows it.
pub(crate) struct PerformanceVariable {
    pub name: &'static str,
    pub what: Measured,
    pub class: core::ffi::c_int,
    pub datatype: MPI_Datatype,
    pub text: &'static str,
}

/// Where the value of a performance variable comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measured {
    /// The simulated time.
    Time,
    /// A number of the simulator that always has a value.
    Level(Figure),
    /// A number of the simulator that grows, counted while the handle is started.
    Counter(Figure),
    /// The same in picoseconds, shown in seconds.
    Timer(Figure),
}

impl Measured {
    /// Does it have a value without being started?
    pub(crate) fn is_continuous(self) -> bool {
        matches!(self, Measured::Time | Measured::Level(_))
    }
}

/// Names of the values of an integer variable.
pub(crate) struct Enumeration {
    pub name: &'static str,
    /// By value, from zero on.
    pub items: &'static [&'static str],
}

/// Variables that belong together.
pub(crate) struct Category {
    pub name: &'static str,
    pub text: &'static str,
    pub controls: &'static [i32],
    pub measured: &'static [i32],
}

/// Characters of a text variable, with the zero at its end.
pub(crate) const TEXT_LENGTH: usize = 64;

pub(crate) const ENUMERATIONS: [Enumeration; 2] = [
    Enumeration { name: "compute", items: &["none", "measured", "real time"] },
    Enumeration { name: "rank_mode", items: &["processes", "folded"] },
];

pub(crate) const CONTROLS: [ControlVariable; 8] = [
    ControlVariable {
        name: "model",
        what: Control::Model,
        datatype: MPI_CHAR,
        enumeration: None,
        scope: MPI_T_SCOPE_CONSTANT,
        text: "The network model (--model).",
    },
    ControlVariable {
        name: "collectives",
        what: Control::Collectives,
        datatype: MPI_CHAR,
        enumeration: None,
        scope: MPI_T_SCOPE_CONSTANT,
        text: "The library whose choice of collective algorithms is followed (--coll).",
    },
    ControlVariable {
        name: "eager_limit",
        what: Control::EagerLimit,
        datatype: MPI_UNSIGNED_LONG_LONG,
        enumeration: None,
        scope: MPI_T_SCOPE_CONSTANT,
        text: "Standard sends of fewer bytes return at once.",
    },
    ControlVariable {
        name: "compute",
        what: Control::Compute,
        datatype: MPI_INT,
        enumeration: Some(0),
        scope: MPI_T_SCOPE_CONSTANT,
        text: "How the computation of ranks counts (--compute).",
    },
    ControlVariable {
        name: "speed_ratio",
        what: Control::SpeedRatio,
        datatype: MPI_DOUBLE,
        enumeration: None,
        scope: MPI_T_SCOPE_CONSTANT,
        text: "Simulated seconds per second of processor time of the machine that simulates.",
    },
    ControlVariable {
        name: "clock_cost",
        what: Control::ClockCost,
        datatype: MPI_UNSIGNED_LONG_LONG,
        enumeration: None,
        scope: MPI_T_SCOPE_CONSTANT,
        text: "Simulated picoseconds that a reading of the clock costs.",
    },
    ControlVariable {
        name: "rank_mode",
        what: Control::RankMode,
        datatype: MPI_INT,
        enumeration: Some(1),
        scope: MPI_T_SCOPE_CONSTANT,
        text: "Whether ranks are processes or share one (--ranks-as).",
    },
    ControlVariable {
        name: "pcontrol_level",
        what: Control::PcontrolLevel,
        datatype: MPI_INT,
        enumeration: None,
        scope: MPI_T_SCOPE_LOCAL,
        text: "The last level of MPI_Pcontrol; to write it is to call that function.",
    },
];

pub(crate) const MEASURED: [PerformanceVariable; 8] = [
    PerformanceVariable {
        name: "simulated_time",
        what: Measured::Time,
        class: MPI_T_PVAR_CLASS_TIMER,
        datatype: MPI_DOUBLE,
        text: "Simulated seconds since the start of the run.",
    },
    PerformanceVariable {
        name: "computation_time",
        what: Measured::Timer(Figure::ComputationPicos),
        class: MPI_T_PVAR_CLASS_TIMER,
        datatype: MPI_DOUBLE,
        text: "Simulated seconds of computation of this rank.",
    },
    PerformanceVariable {
        name: "messages_sent",
        what: Measured::Counter(Figure::MessagesSent),
        class: MPI_T_PVAR_CLASS_COUNTER,
        datatype: MPI_UNSIGNED_LONG_LONG,
        text: "Messages of this rank that were delivered, those of collectives included.",
    },
    PerformanceVariable {
        name: "bytes_sent",
        what: Measured::Counter(Figure::BytesSent),
        class: MPI_T_PVAR_CLASS_AGGREGATE,
        datatype: MPI_UNSIGNED_LONG_LONG,
        text: "Bytes of these messages.",
    },
    PerformanceVariable {
        name: "messages_received",
        what: Measured::Counter(Figure::MessagesReceived),
        class: MPI_T_PVAR_CLASS_COUNTER,
        datatype: MPI_UNSIGNED_LONG_LONG,
        text: "Messages to this rank that were delivered, those of collectives included.",
    },
    PerformanceVariable {
        name: "bytes_received",
        what: Measured::Counter(Figure::BytesReceived),
        class: MPI_T_PVAR_CLASS_AGGREGATE,
        datatype: MPI_UNSIGNED_LONG_LONG,
        text: "Bytes of these messages.",
    },
    PerformanceVariable {
        name: "unexpected_messages",
        what: Measured::Level(Figure::UnexpectedMessages),
        class: MPI_T_PVAR_CLASS_LEVEL,
        datatype: MPI_UNSIGNED_LONG_LONG,
        text: "Messages that have come to this rank and wait for a receive.",
    },
    PerformanceVariable {
        name: "posted_receives",
        what: Measured::Level(Figure::PostedReceives),
        class: MPI_T_PVAR_CLASS_LEVEL,
        datatype: MPI_UNSIGNED_LONG_LONG,
        text: "Receives of this rank that wait for a message.",
    },
];

pub(crate) const CATEGORIES: [Category; 3] = [
    Category {
        name: "simulation",
        text: "How the run is simulated.",
        controls: &[0, 1, 2, 3, 4, 5, 6, 7],
        measured: &[],
    },
    Category { name: "time", text: "Simulated time.", controls: &[], measured: &[0, 1] },
    Category {
        name: "messages",
        text: "Messages of this rank.",
        controls: &[],
        measured: &[2, 3, 4, 5, 6, 7],
    },
];

/// The tool interface as a rank uses it.
#[derive(Debug)]
pub(crate) struct Tools {
    /// How often it has been initialized and not finalized.
    pub uses: u32,
    /// The variables behind handles.
    pub controls: Handles<usize>,
    /// The sessions; nothing is known of one but that it exists.
    pub sessions: Handles<()>,
    pub measured: Handles<PvarHandle>,
    /// The argument of the last `MPI_Pcontrol`.
    pub pcontrol_level: core::ffi::c_int,
    pub regions: RegionNames,
}

impl Tools {
    pub(crate) const fn new() -> Tools {
        Tools {
            uses: 0,
            controls: Handles::new(),
            sessions: Handles::new(),
            measured: Handles::new(),
            pcontrol_level: 1,
            regions: RegionNames::new(),
        }
    }
}

/// A performance variable in a session.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PvarHandle {
    pub session: MPI_T_pvar_session,
    /// The index of the variable.
    pub index: usize,
    /// The simulator's counter when the variable was started, while it runs.
    pub started: Option<u64>,
    /// The value counted before that.
    pub counted: u64,
}

impl PvarHandle {
    /// The variable's value if the simulator's counter is `raw` now.
    pub(crate) fn value(&self, raw: u64) -> u64 {
        self.counted.wrapping_add(self.started.map_or(0, |started| raw.saturating_sub(started)))
    }

    /// Sets the value to `value` when the simulator's counter is `raw`.
    pub(crate) fn set(&mut self, value: u64, raw: u64) {
        self.counted = value;
        self.started = self.started.map(|_| raw);
    }

    pub(crate) fn start(&mut self, raw: u64) {
        self.started = self.started.or(Some(raw));
    }

    pub(crate) fn stop(&mut self, raw: u64) {
        (self.counted, self.started) = (self.value(raw), None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_counts_while_it_runs() {
        let mut handle = PvarHandle { session: MPI_T_PVAR_SESSION_NULL, index: 2, started: None, counted: 0 };
        assert_eq!(handle.value(7), 0);
        handle.start(7);
        assert_eq!(handle.value(10), 3);
        handle.stop(11);
        assert_eq!(handle.value(20), 4);
        handle.start(20);
        handle.set(0, 25);
        assert_eq!(handle.value(26), 1);
    }

    #[test]
    fn categories_name_all_variables_once() {
        let all = |of: fn(&Category) -> &'static [i32]| {
            let mut indices: Vec<i32> =
                CATEGORIES.iter().flat_map(|category| of(category).to_vec()).collect();
            indices.sort_unstable();
            indices
        };
        assert_eq!(all(|category| category.controls), (0..CONTROLS.len() as i32).collect::<Vec<_>>());
        assert_eq!(all(|category| category.measured), (0..MEASURED.len() as i32).collect::<Vec<_>>());
    }
}
