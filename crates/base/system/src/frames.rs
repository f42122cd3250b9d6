//! The stack frames of the calling thread, as the unwinder finds them. It works in signal handlers, where the frames of the
//! interrupted code follow those of the handler.

use std::ffi::{c_int, c_void};
use std::ops::ControlFlow;

/// One frame of the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The address that the unwinder reports.
    pub address: usize,
    /// True if `address` is that of the interrupted instruction; false if it is the return address of a call.
    pub interrupted: bool,
    /// The stack pointer of the frame once the call that it makes has returned.
    pub stack: usize,
}

impl Frame {
    /// An address inside the instruction that the frame executes: a return address lies behind its call.
    pub fn instruction(self) -> usize {
        if self.interrupted { self.address } else { self.address.wrapping_sub(1) }
    }

    /// Where on the stack the return address lies, if it does: x86-64 pushes it.
    pub fn slot(self) -> Option<usize> {
        let pushed = cfg!(target_arch = "x86_64") && !self.interrupted;
        pushed.then(|| self.stack.wrapping_sub(size_of::<usize>()))
    }
}

/// The unwinder's data about a frame.
#[repr(C)]
struct Context(c_void);

type Step = unsafe extern "C" fn(*mut Context, *mut c_void) -> c_int;

unsafe extern "C" {
    fn _Unwind_Backtrace(step: Step, argument: *mut c_void) -> c_int;
    fn _Unwind_GetIPInfo(context: *mut Context, before_instruction: *mut c_int) -> usize;
    fn _Unwind_GetCFA(context: *mut Context) -> usize;
}

/// Calls `visit` for each frame of this thread's stack, innermost first, until it breaks.
pub fn for_each_frame<V: FnMut(Frame) -> ControlFlow<()>>(mut visit: V) {
    // SAFETY: `step::<V>` gets the address of `visit`, which outlives the call.
    unsafe { _Unwind_Backtrace(step::<V>, (&raw mut visit).cast()) };
}

unsafe extern "C" fn step<V: FnMut(Frame) -> ControlFlow<()>>(
    context: *mut Context,
    visit: *mut c_void,
) -> c_int {
    let mut interrupted = 0;
    // SAFETY: the unwinder passes a frame.
    let (address, stack) =
        unsafe { (_Unwind_GetIPInfo(context, &raw mut interrupted), _Unwind_GetCFA(context)) };
    // SAFETY: `for_each_frame` passes its closure, and nothing else uses it meanwhile.
    let visit = unsafe { &mut *visit.cast::<V>() };
    // Zero makes the unwinder go on.
    c_int::from(visit(Frame { address, interrupted: interrupted != 0, stack }).is_break())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[inline(never)]
    fn frames(most: usize) -> Vec<Frame> {
        let mut frames = Vec::new();
        for_each_frame(|frame| {
            frames.push(frame);
            if frames.len() == most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        frames
    }

    #[test]
    fn the_walk_goes_up_the_stack_and_stops_when_told() {
        let (all, two) = (frames(usize::MAX), frames(2));
        assert!(all.len() > 2);
        assert_eq!(two.len(), 2);
        assert_eq!(two[0].instruction(), two[0].address - 1);
        // Both walks began in the same function, a few instructions apart from here on.
        let here = the_walk_goes_up_the_stack_and_stops_when_told as *const () as usize;
        assert!(all.iter().any(|frame| (here..here + 4096).contains(&frame.instruction())));
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn return_addresses_lie_in_their_slots() {
        let mut found = 0;
        for_each_frame(|frame| {
            let slot = frame.slot().filter(|_| found < 3);
            // SAFETY: the slot is in a frame of this thread, which has not returned.
            let held = slot.map(|slot| unsafe { (slot as *const usize).read_volatile() });
            found += usize::from(held == Some(frame.address));
            ControlFlow::Continue(())
        });
        // The frame of this function has the address inside the unwinder's call; those above were called by others.
        assert_eq!(found, 3);
    }
}
