//! What a rank can be doing, as the report tells it apart.

use mpirage_interpret::function::Kind;

/// How many categories there are.
pub(crate) const CATEGORIES: usize = 6;
/// Their names, in order.
pub(crate) const NAMES: [&str; CATEGORIES] = ["idle", "compute", "p2p", "collective", "wait", "other"];

/// What a rank does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Category {
    /// Nothing: it is not there yet, or no more.
    Idle,
    /// It computes.
    Compute,
    /// It is in a call of point-to-point communication, and not because another rank is late.
    PointToPoint,
    /// It is in a collective, and not because another rank is late.
    Collective,
    /// It is in a call and would go on if another rank were there.
    Wait,
    /// Anything else: other calls, sleep.
    Other,
}

impl Category {
    /// The category with this number.
    #[inline]
    pub fn of_number(number: u32) -> Category {
        match number {
            1 => Category::Compute,
            2 => Category::PointToPoint,
            3 => Category::Collective,
            4 => Category::Wait,
            5 => Category::Other,
            _ => Category::Idle,
        }
    }
}

/// The category of the time in a function, waiting aside.
pub(crate) fn category(kind: Kind) -> Category {
    match kind {
        Kind::Send
        | Kind::Isend
        | Kind::Recv
        | Kind::Irecv
        | Kind::Sendrecv
        | Kind::Start
        | Kind::Wait
        | Kind::Test
        | Kind::OneSided => Category::PointToPoint,
        Kind::Barrier | Kind::Collective => Category::Collective,
        Kind::File | Kind::Other => Category::Other,
    }
}
