//! Accesses: put, get, and the accumulating ones; each also with a request.

use core::ffi::{c_int, c_void};

use mpirage_call::{AccessKind, Call, Completion, Operator, unpack_text};
use mpirage_data::{Basic, Class, Op};

use super::{about, member};
use crate::checked::inspect;
use crate::constants::*;
use crate::frame;
use crate::functions::forms::{argument, both_forms, form};
use crate::ground::arguments::{Number, count, put};
use crate::ground::error::{Result, ensure, fail};
use crate::objects::op::Operation as Reducer;
use crate::operations::access::{Access, layout_of, place};
use crate::operations::operation::{Operation, Step};
use crate::operations::perform;
use crate::operations::region::Region;
use crate::rank;
use crate::types::*;

both_forms! {
    (origin_addr: ConstBuffer, origin_count: Count, origin_datatype: MPI_Datatype, target_rank: c_int, target_disp: MPI_Aint, target_count: Count, target_datatype: MPI_Datatype, win: MPI_Win) {
        frame::outcome_on(win, || {
            let target = Target::of(target_rank, target_disp, target_count, target_datatype)?;
            issue(win, target, |objects| transfer(objects, AccessKind::Put, origin_addr, origin_count, origin_datatype))
        })
    }:
        MPI_Put MPI_Put_c;
    (origin_addr: ConstBuffer, origin_count: Count, origin_datatype: MPI_Datatype, target_rank: c_int, target_disp: MPI_Aint, target_count: Count, target_datatype: MPI_Datatype, win: MPI_Win, request: RequestPlace) {
        frame::outcome_on(win, || {
            let target = Target::of(target_rank, target_disp, target_count, target_datatype)?;
            let begun = begin(win, target, |objects| transfer(objects, AccessKind::Put, origin_addr, origin_count, origin_datatype))?;
            put("request", request, begun)
        })
    }:
        MPI_Rput MPI_Rput_c;
    (origin_addr: Buffer, origin_count: Count, origin_datatype: MPI_Datatype, target_rank: c_int, target_disp: MPI_Aint, target_count: Count, target_datatype: MPI_Datatype, win: MPI_Win) {
        frame::outcome_on(win, || {
            let target = Target::of(target_rank, target_disp, target_count, target_datatype)?;
            issue(win, target, |objects| transfer(objects, AccessKind::Get, origin_addr, origin_count, origin_datatype))
        })
    }:
        MPI_Get MPI_Get_c;
    (origin_addr: Buffer, origin_count: Count, origin_datatype: MPI_Datatype, target_rank: c_int, target_disp: MPI_Aint, target_count: Count, target_datatype: MPI_Datatype, win: MPI_Win, request: RequestPlace) {
        frame::outcome_on(win, || {
            let target = Target::of(target_rank, target_disp, target_count, target_datatype)?;
            let begun = begin(win, target, |objects| transfer(objects, AccessKind::Get, origin_addr, origin_count, origin_datatype))?;
            put("request", request, begun)
        })
    }:
        MPI_Rget MPI_Rget_c;
    (origin_addr: ConstBuffer, origin_count: Count, origin_datatype: MPI_Datatype, target_rank: c_int, target_disp: MPI_Aint, target_count: Count, target_datatype: MPI_Datatype, op: MPI_Op, win: MPI_Win) {
        frame::outcome_on(win, || {
            let target = Target { op: Some(op), ..Target::of(target_rank, target_disp, target_count, target_datatype)? };
            issue(win, target, |objects| transfer(objects, AccessKind::Accumulate, origin_addr, origin_count, origin_datatype))
        })
    }:
        MPI_Accumulate MPI_Accumulate_c;
    (origin_addr: ConstBuffer, origin_count: Count, origin_datatype: MPI_Datatype, target_rank: c_int, target_disp: MPI_Aint, target_count: Count, target_datatype: MPI_Datatype, op: MPI_Op, win: MPI_Win, request: RequestPlace) {
        frame::outcome_on(win, || {
            let target = Target { op: Some(op), ..Target::of(target_rank, target_disp, target_count, target_datatype)? };
            let begun = begin(win, target, |objects| transfer(objects, AccessKind::Accumulate, origin_addr, origin_count, origin_datatype))?;
            put("request", request, begun)
        })
    }:
        MPI_Raccumulate MPI_Raccumulate_c;
    (origin_addr: ConstBuffer, origin_count: Count, origin_datatype: MPI_Datatype, result_addr: Buffer, result_count: Count, result_datatype: MPI_Datatype, target_rank: c_int, target_disp: MPI_Aint, target_count: Count, target_datatype: MPI_Datatype, op: MPI_Op, win: MPI_Win) {
        frame::outcome_on(win, || {
            let target = Target { op: Some(op), ..Target::of(target_rank, target_disp, target_count, target_datatype)? };
            issue(win, target, |objects| fetch(objects, op, (origin_addr, origin_count, origin_datatype), (result_addr, result_count, result_datatype)))
        })
    }:
        MPI_Get_accumulate MPI_Get_accumulate_c;
    (origin_addr: ConstBuffer, origin_count: Count, origin_datatype: MPI_Datatype, result_addr: Buffer, result_count: Count, result_datatype: MPI_Datatype, target_rank: c_int, target_disp: MPI_Aint, target_count: Count, target_datatype: MPI_Datatype, op: MPI_Op, win: MPI_Win, request: RequestPlace) {
        frame::outcome_on(win, || {
            let target = Target { op: Some(op), ..Target::of(target_rank, target_disp, target_count, target_datatype)? };
            let begun = begin(win, target, |objects| fetch(objects, op, (origin_addr, origin_count, origin_datatype), (result_addr, result_count, result_datatype)))?;
            put("request", request, begun)
        })
    }:
        MPI_Rget_accumulate MPI_Rget_accumulate_c;
}

pub(crate) unsafe extern "C-unwind" fn MPI_Fetch_and_op(
    origin_addr: *const c_void,
    result_addr: *mut c_void,
    datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    op: MPI_Op,
    win: MPI_Win,
) -> c_int {
    frame::outcome_on(win, || {
        let target = Target { op: Some(op), ..Target::of(target_rank, target_disp, 1, datatype)? };
        issue(win, target, |objects| {
            fetch(objects, op, (origin_addr, 1, datatype), (result_addr, 1, datatype))
        })
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Compare_and_swap(
    origin_addr: *const c_void,
    compare_addr: *const c_void,
    result_addr: *mut c_void,
    datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    win: MPI_Win,
) -> c_int {
    frame::outcome_on(win, || {
        let target = Target::of(target_rank, target_disp, 1, datatype)?;
        issue(win, target, |objects| {
            check_comparable(objects, datatype)?;
            let region = |what, address| Region::of_arguments(&objects.datatypes, what, address, 1, datatype);
            let gives = vec![region("origin_addr", origin_addr)?, region("compare_addr", compare_addr)?];
            let gets = Some(region("result_addr", result_addr)?);
            Ok(Origin { kind: AccessKind::CompareAndSwap, gives, gets })
        })
    })
}

/// `MPI_Compare_and_swap` is defined on integers, logicals and bytes. The standard leaves `MPI_CHAR` out, but MPICH takes it.
fn check_comparable(objects: &crate::objects::Objects, datatype: MPI_Datatype) -> Result<()> {
    use Class::{Byte, CInteger, FortranInteger, Logical, MultiLanguage};
    let basic = objects.datatypes.committed(datatype)?.as_basic();
    let is_comparable = basic.is_some_and(|basic| {
        let class = basic.class();
        matches!(class, CInteger | FortranInteger | Logical | MultiLanguage | Byte) || basic == Basic::Char
    });
    ensure(is_comparable, MPI_ERR_TYPE, || match basic {
        Some(basic) => format!("{basic} is not an integer, a logical or MPI_BYTE"),
        None => "the datatype is not a predefined one".to_owned(),
    })
}

/// The target arguments of an access.
struct Target {
    rank: c_int,
    displacement: MPI_Aint,
    count: usize,
    datatype: MPI_Datatype,
    op: Option<MPI_Op>,
}

impl Target {
    fn of(
        rank: c_int,
        displacement: MPI_Aint,
        number: impl Number,
        datatype: MPI_Datatype,
    ) -> Result<Target> {
        Ok(Target { rank, displacement, count: count("target_count", number)?, datatype, op: None })
    }
}

/// The origin arguments of an access.
struct Origin {
    kind: AccessKind,
    gives: Vec<Region>,
    gets: Option<Region>,
}

fn transfer(
    objects: &crate::objects::Objects,
    kind: AccessKind,
    address: *const c_void,
    count: impl Number,
    datatype: MPI_Datatype,
) -> Result<Origin> {
    let region = Region::of_arguments(&objects.datatypes, "origin_addr", address, count, datatype)?;
    Ok(match kind {
        AccessKind::Get => Origin { kind, gives: Vec::new(), gets: Some(region) },
        _ => Origin { kind, gives: vec![region], gets: None },
    })
}

/// An accumulation that gives what was there before. With `MPI_NO_OP` the origin's buffer is not looked at.
fn fetch<N: Number>(
    objects: &crate::objects::Objects,
    op: MPI_Op,
    origin: (*const c_void, N, MPI_Datatype),
    result: (*mut c_void, N, MPI_Datatype),
) -> Result<Origin> {
    let types = &objects.datatypes;
    let gives = match op {
        MPI_NO_OP => Vec::new(),
        _ => vec![Region::of_arguments(types, "origin_addr", origin.0, origin.1, origin.2)?],
    };
    let gets = Some(Region::of_arguments(types, "result_addr", result.0, result.1, result.2)?);
    Ok(Origin { kind: AccessKind::GetAccumulate, gives, gets })
}

/// Starts an access that the next synchronisation completes.
fn issue(
    win: MPI_Win,
    target: Target,
    origin: impl FnOnce(&crate::objects::Objects) -> Result<Origin>,
) -> Result<()> {
    let Some(access) = access(win, target, origin)? else { return Ok(()) };
    let buffers = access.post(rank::this().connection(), None);
    inspect::note_buffers(&buffers);
    if buffers.keeps_memory() || buffers.watch.is_some() {
        about(win, |window| {
            window.pending.push((access.target, buffers));
            Ok(())
        })?;
    }
    Ok(())
}

/// Starts an access that a request completes too.
fn begin(
    win: MPI_Win,
    target: Target,
    origin: impl FnOnce(&crate::objects::Objects) -> Result<Origin>,
) -> Result<MPI_Request> {
    let access = access(win, target, origin)?;
    let comm = about(win, |window| Ok(window.comm))?;
    let step = match access {
        Some(access) => Step::Access(Box::new(access)),
        None => Step::Nothing(Completion::empty(0)),
    };
    Ok(perform::begin(Operation::one(comm, step)))
}

/// An access with its arguments checked; none if the target is `MPI_PROC_NULL`.
fn access(
    win: MPI_Win,
    target: Target,
    origin: impl FnOnce(&crate::objects::Objects) -> Result<Origin>,
) -> Result<Option<Access>> {
    let (context, is_dynamic, is_fatal) = about(win, |window| {
        let is_dynamic = window.facts.flavor == MPI_WIN_FLAVOR_DYNAMIC;
        Ok((window.context, is_dynamic, window.errhandler == MPI_ERRORS_ARE_FATAL))
    })?;
    let to = match target.rank {
        MPI_PROC_NULL => None,
        rank => Some(member(win, "target_rank", rank)?),
    };
    // In a dynamic window it is an address.
    if target.displacement < 0 && !is_dynamic {
        fail!(MPI_ERR_DISP, "target_disp is {}", target.displacement);
    }
    let Some(to) = to else { return Ok(None) };
    let access = rank::try_with(|objects| {
        let Origin { kind, gives, gets } = origin(objects)?;
        let datatype = objects.datatypes.committed(target.datatype)?.clone();
        let bytes = Region::new(1, target.count, &datatype)?.bytes();
        for region in gives.iter().chain(&gets) {
            inspect::types(region, &datatype, target.count);
            if region.bytes() != bytes {
                fail!(MPI_ERR_TRUNCATE, "the origin has {} bytes, but the target {bytes}", region.bytes());
            }
        }
        let (op, basic) = match target.op {
            Some(_) if bytes == 0 => (Op::NoOp.code(), 0),
            Some(op) => operator(objects, op, target.count, target.datatype)?,
            None => (0, 0),
        };
        objects.windows.get_mut(win)?.epoch.check_access(to)?;
        Ok(Access {
            kind,
            window: context,
            target: to,
            displacement: target.displacement as i64,
            bytes: bytes as u64,
            gives,
            gets,
            layout: layout_of(&datatype, target.count),
            op,
            basic,
        })
    })?;
    // Otherwise the simulator finds out when the access is its turn, and the rank need not wait for that.
    if !is_fatal {
        check_range(&access)?;
    }
    Ok(Some(access))
}

/// Asks the simulator whether all of an access is in the window.
fn check_range(access: &Access) -> Result<()> {
    let connection = rank::this().connection();
    let layout = access.packed_layout();
    let outside = rank::ask(&Call::LocateAccess {
        window: access.window,
        target: access.target,
        displacement: access.displacement as u64,
        layout: place(&layout, connection.inline_bytes()),
        parts: access.layout.len() as u32,
    });
    match outside.number {
        None => Ok(()),
        Some(length) => {
            let text = unpack_text(&outside.members, length as usize);
            fail!(MPI_ERR_RMA_RANGE, "{}", String::from_utf8_lossy(&text))
        }
    }
}

/// The codes of a predefined operator and of the elements that it combines.
fn operator(
    objects: &mut crate::objects::Objects,
    op: MPI_Op,
    count: usize,
    datatype: MPI_Datatype,
) -> Result<(u8, u8)> {
    let predefined = matches!(objects.ops.get(op)?, Reducer::Predefined(_));
    match objects.reduction(op, count, datatype)?.operator {
        Operator::Predefined { op, basic } => Ok((op, basic)),
        Operator::User { .. } if op == MPI_NO_OP => Ok((Op::NoOp.code(), 0)),
        Operator::User { .. } if predefined => {
            fail!(MPI_ERR_TYPE, "accumulations take datatypes of one predefined datatype only")
        }
        Operator::User { .. } => fail!(MPI_ERR_OP, "accumulations take predefined operators only"),
    }
}
