//! The columns of each table.

use super::table::{Heading, Layout};

use super::table::ColumnType::{Int, Real, Seconds, Text};

const fn column(name: &'static str, kind: super::table::ColumnType) -> Heading {
    Heading { name, kind, optional: false }
}

const fn maybe(name: &'static str, kind: super::table::ColumnType) -> Heading {
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
        column("sent", Seconds),
        column("departed", Seconds),
        column("arrived", Seconds),
        column("delivered", Seconds),
        column("unexpected", Int),
    ],
};

pub(super) const CALLS: Layout = Layout {
    name: "calls",
    columns: &[
        column("rank", Int),
        maybe("function", Text),
        column("start", Seconds),
        column("end", Seconds),
        maybe("peer", Int),
        maybe("sent_bytes", Int),
        maybe("received_bytes", Int),
        maybe("tag", Int),
        maybe("comm", Int),
        maybe("line", Text),
        column("returned", Int),
        column("thread", Int),
    ],
};

pub(super) const COMPUTATIONS: Layout = Layout {
    name: "computations",
    columns: &[
        column("rank", Int),
        column("start", Seconds),
        column("end", Seconds),
        maybe("flops", Real),
        maybe("nanoseconds", Int),
        column("beside", Int),
        column("thread", Int),
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
        column("entered", Seconds),
    ],
};

pub(super) const LINKS: Layout = Layout {
    name: "links",
    columns: &[
        column("link", Text),
        column("start", Seconds),
        column("end", Seconds),
        column("bytes", Real),
        column("bandwidth", Real),
    ],
};

pub(super) const RANKS: Layout = Layout {
    name: "ranks",
    columns: &[
        column("rank", Int),
        column("host", Text),
        column("end", Seconds),
        column("computing", Seconds),
        column("in_mpi", Seconds),
        column("paused", Seconds),
        column("beside", Seconds),
        column("calls", Int),
        column("sent_messages", Int),
        column("sent_bytes", Int),
        column("received_messages", Int),
        column("received_bytes", Int),
        column("unexpected_messages", Int),
    ],
};

pub(super) const QUEUES: Layout = Layout {
    name: "queues",
    columns: &[
        column("link", Text),
        column("time", Seconds),
        column("waiting", Int),
        column("left", Int),
        column("frames", Int),
        column("bytes", Int),
        column("dropped", Int),
        column("lost", Int),
        column("marked", Int),
    ],
};

pub(super) const LINK_TOTALS: Layout = Layout {
    name: "link_totals",
    columns: &[
        column("link", Text),
        column("bandwidth", Real),
        column("frames", Int),
        column("bytes", Int),
        column("dropped", Int),
        column("lost", Int),
        column("marked", Int),
        column("most_waiting", Int),
    ],
};

pub(super) const CONNECTIONS: Layout = Layout {
    name: "connections",
    columns: &[
        column("connection", Int),
        column("source", Int),
        column("destination", Int),
        column("time", Seconds),
        column("window", Int),
        maybe("threshold", Int),
        maybe("round_trip", Real),
        column("in_flight", Int),
        column("retransmissions", Int),
    ],
};

pub(super) const CONNECTION_TOTALS: Layout = Layout {
    name: "connection_totals",
    columns: &[
        column("connection", Int),
        column("source", Int),
        column("destination", Int),
        column("segments", Int),
        column("retransmissions", Int),
        column("fast_retransmits", Int),
        column("timeouts", Int),
        column("duplicate_acks", Int),
        column("zero_windows", Int),
        column("spurious", Int),
    ],
};
