//! Strategies that draw fields for property tests, by their types.

use mpirage_units::Duration;
use proptest::prelude::*;

use crate::{
    AccessCall, AccessKind, Blocks, Burst, CollectiveCall, CommRequest, Completing, ContextId,
    FileAccessCall, FileHints, Input, Operator, Part, Payload, Reduction, RequestId, Rule, SendMode, Tally,
    TwoPhase, Unfreed, Work,
};
use crate::{Collective, Peers};

/// A type of fields that tests can draw.
pub(crate) trait Sampled: Sized {
    fn any() -> BoxedStrategy<Self>;
}

macro_rules! sampled {
    ($($type:ty: $strategy:expr;)*) => {$(
        impl Sampled for $type {
            fn any() -> BoxedStrategy<$type> {
                $strategy.boxed()
            }
        }
    )*};
}

/// A list that lives as long as the test.
fn list<T: std::fmt::Debug + 'static>(
    elements: impl Strategy<Value = T>,
) -> impl Strategy<Value = &'static [T]> {
    proptest::collection::vec(elements, 0..6).prop_map(|list| &*list.leak())
}

fn size() -> impl Strategy<Value = u64> {
    prop_oneof![0..300u64, 0..1u64 << 50]
}

/// Stored computations are not negative, and not infinite.
fn flops() -> impl Strategy<Value = f64> {
    0.0..1e18f64
}

// Half-words keep their highest value for "none".
sampled! {
    bool: any::<bool>();
    u8: any::<u8>();
    u32: prop_oneof![0..5u32, 0..u32::MAX];
    i32: any::<i32>();
    u64: prop_oneof![0..5u64, any::<u64>()];
    Duration: any::<u64>().prop_map(Duration::from_picos);
    Option<u32>: proptest::option::of(u32::any());
    Option<i32>: proptest::option::of(any::<i32>());
    ContextId: u32::any().prop_map(ContextId::new);
    RequestId: u32::any().prop_map(RequestId::new);
    Option<RequestId>: proptest::option::of(RequestId::any());
    &'static [RequestId]: list(RequestId::any());
    &'static str: ".*".prop_map(|text| &*text.leak());
    &'static [u32]: list(u32::any());
    &'static [u64]: list(u64::any());
    SendMode: prop::sample::select(vec![
        SendMode::Standard, SendMode::Synchronous, SendMode::Ready, SendMode::Buffered
    ]);
    Completing: prop::sample::select(vec![Completing::All, Completing::Any, Completing::Some]);
    Payload<'static>: prop_oneof![
        Just(Payload::Absent), u64::any().prop_map(Payload::At), list(any::<u8>()).prop_map(Payload::Inline)
    ];
    AccessKind: prop::sample::select(vec![
        AccessKind::Put, AccessKind::Get, AccessKind::Accumulate, AccessKind::GetAccumulate,
        AccessKind::CompareAndSwap
    ]);
    AccessCall<'static>: (
        AccessKind::any(), ContextId::any(), u32::any(), u64::any(), u64::any(), Payload::any(), Payload::any(),
        u32::any(), any::<u8>(), any::<u8>(), u64::any(), Option::<RequestId>::any(),
    )
        .prop_map(|(kind, window, target, displacement, bytes, payload, layout, parts, op, basic, result, request)| {
            AccessCall {
                kind, window, target, displacement, bytes, payload, layout, parts, op, basic, result, request
            }
        });
    TwoPhase: prop::sample::select(vec![TwoPhase::Automatic, TwoPhase::Enabled, TwoPhase::Disabled]);
    FileHints: (
        u32::any(), u64::any(), u32::any(), u64::any(), TwoPhase::any(), TwoPhase::any(), any::<bool>(),
        any::<bool>(),
    )
        .prop_map(|(aggregators, buffer, stripe_count, stripe_size, collective_read, collective_write, sieve_read, sieve_write)| {
            FileHints {
                aggregators, buffer, stripe_count, stripe_size, collective_read, collective_write, sieve_read,
                sieve_write
            }
        });
    FileAccessCall: (
        ContextId::any(), any::<bool>(), any::<bool>(), u64::any(), u64::any(), u64::any(), u32::any(),
        Option::<RequestId>::any(),
    )
        .prop_map(|(file, write, collective, offset, span, bytes, pieces, request)| FileAccessCall {
            file, write, collective, offset, span, bytes, pieces, request
        });
    Rule: (u64::any(), u64::any(), -1.0..1.0f64, any::<bool>())
        .prop_map(|(least, most, error, interval)| Rule { least, most, error, interval });
    Tally: (u64::any(), u64::any(), u64::any(), Unfreed::any())
        .prop_map(|(executed, skipped, shared, unfreed)| Tally { executed, skipped, shared, unfreed });
    Unfreed: (u64::any(), u64::any(), u64::any(), u64::any())
        .prop_map(|(datatypes, operators, groups, requests)| Unfreed { datatypes, operators, groups, requests });
    Work: prop_oneof![
        flops().prop_map(Work::Flops),
        u64::any().prop_map(Work::Nanos),
        u64::any().prop_map(|word| Work::Threads(Burst::from_word(word))),
        (flops(), flops()).prop_map(|(flops, bytes)| Work::Roofline { flops, bytes }),
    ];
    Blocks<'static>: prop_oneof![
        size().prop_map(Blocks::Whole),
        size().prop_map(Blocks::Equal),
        proptest::collection::vec((size(), size()), 0..5).prop_map(|blocks| {
            let list: Vec<u64> = blocks.into_iter().flat_map(|(offset, bytes)| [offset, bytes]).collect();
            Blocks::Each(list.leak())
        }),
    ];
    Part<'static>: (Payload::any(), Blocks::any()).prop_map(|(payload, blocks)| Part { payload, blocks });
    Operator: prop_oneof![
        (any::<u8>(), any::<u8>()).prop_map(|(op, basic)| Operator::Predefined { op, basic }),
        (u64::any(), u64::any()).prop_map(|(op, datatype)| Operator::User { op, datatype }),
    ];
    Input: prop::sample::select(vec![Input::Apart, Input::InPlace]);
    Reduction: (Operator::any(), any::<bool>(), u32::any(), u64::any())
        .prop_map(|(operator, commutative, element, elements)| Reduction { operator, commutative, element, elements });
    Collective: prop::sample::select(&Collective::ALL[..]);
    (Collective, Peers<'static>): (Collective::any(), u32::any(), list(u32::any()), list(u32::any()))
        .prop_map(|(kind, first, sources, destinations)| match kind {
            kind if kind.is_across() => (kind, Peers::OtherSide { first }),
            kind if kind.is_neighborhood() => (kind, Peers::Neighbors { sources, destinations }),
            kind => (kind, Peers::All),
        });
    CollectiveCall<'static>: (
        <(Collective, Peers<'static>)>::any(), ContextId::any(), u32::any(), Part::any(), Part::any(),
        proptest::option::of(Reduction::any()), Option::<RequestId>::any(), u32::any(), Input::any(),
    )
        .prop_map(|((kind, peers), context, root, send, recv, reduction, request, plan, input)| CollectiveCall {
            kind, context, root, peers, send, recv, reduction, request, plan, input,
            on_mismatch: Default::default()
        });
    CommRequest<'static>: prop_oneof![
        Just(CommRequest::Dup),
        RequestId::any().prop_map(|request| CommRequest::DupLater { request }),
        (Option::<i32>::any(), any::<i32>()).prop_map(|(color, key)| CommRequest::Split { color, key }),
        list(u32::any()).prop_map(CommRequest::Create),
        (list(u32::any()), any::<i32>()).prop_map(|(members, tag)| CommRequest::CreateGroup { members, tag }),
        any::<i32>().prop_map(|key| CommRequest::SplitByHost { key }),
    ];
}
