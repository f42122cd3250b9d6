//! Categories of a rank's time.

use mpirage_interpret::function::FunctionKind;

pub(crate) const CATEGORIES: usize = 6;
/// The names of categories on the page.
pub(crate) const NAMES: [&str; CATEGORIES] = ["idle", "compute", "p2p", "collective", "wait", "other"];

/// The category of a rank's activity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub(crate) enum Category {
    /// It computes. (Category 0 of the page is a rank that has not started yet, or has ended.)
    Compute = 1,
    /// It is in a point-to-point call, and does not wait for a late rank.
    PointToPoint,
    /// It is in a collective, and does not wait for a late rank.
    Collective,
    /// It is in a call, and waits for a rank that has not got there yet.
    Wait,
    /// It is in another call, or sleeps.
    Other,
}

/// The category of the time in a function, apart from waiting.
pub(crate) fn category(kind: FunctionKind) -> Category {
    match kind {
        FunctionKind::Send
        | FunctionKind::Isend
        | FunctionKind::Recv
        | FunctionKind::Irecv
        | FunctionKind::Sendrecv
        | FunctionKind::Start
        | FunctionKind::Wait
        | FunctionKind::Test
        | FunctionKind::OneSided => Category::PointToPoint,
        FunctionKind::Barrier | FunctionKind::Collective => Category::Collective,
        FunctionKind::File | FunctionKind::Other => Category::Other,
    }
}
