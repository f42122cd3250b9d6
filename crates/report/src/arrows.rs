//! Messages by receiver, one by one as long as there are not too many: the arrows of the timeline.

use mpirage_call::varint;

use crate::came::{Came, Mail};
use crate::chronicle::Thing;
use crate::columns::Numbers;
use crate::container::Container;
use crate::told::{Clock, Told, nanos};

/// It is a part of a collective.
const INNER: u8 = 1;
/// Its times are told: delivered since the one before, and how long it took.
const TOLD: u8 = 2;
/// The sender differs from the receiver in these bits.
const MIRRORED: u8 = 4;
/// It was sent by this rank, and another has it too.
const OUTGOING: u8 = 8;

/// What a message is besides its times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct ArrowShape {
    bytes: u64,
    from: u32,
    tag: i32,
    flags: u8,
}

impl ArrowShape {
    #[inline]
    fn of(came: &Came) -> ArrowShape {
        let flag = |is, flag| if is { flag } else { 0 };
        let flags = flag(came.is_inner(), INNER)
            | flag(came.is_mirrored(), MIRRORED)
            | flag(came.is_outgoing(), OUTGOING);
        ArrowShape { bytes: came.bytes, from: came.peer, tag: came.tag, flags: flags | TOLD }
    }
}

/// Tells the times of a message.
#[inline]
fn put(came: &Came, clock: &mut Clock, into: &mut Numbers) {
    clock.end += came.span();
    into.put(clock.tell(clock.end).max(0) as u64);
    into.put(nanos(came.took));
}

/// Adds the messages of all ranks to the data.
pub(crate) fn write(mail: &Mail, ranks: usize, out: &mut Container) {
    let told = Told::new(mail, ranks, ArrowShape::of, put);
    let words = mail.words()[1..].iter().map(|word| word.thing);
    let others: Vec<ArrowShape> = told.others().copied().collect();
    let fixed = |of: fn(&Came) -> u64| {
        let words = words.clone().map(move |came| of(&came) as f64);
        std::iter::once(0.0).chain(words).chain(others.iter().map(|_| 0.0))
    };
    out.section("message_shapes_since", fixed(Came::span));
    out.section("message_shapes_took", fixed(|came| came.took));
    let word =
        |came: Came| ArrowShape { flags: ArrowShape::of(&came).flags & !TOLD, ..ArrowShape::of(&came) };
    let shapes: Vec<ArrowShape> =
        std::iter::once(ArrowShape::default()).chain(words.map(word)).chain(others).collect();
    out.section("message_shapes_from", shapes.iter().map(|shape| shape.from));
    out.section("message_shapes_bytes", shapes.iter().map(|shape| shape.bytes as f64));
    out.section("message_shapes_tag", shapes.iter().map(|shape| varint::zigzag(shape.tag.into()) as u32));
    out.section("message_shapes_flags", shapes.iter().map(|shape| shape.flags));
    told.write("messages", "message_shapes", out);
}
