//! Which columns each table has.

use super::table::{Heading, Layout};

use super::table::Kind::{Int, Real, Text};

const fn column(name: &'static str, kind: super::table::Kind) -> Heading {
    Heading { name, kind, optional: false }
}

const fn maybe(name: &'static str, kind: super::table::Kind) -> Heading {
    Heading { name, kind, optional: true }
}

pub(super) const MESSAGES: Layout = Layout {
    name: "messages",
    columns: &[
        column("source", Int),
        column("destination", Int),
        column("bytes", Int),
        column("tag", Int),
        maybe("comm", Int),
        maybe("collective", Int),
        column("sent", Real),
        column("departed", Real),
        column("arrived", Real),
        column("delivered", Real),
    ],
};

pub(super) const CALLS: Layout = Layout {
    name: "calls",
    columns: &[
        column("rank", Int),
        maybe("function", Text),
        column("start", Real),
        column("end", Real),
        maybe("peer", Int),
        maybe("sent_bytes", Int),
        maybe("received_bytes", Int),
        maybe("tag", Int),
        maybe("comm", Int),
        maybe("line", Text),
        column("returned", Int),
    ],
};

pub(super) const COMPUTATIONS: Layout = Layout {
    name: "computations",
    columns: &[
        column("rank", Int),
        column("start", Real),
        column("end", Real),
        maybe("flops", Real),
        maybe("nanoseconds", Int),
        column("beside", Int),
    ],
};

pub(super) const COLLECTIVES: Layout = Layout {
    name: "collectives",
    columns: &[
        column("collective", Int),
        column("rank", Int),
        column("comm", Int),
        column("kind", Text),
        maybe("algorithm", Text),
        column("entered", Real),
    ],
};

pub(super) const LINKS: Layout = Layout {
    name: "links",
    columns: &[
        column("link", Text),
        column("start", Real),
        column("end", Real),
        column("bytes", Real),
        column("bandwidth", Real),
    ],
};

pub(super) const RANKS: Layout = Layout {
    name: "ranks",
    columns: &[
        column("rank", Int),
        column("host", Text),
        column("end", Real),
        column("computing", Real),
        column("in_mpi", Real),
        column("paused", Real),
        column("beside", Real),
        column("calls", Int),
        column("sent_messages", Int),
        column("sent_bytes", Int),
        column("received_messages", Int),
        column("received_bytes", Int),
    ],
};
