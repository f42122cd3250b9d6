//! Synchronisation between groups: post, start, complete, wait.
//!
//! Notices are messages without bytes in the window's own communicator.

use core::ffi::c_int;

use mpirage_call::{SendMode, WINDOW_COMPLETE, WINDOW_POSTED};

use super::{about, finish_accesses};
use crate::constants::MPI_MODE_NOCHECK;
use crate::frame;
use crate::functions::communicators;
use crate::ground::arguments::put;
use crate::ground::error::Result;
use crate::operations::completion;
use crate::operations::message::{Incoming, Outgoing};
use crate::operations::perform;
use crate::operations::region::Region;
use crate::types::*;
use mpirage_data::Basic;

pub(crate) unsafe extern "C-unwind" fn MPI_Win_post(group: MPI_Group, assert: c_int, win: MPI_Win) -> c_int {
    frame::outcome_on(win, || {
        let comm = about(win, |window| {
            window.epoch.check_post()?;
            Ok(window.comm)
        })?;
        let origins = communicators::members(comm, group)?;
        let notices: Result<Vec<MPI_Request>> = origins
            .iter()
            .map(|&from| Ok(perform::begin_receive(notice_from(win, from, WINDOW_COMPLETE)?, comm)))
            .collect();
        let notices = notices?;
        if assert & MPI_MODE_NOCHECK == 0 {
            origins.iter().try_for_each(|&to| notify(win, to, WINDOW_POSTED))?;
        }
        about(win, |window| {
            window.epoch.post(notices);
            Ok(())
        })
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Win_start(group: MPI_Group, assert: c_int, win: MPI_Win) -> c_int {
    frame::outcome_on(win, || {
        let comm = about(win, |window| Ok(window.comm))?;
        let targets = communicators::members(comm, group)?;
        about(win, |window| window.epoch.start(targets.clone()))?;
        if assert & MPI_MODE_NOCHECK == 0 {
            for from in targets {
                perform::receive(&notice_from(win, from, WINDOW_POSTED)?)?;
            }
        }
        Ok(())
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Win_complete(win: MPI_Win) -> c_int {
    frame::outcome_on(win, || {
        let targets = about(win, |window| window.epoch.complete())?;
        finish_accesses(win, None)?;
        targets.into_iter().try_for_each(|to| notify(win, to, WINDOW_COMPLETE))
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Win_wait(win: MPI_Win) -> c_int {
    frame::outcome_on(win, || {
        let notices = about(win, |window| window.epoch.notices())?;
        completion::all(&notices, false)?;
        end_exposure(win)
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Win_test(win: MPI_Win, flag: *mut c_int) -> c_int {
    frame::outcome_on(win, || {
        let notices = about(win, |window| window.epoch.notices())?;
        let over = completion::all(&notices, true)?.is_some();
        if over {
            end_exposure(win)?;
        }
        // SAFETY: the program hands over a place for an int.
        unsafe { put("flag", flag, over.into()) }
    })
}

fn end_exposure(win: MPI_Win) -> Result<()> {
    about(win, |window| {
        window.epoch.end_exposure();
        Ok(())
    })
}

fn nothing() -> Result<Region> {
    Region::new(0, 0, &Basic::Byte.into())
}

/// Tells another rank of the window something.
fn notify(win: MPI_Win, to: u32, tag: i32) -> Result<()> {
    let context = about(win, |window| Ok(window.context))?;
    let mode = SendMode::Buffered;
    perform::send(&Outgoing { mode, context, to, tag, region: nothing()?, copy: None });
    Ok(())
}

fn notice_from(win: MPI_Win, from: u32, tag: i32) -> Result<Incoming> {
    let context = about(win, |window| Ok(window.context))?;
    let (from, tag) = (Some(from), Some(tag));
    Ok(Incoming { context, from, tag, region: nothing()?, matched: None, bridge: None })
}
