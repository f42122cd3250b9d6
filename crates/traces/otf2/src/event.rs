//! Events of a location.

use crate::bytes::{ByteOrder, Fields, FormatError, put_record, put_u32, put_u64};

const BUFFER_FLUSH: u8 = 10;
const ENTER: u8 = 12;
const LEAVE: u8 = 13;
const SEND: u8 = 14;
const ISEND: u8 = 15;
const ISEND_COMPLETE: u8 = 16;
const IRECV_REQUEST: u8 = 17;
const RECV: u8 = 18;
const IRECV: u8 = 19;
const REQUEST_TEST: u8 = 20;
const REQUEST_CANCELLED: u8 = 21;
const COLLECTIVE_BEGIN: u8 = 22;
const COLLECTIVE_END: u8 = 23;
const OMP_FORK: u8 = 24;
const OMP_TASK_CREATE: u8 = 28;
const OMP_TASK_COMPLETE: u8 = 30;
const METRIC: u8 = 31;
const RMA_FIRST: u8 = 35;
const RMA_LAST: u8 = 52;
const COLLECTIVE_REQUEST: u8 = 85;
const COLLECTIVE_COMPLETE: u8 = 86;

/// Attributes of the event that follows.
const ATTRIBUTE_LIST: u8 = 6;
/// An attribute whose value is the number of a text.
const TYPE_STRING: u8 = 11;
/// A metric whose value is a floating-point number.
const TYPE_DOUBLE: u8 = 10;

/// A message of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MpiMessage {
    /// The other side, as a rank of the communicator.
    pub peer: u32,
    /// The number of the communicator's definition.
    pub communicator: u32,
    /// The tag.
    pub tag: u32,
    /// The size in bytes.
    pub length: u64,
}

/// The end of a collective operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperationEnd {
    /// The operation ([`crate::collective_of`]).
    pub operation: u8,
    /// The number of the communicator's definition.
    pub communicator: u32,
    /// The root, as a rank of the communicator, or a [`crate::RootCode`].
    pub root: u32,
    /// Bytes sent ([`crate::Sizes`]).
    pub sent: u64,
    /// Bytes received ([`crate::Sizes`]).
    pub received: u64,
}

/// An attribute of an event whose value is a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextAttribute {
    /// The number of the attribute's definition.
    pub attribute: u32,
    /// The number of the text's definition.
    pub text: u32,
}

/// An event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// The measurement wrote its buffer until this time.
    BufferFlush {
        /// Ticks.
        until: u64,
    },
    /// A region begins.
    Enter {
        /// The number of its definition.
        region: u32,
    },
    /// A region ends.
    Leave {
        /// The number of its definition.
        region: u32,
    },
    /// A blocking send.
    Send(MpiMessage),
    /// A nonblocking send, with its request.
    Isend(MpiMessage, u64),
    /// The request of a nonblocking send is complete.
    IsendComplete(u64),
    /// A nonblocking receive starts, with this request.
    IrecvRequest(u64),
    /// A blocking receive is complete.
    Recv(MpiMessage),
    /// A nonblocking receive with this request is complete.
    Irecv(MpiMessage, u64),
    /// A request was tested without success.
    RequestTest(u64),
    /// A request was cancelled.
    RequestCancelled(u64),
    /// A collective begins.
    CollectiveBegin,
    /// A collective ends.
    CollectiveEnd(OperationEnd),
    /// A nonblocking collective starts, with this request.
    CollectiveRequest(u64),
    /// A nonblocking collective with this request is complete.
    CollectiveComplete(OperationEnd, u64),
    /// A metric has a value.
    Metric {
        /// The number of the metric's class.
        class: u32,
        /// The value of its only member.
        value: f64,
    },
    /// One-sided communication.
    OneSided,
}

/// Has an event of this kind a length? The oldest kinds have none: their only field is a number.
pub fn has_length(kind: u8) -> bool {
    !matches!(
        kind,
        ENTER
            | LEAVE
            | ISEND_COMPLETE
            | IRECV_REQUEST
            | REQUEST_TEST
            | REQUEST_CANCELLED
            | OMP_FORK
            | OMP_TASK_CREATE..=OMP_TASK_COMPLETE
    )
}

/// Does [`Event::decode`] return an event for this kind?
pub fn is_known(kind: u8) -> bool {
    matches!(kind, BUFFER_FLUSH | ENTER..=COLLECTIVE_END | RMA_FIRST..=RMA_LAST)
        || matches!(kind, COLLECTIVE_REQUEST | COLLECTIVE_COMPLETE)
}

impl Event {
    /// Appends the record.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let bare = |out: &mut Vec<u8>, kind: u8, number: u64| {
            out.push(kind);
            put_u64(out, number);
        };
        match *self {
            Event::BufferFlush { until } => {
                put_record(out, BUFFER_FLUSH, |out| out.extend(until.to_le_bytes()))
            }
            Event::Enter { region } => {
                out.push(ENTER);
                put_u32(out, region);
            }
            Event::Leave { region } => {
                out.push(LEAVE);
                put_u32(out, region);
            }
            Event::Send(message) => put_record(out, SEND, |out| message.encode(out)),
            Event::Recv(message) => put_record(out, RECV, |out| message.encode(out)),
            Event::Isend(message, request) => put_record(out, ISEND, |out| message.encode_with(request, out)),
            Event::Irecv(message, request) => put_record(out, IRECV, |out| message.encode_with(request, out)),
            Event::IsendComplete(request) => bare(out, ISEND_COMPLETE, request),
            Event::IrecvRequest(request) => bare(out, IRECV_REQUEST, request),
            Event::RequestTest(request) => bare(out, REQUEST_TEST, request),
            Event::RequestCancelled(request) => bare(out, REQUEST_CANCELLED, request),
            Event::CollectiveBegin => put_record(out, COLLECTIVE_BEGIN, |_| ()),
            Event::CollectiveEnd(end) => put_record(out, COLLECTIVE_END, |out| end.encode(out)),
            Event::CollectiveRequest(request) => {
                put_record(out, COLLECTIVE_REQUEST, |out| put_u64(out, request));
            }
            Event::CollectiveComplete(end, request) => put_record(out, COLLECTIVE_COMPLETE, |out| {
                end.encode(out);
                put_u64(out, request);
            }),
            Event::Metric { class, value } => put_record(out, METRIC, |out| {
                put_u32(out, class);
                out.extend([1, TYPE_DOUBLE]);
                put_u64(out, value.to_bits());
            }),
            Event::OneSided => {}
        }
    }

    /// Appends the record with an attribute.
    pub fn encode_with(&self, TextAttribute { attribute, text }: TextAttribute, out: &mut Vec<u8>) {
        put_record(out, ATTRIBUTE_LIST, |out| {
            put_u32(out, 1);
            put_u32(out, attribute);
            out.push(TYPE_STRING);
            put_u32(out, text);
        });
        self.encode(out);
    }

    /// The event of this kind with these fields; none if it is of no interest ([`is_known`]).
    pub fn decode(kind: u8, fields: &[u8], order: ByteOrder) -> Result<Option<Event>, FormatError> {
        let mut fields = Fields::new(fields, order);
        let f = &mut fields;
        Ok(Some(match kind {
            BUFFER_FLUSH => Event::BufferFlush { until: f.full_u64()? },
            ENTER => Event::Enter { region: f.u32()? },
            LEAVE => Event::Leave { region: f.u32()? },
            SEND => Event::Send(MpiMessage::decode(f)?),
            RECV => Event::Recv(MpiMessage::decode(f)?),
            ISEND => Event::Isend(MpiMessage::decode(f)?, f.u64()?),
            IRECV => Event::Irecv(MpiMessage::decode(f)?, f.u64()?),
            ISEND_COMPLETE => Event::IsendComplete(f.u64()?),
            IRECV_REQUEST => Event::IrecvRequest(f.u64()?),
            REQUEST_TEST => Event::RequestTest(f.u64()?),
            REQUEST_CANCELLED => Event::RequestCancelled(f.u64()?),
            COLLECTIVE_BEGIN => Event::CollectiveBegin,
            COLLECTIVE_END => Event::CollectiveEnd(OperationEnd::decode(f)?),
            COLLECTIVE_REQUEST => Event::CollectiveRequest(f.u64()?),
            COLLECTIVE_COMPLETE => Event::CollectiveComplete(OperationEnd::decode(f)?, f.u64()?),
            RMA_FIRST..=RMA_LAST => Event::OneSided,
            _ => return Ok(None),
        }))
    }
}

impl MpiMessage {
    fn encode(&self, out: &mut Vec<u8>) {
        put_u32(out, self.peer);
        put_u32(out, self.communicator);
        put_u32(out, self.tag);
        put_u64(out, self.length);
    }

    fn encode_with(&self, request: u64, out: &mut Vec<u8>) {
        self.encode(out);
        put_u64(out, request);
    }

    fn decode(fields: &mut Fields<'_>) -> Result<MpiMessage, FormatError> {
        let [peer, communicator, tag] = [fields.u32()?, fields.u32()?, fields.u32()?];
        Ok(MpiMessage { peer, communicator, tag, length: fields.u64()? })
    }
}

impl OperationEnd {
    fn encode(&self, out: &mut Vec<u8>) {
        out.push(self.operation);
        put_u32(out, self.communicator);
        put_u32(out, self.root);
        put_u64(out, self.sent);
        put_u64(out, self.received);
    }

    fn decode(fields: &mut Fields<'_>) -> Result<OperationEnd, FormatError> {
        Ok(OperationEnd {
            operation: fields.u8()?,
            communicator: fields.u32()?,
            root: fields.u32()?,
            sent: fields.u64()?,
            received: fields.u64()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn message() -> impl Strategy<Value = MpiMessage> {
        any::<(u32, u32, u32, u64)>().prop_map(|(peer, communicator, tag, length)| MpiMessage {
            peer,
            communicator,
            tag,
            length,
        })
    }

    fn end() -> impl Strategy<Value = OperationEnd> {
        any::<(u8, u32, u32, u64, u64)>().prop_map(|(operation, communicator, root, sent, received)| {
            OperationEnd { operation, communicator, root, sent, received }
        })
    }

    fn event() -> impl Strategy<Value = Event> {
        prop_oneof![
            any::<u64>().prop_map(|until| Event::BufferFlush { until }),
            any::<u32>().prop_map(|region| Event::Enter { region }),
            any::<u32>().prop_map(|region| Event::Leave { region }),
            message().prop_map(Event::Send),
            message().prop_map(Event::Recv),
            (message(), any::<u64>()).prop_map(|(message, request)| Event::Isend(message, request)),
            (message(), any::<u64>()).prop_map(|(message, request)| Event::Irecv(message, request)),
            any::<u64>().prop_map(Event::IsendComplete),
            any::<u64>().prop_map(Event::IrecvRequest),
            any::<u64>().prop_map(Event::RequestTest),
            any::<u64>().prop_map(Event::RequestCancelled),
            Just(Event::CollectiveBegin),
            end().prop_map(Event::CollectiveEnd),
            any::<u64>().prop_map(Event::CollectiveRequest),
            (end(), any::<u64>()).prop_map(|(end, request)| Event::CollectiveComplete(end, request)),
        ]
    }

    proptest! {
        #[test]
        fn events_come_back(event in event()) {
            let mut bytes = Vec::new();
            event.encode(&mut bytes);
            let kind = bytes[0];
            prop_assert!(is_known(kind));
            let fields = if has_length(kind) { &bytes[2..] } else { &bytes[1..] };
            prop_assert_eq!(Event::decode(kind, fields, ByteOrder::Little), Ok(Some(event)));
        }

        #[test]
        fn any_bytes_are_an_event_or_an_error(kind: u8, bytes: Vec<u8>) {
            let known = Event::decode(kind, &bytes, ByteOrder::Big).is_ok_and(|event| event.is_some());
            prop_assert!(!known || is_known(kind));
        }
    }

    #[test]
    fn events_are_as_libotf2_writes_them() {
        let mut bytes = Vec::new();
        Event::Enter { region: 0 }.encode(&mut bytes);
        Event::Send(MpiMessage { peer: 1, communicator: 0, tag: 7, length: 4096 }).encode(&mut bytes);
        Event::Leave { region: 2 }.encode(&mut bytes);
        Event::CollectiveBegin.encode(&mut bytes);
        let end = OperationEnd { operation: 0, communicator: 0, root: u32::MAX, sent: 0, received: 0 };
        Event::CollectiveEnd(end).encode(&mut bytes);
        assert_eq!(
            bytes,
            b"\x0c\x00\x0e\x08\x01\x01\x00\x01\x07\x02\x00\x10\x0d\x01\x02\x16\x00\x17\x05\x00\x00\xff\x00\x00"
        );
    }
}
