//! Random traffic over lossless networks: everything arrives, in order, and nothing remains.

mod common;

use common::*;
use mpirage_packet::{FlowControl, LosslessParameters, RdmaSettings, Routing};
use mpirage_units::Time;
use proptest::prelude::*;

const PARTS: &str = "speed = '1Gf'\nbandwidth = '1GBps'\nlatency = '300ns'\n";

fn any_platform() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(format!("[cluster]\nhosts = 8\n{PARTS}")),
        Just(format!("[fat-tree]\ndown = [2, 4]\nup = [1, 2]\n{PARTS}")),
        Just(format!("[fat-tree]\ndown = [2, 2, 2]\nup = [1, 2, 2]\n{PARTS}")),
        Just(format!(
            "[cabinets]\nsizes = [3, 5]\nuplink = {{ bandwidth = '3GBps', latency = '1us' }}\n{PARTS}"
        )),
    ]
}

fn any_control() -> impl Strategy<Value = FlowControl> {
    prop_oneof![
        (1u32..20_000, 0.0..2.0)
            .prop_map(|(buffer, round_trips)| FlowControl::Credits { buffer, round_trips }),
        (5_000u32..50_000, 0u32..5_000).prop_map(|(xoff, below)| FlowControl::Pause {
            xoff,
            xon: xoff - below,
            headroom: 4 * 4200,
            round_trips: 1.5,
        }),
    ]
}

fn any_links() -> impl Strategy<Value = LosslessParameters> {
    let routing = prop_oneof![Just(Routing::Static), Just(Routing::Ecmp(4)), Just(Routing::Adaptive(4))];
    (any_control(), routing, 1u8..4, any::<bool>()).prop_map(|(flow_control, routing, lanes, urgent_lane)| {
        let links = LosslessParameters::infiniband();
        LosslessParameters { flow_control, lanes, urgent_lane, ..links }
            .with_links(|links| links.routing = routing)
    })
}

fn any_messages() -> impl Strategy<Value = Vec<TestMessage>> {
    let message = (0u64..50_000, 0u32..8, 1u32..8, 1u64..30_000, 0u32..3).prop_map(
        |(at, from, ahead, bytes, class)| {
            let at = Time::from_picos(at * 1000);
            TestMessage { at, from, to: (from + ahead) % 8, bytes, class }
        },
    );
    proptest::collection::vec(message, 1..120).prop_map(|mut messages| {
        messages.sort_by_key(|message| message.at);
        messages
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn everything_arrives_in_order_and_nothing_remains(
        text in any_platform(),
        links in any_links(),
        messages in any_messages(),
        outstanding in 1u32..40,
    ) {
        let settings = RdmaSettings { outstanding, ..RdmaSettings::infiniband() };
        let platform = platform(&text);
        let mut network = lossless(&platform, links, settings);
        let arrivals = run(&mut network, &messages);
        prop_assert!(arrivals.iter().all(Option::is_some));
        for (number, later) in messages.iter().enumerate() {
            let lane = |message: &TestMessage| message.class % u32::from(links.lanes);
            let same = |earlier: &TestMessage| {
                (earlier.from, earlier.to, lane(earlier)) == (later.from, later.to, lane(later))
            };
            if let Some(before) = messages[..number].iter().rposition(same) {
                prop_assert!(arrivals[before] <= arrivals[number]);
            }
        }
        prop_assert!(network.link_counts().all(|(_, counts)| counts.dropped == 0));
        prop_assert!(network.into_layer().is_idle(Time::MAX));
        prop_assert_eq!(run(&mut lossless(&platform, links, settings), &messages), arrivals);
    }
}
