//! Functions that a rank has registered to run at its end.

use std::ffi::c_int;

use crate::call::call;

/// Something registered to run at the end.
#[derive(Clone, Copy)]
pub(crate) struct Handler {
    pub kind: HandlerKind,
    pub function: usize,
    pub argument: usize,
    /// The object it belongs to, for `__cxa_finalize`.
    pub object: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum HandlerKind {
    Exit,
    QuickExit,
    /// Takes the exit code, too.
    OnExit,
}

impl Handler {
    /// Calls it.
    ///
    /// # Safety
    /// A function of the program that takes what was registered with it.
    pub(crate) unsafe fn run(self, code: c_int) {
        let arguments = match self.kind {
            HandlerKind::OnExit => [code as usize, self.argument, 0],
            // `__cxa_finalize` passes a destructor its object; a plain function ignores it.
            HandlerKind::Exit | HandlerKind::QuickExit => [self.argument, code as usize, 0],
        };
        // SAFETY: as the caller vouches.
        unsafe { call(self.function, arguments) };
    }
}
