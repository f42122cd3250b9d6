//! The functions that DUMPI knows: how their arguments are written, and what they are in a replay.

use mpirage_call::{Collective, SendMode, Stamp, function_names};

const TABLE: &str = include_str!("layouts.txt");

/// The number that ends the calls of a rank.
pub(super) const END_OF_STREAM: usize = 293;

/// A function.
#[derive(Clone, Copy, Debug)]
pub(super) struct Function {
    /// Without `MPI_`.
    pub name: &'static str,
    /// A letter for each argument.
    pub layout: &'static str,
    pub action: Action,
    pub stamp: Stamp,
}

/// The action that replays a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Init,
    Finalize,
    Abort,
    Send(SendMode),
    Isend(SendMode),
    Recv,
    Irecv,
    SendInit(SendMode),
    RecvInit,
    Start,
    Startall,
    Sendrecv,
    SendrecvReplace,
    Wait,
    Waitall,
    Waitany,
    Waitsome,
    Test,
    Testall,
    Testany,
    Testsome,
    Probe,
    Cancel,
    RequestFree,
    Collective(Collective),
    CommDup,
    CommSplit,
    CommCreate,
    CommFree,
    CartCreate,
    CartSub,
    GraphCreate,
    Group(GroupAction),
    Type(TypeAction),
    OpCreate,
    /// Involves no other rank: its time is computation.
    Local,
    /// Asks whether something has happened, without effect on what follows. The replay omits the call and its time.
    Poll,
    /// Cannot be replayed.
    Beyond,
}

/// The action of a function on groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GroupAction {
    OfComm,
    Union,
    Intersection,
    Difference,
    Incl,
    Excl,
    RangeIncl,
    RangeExcl,
}

/// The action of a function on datatypes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TypeAction {
    Contiguous,
    Vector,
    /// Lists of lengths and places.
    Indexed,
    IndexedBlock,
    Struct,
    Subarray,
    Dup,
    Resized,
    Size,
}

/// All functions, by number.
pub(super) fn functions() -> Vec<Function> {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once(' ')).map(|(name, layout)| function(name, layout)).collect()
}

fn function(name: &'static str, layout: &'static str) -> Function {
    let full = format!("MPI_{name}");
    let number = function_names().iter().position(|&other| other == full);
    let function = number.unwrap_or(usize::from(u16::MAX)) as u16;
    Function { name, layout, action: action(name), stamp: Stamp { function, ..Stamp::default() } }
}

fn action(name: &str) -> Action {
    use Action::*;
    use SendMode::*;
    if let Some(collective) = collective(name) {
        return Collective(collective);
    }
    match name {
        "Init" | "Init_thread" => Init,
        "Finalize" => Finalize,
        "Abort" => Abort,
        "Send" => Send(Standard),
        "Bsend" => Send(Buffered),
        "Ssend" => Send(Synchronous),
        "Rsend" => Send(Ready),
        "Isend" => Isend(Standard),
        "Ibsend" => Isend(Buffered),
        "Issend" => Isend(Synchronous),
        "Irsend" => Isend(Ready),
        "Recv" => Recv,
        "Irecv" => Irecv,
        "Send_init" => SendInit(Standard),
        "Bsend_init" => SendInit(Buffered),
        "Ssend_init" => SendInit(Synchronous),
        "Rsend_init" => SendInit(Ready),
        "Recv_init" => RecvInit,
        "Start" => Start,
        "Startall" => Startall,
        "Sendrecv" => Sendrecv,
        "Sendrecv_replace" => SendrecvReplace,
        "Wait" => Wait,
        "Waitall" => Waitall,
        "Waitany" => Waitany,
        "Waitsome" => Waitsome,
        "Test" => Test,
        "Testall" => Testall,
        "Testany" => Testany,
        "Testsome" => Testsome,
        "Probe" => Probe,
        "Iprobe" | "Request_get_status" => Poll,
        "Cancel" => Cancel,
        "Request_free" => RequestFree,
        "Comm_dup" => CommDup,
        "Comm_split" => CommSplit,
        "Comm_create" => CommCreate,
        "Comm_free" | "Comm_disconnect" => CommFree,
        "Cart_create" => CartCreate,
        "Cart_sub" => CartSub,
        "Graph_create" => GraphCreate,
        "Op_create" => OpCreate,
        _ => {
            let group = group_action(name).map(Group);
            group.or_else(|| type_action(name).map(Type)).unwrap_or_else(|| rest(name))
        }
    }
}

/// Functions that involve no other rank, and those that cannot be replayed.
fn rest(name: &str) -> Action {
    const BEYOND: &[&str] = &[
        "Intercomm_create",
        "Intercomm_merge",
        "Comm_accept",
        "Comm_connect",
        "Comm_join",
        "Comm_spawn",
        "Comm_spawn_multiple",
        "Accumulate",
        "Get",
        "Put",
        "Win_complete",
        "Win_create",
        "Win_fence",
        "Win_free",
        "Win_lock",
        "Win_post",
        "Win_start",
        "Win_test",
        "Win_unlock",
        "Win_wait",
        "Grequest_start",
        "Grequest_complete",
        "Pcontrol",
        "ALL_FUNCTIONS",
    ];
    if BEYOND.contains(&name) { Action::Beyond } else { Action::Local }
}

fn collective(name: &str) -> Option<Collective> {
    use Collective::*;
    Some(match name {
        "Barrier" => Barrier,
        "Bcast" => Bcast,
        "Gather" => Gather,
        "Gatherv" => Gatherv,
        "Scatter" => Scatter,
        "Scatterv" => Scatterv,
        "Allgather" => Allgather,
        "Allgatherv" => Allgatherv,
        "Alltoall" => Alltoall,
        "Alltoallv" => Alltoallv,
        "Alltoallw" => Alltoallw,
        "Reduce" => Reduce,
        "Allreduce" => Allreduce,
        "Reduce_scatter" => ReduceScatter,
        "Scan" => Scan,
        "Exscan" => Exscan,
        _ => return None,
    })
}

fn group_action(name: &str) -> Option<GroupAction> {
    use GroupAction::*;
    Some(match name {
        "Comm_group" => OfComm,
        "Group_union" => Union,
        "Group_intersection" => Intersection,
        "Group_difference" => Difference,
        "Group_incl" => Incl,
        "Group_excl" => Excl,
        "Group_range_incl" => RangeIncl,
        "Group_range_excl" => RangeExcl,
        _ => return None,
    })
}

fn type_action(name: &str) -> Option<TypeAction> {
    use TypeAction::*;
    Some(match name {
        "Type_contiguous" => Contiguous,
        "Type_vector" | "Type_hvector" | "Type_create_hvector" => Vector,
        "Type_indexed" | "Type_hindexed" | "Type_create_hindexed" => Indexed,
        "Type_create_indexed_block" => IndexedBlock,
        "Type_struct" | "Type_create_struct" => Struct,
        "Type_create_subarray" => Subarray,
        "Type_dup" => Dup,
        "Type_create_resized" => Resized,
        "Type_size" => Size,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mpirage_call::function_name;

    #[test]
    fn functions_have_their_numbers() {
        let functions = functions();
        assert_eq!(functions.len(), END_OF_STREAM);
        let named = |number: usize| functions[number].name;
        assert_eq!((named(0), named(8), named(18), named(124)), ("Send", "Isend", "Waitall", "Init"));
        assert_eq!(
            (named(290), named(291), named(292)),
            ("ALL_FUNCTIONS", "Function_enter", "Function_exit")
        );
        assert_eq!(function_name(functions[65].stamp.function), "MPI_Allreduce");
    }

    #[test]
    fn only_functions_that_cannot_be_replayed_have_no_layout() {
        for function in functions().iter().filter(|function| function.layout.contains('!')) {
            assert_eq!(function.action, Action::Beyond, "{}", function.name);
        }
    }
}
