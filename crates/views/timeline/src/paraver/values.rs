//! `.pcf`: what states, types of events and their values mean.
//!
//! Types and values are those that Extrae writes and Paraver's configurations look for. Functions that Extrae has no value
//! for get one above a thousand.

use std::io::{self, Write};

use mpirage_interpret::function::{FunctionKind, function, functions};

/// Time passes, and nothing is done.
pub(super) const IDLE: u64 = 0;
/// The rank computes.
pub(super) const RUNNING: u64 = 1;

/// The line a call comes from.
pub(super) const LINE: u64 = 80_000_001;
/// Of collectives: bytes contributed.
pub(super) const SENT: u64 = 50_100_001;
/// Of collectives: bytes that are due.
pub(super) const RECEIVED: u64 = 50_100_002;
/// Of collectives: is this rank the root?
pub(super) const ROOT: u64 = 50_100_003;
/// Of collectives: the communicator.
pub(super) const COMM: u64 = 50_100_004;

const POINT_TO_POINT: u64 = 50_000_001;
const COLLECTIVE: u64 = 50_000_002;
const OTHER: u64 = 50_000_003;
const ONE_SIDED: u64 = 50_000_004;
const FILES: u64 = 50_000_005;

/// Types of events that say which function a rank is in.
const GROUPS: [(u64, &str); 5] = [
    (POINT_TO_POINT, "MPI Point-to-point"),
    (COLLECTIVE, "MPI Collective Comm"),
    (OTHER, "MPI Other"),
    (ONE_SIDED, "MPI One-sided"),
    (FILES, "MPI I/O"),
];

const FIGURES: [(u64, &str); 4] = [
    (SENT, "Send Size in MPI Global OP"),
    (RECEIVED, "Recv Size in MPI Global OP"),
    (ROOT, "Root in MPI Global OP"),
    (COMM, "Communicator in MPI Global OP"),
];

/// Number, name and colour.
type State = (u64, &'static str, [u8; 3]);

const STATES: [State; 17] = [
    (0, "Idle", [117, 195, 255]),
    (1, "Running", [0, 0, 255]),
    (2, "Not created", [255, 255, 255]),
    (3, "Waiting a message", [255, 0, 0]),
    (4, "Blocking Send", [255, 0, 174]),
    (5, "Synchronization", [179, 0, 0]),
    (6, "Test/Probe", [0, 255, 0]),
    (7, "Scheduling and Fork/Join", [255, 255, 0]),
    (8, "Wait/WaitAll", [235, 0, 0]),
    (9, "Blocked", [0, 162, 0]),
    (10, "Immediate Send", [255, 0, 255]),
    (11, "Immediate Receive", [100, 100, 177]),
    (12, "I/O", [172, 174, 41]),
    (13, "Group Communication", [255, 144, 26]),
    (14, "Tracing Disabled", [2, 255, 177]),
    (15, "Others", [192, 224, 0]),
    (16, "Send Receive", [66, 66, 66]),
];

/// The functions that were called.
#[derive(Default)]
pub(super) struct Meaning {
    /// Type and value by index; zeros as long as a function has not been called.
    known: Vec<(u64, u64)>,
}

impl Meaning {
    /// Type and value of the events of a function.
    #[inline]
    pub fn value(&mut self, index: u16) -> (u64, u64) {
        if self.known.is_empty() {
            self.known = vec![(0, 0); functions().len() + 1];
        }
        // One entry more, for whatever is not in the table.
        let known = &mut self.known[usize::from(index).min(functions().len())];
        if known.0 == 0 {
            let function = function(index);
            *known = (group_of(function.kind), value_of(function.name, index));
        }
        *known
    }

    /// Values and names of the functions that were called, of one type.
    fn called(&self, group: u64) -> Vec<(u64, &'static str)> {
        let called = self.known.iter().zip(0..).filter(|((known, _), _)| *known == group);
        let mut called: Vec<_> = called.map(|((_, value), index)| (*value, function(index).name)).collect();
        called.sort_unstable();
        // `MPI_Send` and `MPI_Send_c` are one.
        called.dedup();
        called
    }
}

/// The state of a rank in such a function.
pub(super) fn state_of(kind: FunctionKind) -> u64 {
    match kind {
        FunctionKind::Recv => 3,
        FunctionKind::Send => 4,
        FunctionKind::Barrier => 5,
        FunctionKind::Test => 6,
        FunctionKind::Wait => 8,
        FunctionKind::Isend | FunctionKind::Start => 10,
        FunctionKind::Irecv => 11,
        FunctionKind::File => 12,
        FunctionKind::Collective => 13,
        FunctionKind::Sendrecv => 16,
        FunctionKind::OneSided | FunctionKind::Other => 15,
    }
}

fn group_of(kind: FunctionKind) -> u64 {
    match kind {
        FunctionKind::Barrier | FunctionKind::Collective => COLLECTIVE,
        FunctionKind::OneSided => ONE_SIDED,
        FunctionKind::File => FILES,
        FunctionKind::Other => OTHER,
        _ => POINT_TO_POINT,
    }
}

/// Extrae's value of a function. Those that differ only in the type of their counts have one value.
fn value_of(name: &str, index: u16) -> u64 {
    if let Some((_, value)) = EXTRAE.iter().find(|(known, _)| *known == name) {
        return *value;
    }
    let first = functions().position(|known| known.name == name);
    1_000 + first.map_or(u64::from(index), |first| first as u64)
}

const EXTRAE: [(&str, u64); 89] = [
    ("MPI_Send", 1),
    ("MPI_Recv", 2),
    ("MPI_Isend", 3),
    ("MPI_Irecv", 4),
    ("MPI_Wait", 5),
    ("MPI_Waitall", 6),
    ("MPI_Bcast", 7),
    ("MPI_Barrier", 8),
    ("MPI_Reduce", 9),
    ("MPI_Allreduce", 10),
    ("MPI_Alltoall", 11),
    ("MPI_Alltoallv", 12),
    ("MPI_Gather", 13),
    ("MPI_Gatherv", 14),
    ("MPI_Scatter", 15),
    ("MPI_Scatterv", 16),
    ("MPI_Allgather", 17),
    ("MPI_Allgatherv", 18),
    ("MPI_Comm_rank", 19),
    ("MPI_Comm_size", 20),
    ("MPI_Comm_create", 21),
    ("MPI_Comm_dup", 22),
    ("MPI_Comm_split", 23),
    ("MPI_Comm_group", 24),
    ("MPI_Comm_free", 25),
    ("MPI_Comm_remote_group", 26),
    ("MPI_Comm_remote_size", 27),
    ("MPI_Comm_test_inter", 28),
    ("MPI_Comm_compare", 29),
    ("MPI_Scan", 30),
    ("MPI_Init", 31),
    ("MPI_Finalize", 32),
    ("MPI_Bsend", 33),
    ("MPI_Ssend", 34),
    ("MPI_Rsend", 35),
    ("MPI_Ibsend", 36),
    ("MPI_Issend", 37),
    ("MPI_Irsend", 38),
    ("MPI_Test", 39),
    ("MPI_Cancel", 40),
    ("MPI_Sendrecv", 41),
    ("MPI_Sendrecv_replace", 42),
    ("MPI_Cart_create", 43),
    ("MPI_Cart_sub", 49),
    ("MPI_Graph_create", 54),
    ("MPI_Waitany", 59),
    ("MPI_Waitsome", 60),
    ("MPI_Probe", 61),
    ("MPI_Iprobe", 62),
    ("MPI_Win_create", 63),
    ("MPI_Win_free", 64),
    ("MPI_Put", 65),
    ("MPI_Get", 66),
    ("MPI_Accumulate", 67),
    ("MPI_Win_fence", 68),
    ("MPI_Win_start", 69),
    ("MPI_Win_complete", 70),
    ("MPI_Win_post", 71),
    ("MPI_Win_wait", 72),
    ("MPI_Win_test", 73),
    ("MPI_Win_lock", 74),
    ("MPI_Win_unlock", 75),
    ("MPI_Reduce_scatter", 80),
    ("MPI_Intercomm_create", 96),
    ("MPI_Intercomm_merge", 97),
    ("MPI_Abort", 100),
    ("MPI_Request_free", 115),
    ("MPI_Recv_init", 116),
    ("MPI_Send_init", 117),
    ("MPI_Start", 123),
    ("MPI_Startall", 124),
    ("MPI_Testall", 125),
    ("MPI_Testany", 126),
    ("MPI_Testsome", 128),
    ("MPI_Init_thread", 140),
    ("MPI_Ireduce", 155),
    ("MPI_Iallreduce", 156),
    ("MPI_Ibarrier", 157),
    ("MPI_Ibcast", 158),
    ("MPI_Ialltoall", 159),
    ("MPI_Ialltoallv", 160),
    ("MPI_Iallgather", 161),
    ("MPI_Iallgatherv", 162),
    ("MPI_Igather", 163),
    ("MPI_Igatherv", 164),
    ("MPI_Iscatter", 165),
    ("MPI_Iscatterv", 166),
    ("MPI_Ireduce_scatter", 167),
    ("MPI_Iscan", 168),
];

const OPTIONS: &str = "\
DEFAULT_OPTIONS

LEVEL               THREAD
UNITS               NANOSEC
LOOK_BACK           100
SPEED               1
FLAG_ICONS          ENABLED
NUM_OF_STATE_COLORS 1000
YMAX_SCALE          37


DEFAULT_SEMANTIC

THREAD_FUNC         State As Is


";

/// Writes what everything means; `places` are the lines of the source, from value 1 on.
pub(super) fn write_pcf(out: &mut dyn Write, meaning: &Meaning, places: &[String]) -> io::Result<()> {
    out.write_all(OPTIONS.as_bytes())?;
    writeln!(out, "STATES")?;
    for (state, name, _) in STATES {
        writeln!(out, "{state:<4} {name}")?;
    }
    writeln!(out, "\n\nSTATES_COLOR")?;
    for (state, _, [red, green, blue]) in STATES {
        writeln!(out, "{state:<4} {{{red},{green},{blue}}}")?;
    }
    for (group, label) in GROUPS {
        let called = meaning.called(group);
        if !called.is_empty() {
            writeln!(out, "\n\nEVENT_TYPE\n9    {group}    {label}\nVALUES\n0      Outside MPI")?;
            for (value, name) in called {
                writeln!(out, "{value:<6} {name}")?;
            }
        }
    }
    writeln!(out, "\n\nEVENT_TYPE")?;
    for (figure, label) in FIGURES {
        writeln!(out, "1    {figure}    {label}")?;
    }
    if !places.is_empty() {
        writeln!(out, "\n\nEVENT_TYPE\n0    {LINE}    Caller line\nVALUES\n0      End")?;
        for (place, value) in places.iter().zip(1..) {
            writeln!(out, "{value:<6} {place}")?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::index;

    #[test]
    fn functions_have_distinct_values() {
        let mut values: Vec<_> = functions()
            .zip(0..)
            .map(|(function, index)| (value_of(function.name, index), function.name))
            .collect();
        values.sort_unstable();
        values.dedup();
        assert!(values.windows(2).all(|pair| pair[0].0 != pair[1].0));
        assert!(values.contains(&(10, "MPI_Allreduce")) && values.contains(&(60, "MPI_Waitsome")));
        // Each name that Extrae knows exists here.
        for (name, _) in EXTRAE {
            assert!(functions().any(|function| function.name == name), "{name}");
        }
    }

    #[test]
    fn only_what_was_called_is_declared() {
        let mut meaning = Meaning::default();
        assert_eq!(meaning.value(index("MPI_Send")), (POINT_TO_POINT, 1));
        assert_eq!(meaning.value(index("MPI_Send_c")), (POINT_TO_POINT, 1));
        let mut pcf = Vec::new();
        write_pcf(&mut pcf, &meaning, &["a.c:3 main".to_owned()]).unwrap();
        let pcf = String::from_utf8(pcf).unwrap();
        assert_eq!(pcf.matches("MPI_Send").count(), 1);
        assert!(pcf.contains("\n1      a.c:3 main\n") && !pcf.contains("MPI Collective"));
    }
}
