//! A small run, read back.

use std::collections::HashMap;
use std::rc::Rc;

use prost::Message as _;

use super::schema::*;
use crate::create;
use crate::testing::{Lines, play, play_threads, run_on};
use mpirage_interpret::RunInfo;

fn packets(bytes: &[u8]) -> Vec<TracePacket> {
    let mut rest = bytes;
    let mut packets = Vec::new();
    while let Some((&tag, after)) = rest.split_first() {
        assert_eq!(tag, 0x0a);
        rest = after;
        packets.push(TracePacket::decode_length_delimited(&mut rest).unwrap());
    }
    packets
}

fn written() -> Vec<TracePacket> {
    written_with(false)
}

fn written_with(collective_messages: bool) -> Vec<TracePacket> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.pftrace");
    let run = RunInfo { sites: Some(Rc::new(Lines)), collective_messages, ..run_on("cluster:2", 2) };
    let mut writer = create(&path, &run).unwrap();
    play(&mut *writer);
    writer.finish().unwrap();
    packets(&std::fs::read(&path).unwrap())
}

fn names(packets: &[TracePacket], of: impl Fn(&InternedData) -> &Vec<Named>) -> HashMap<u64, String> {
    let interned = packets.iter().filter_map(|packet| packet.interned_data.as_ref());
    interned
        .flat_map(|data| of(data).clone())
        .map(|named| (named.iid.unwrap(), named.name.unwrap()))
        .collect()
}

/// Track, name, begin and end of each slice, in order of the beginnings in the file.
fn slices(packets: &[TracePacket]) -> Vec<(String, String, u64, u64)> {
    let tracks = packets.iter().filter_map(|packet| packet.track_descriptor.clone());
    let tracks: HashMap<_, _> = tracks.map(|track| (track.uuid, track.name.unwrap())).collect();
    let event_names = names(packets, |data| &data.event_names);
    let mut open: HashMap<_, Vec<usize>> = HashMap::new();
    let mut slices = Vec::new();
    for packet in packets {
        let Some(event) = &packet.track_event else { continue };
        match event.r#type() {
            EventType::SliceBegin => {
                open.entry(event.track_uuid).or_default().push(slices.len());
                let name = event_names[&event.name_iid.unwrap()].clone();
                slices.push((tracks[&event.track_uuid].clone(), name, packet.timestamp.unwrap(), 0));
            }
            EventType::SliceEnd => {
                let slice = open.get_mut(&event.track_uuid).unwrap().pop().unwrap();
                slices[slice].3 = packet.timestamp.unwrap();
            }
            _ => {}
        }
    }
    assert!(open.values().all(Vec::is_empty));
    slices
}

#[test]
fn calls_and_computation_become_slices() {
    let slices = slices(&written());
    let expected = [
        ("rank 1", "MPI_Irecv", 0, 0),
        ("rank 0", "computing", 0, 10),
        ("rank 0", "MPI_Isend", 10, 11),
        ("beside rank 0", "computing", 11, 20),
        ("beside rank 0", "computing", 12, 21),
        ("rank 1", "MPI_Wait", 0, 31),
        ("rank 0", "MPI_Wait", 11, 32),
        ("rank 1", "MPI_Reduce", 31, 40),
        ("rank 0", "MPI_Reduce", 32, 41),
        ("rank 0", "pause", 41, 45),
        ("rank 1", "MPI_Recv", 40, 45),
    ];
    let expected = expected.map(|(track, name, start, end)| (track.to_owned(), name.to_owned(), start, end));
    assert_eq!(slices, expected);
}

#[test]
fn threads_have_tracks_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.pftrace");
    let mut writer = create(&path, &run_on("cluster:2", 2)).unwrap();
    play_threads(&mut *writer);
    writer.finish().unwrap();
    let slices = slices(&packets(&std::fs::read(&path).unwrap()));
    let expected = [
        ("rank 0", "MPI_Barrier", 2, 5),
        ("rank 0 thread 1", "MPI_Barrier", 1, 6),
        ("rank 0", "MPI_Barrier", 5, 7),
        ("rank 0", "computing", 7, 9),
    ];
    assert_eq!(
        slices,
        expected.map(|(track, name, start, end)| (track.to_owned(), name.to_owned(), start, end))
    );
}

#[test]
fn an_arrow_leads_from_the_send_to_the_wait() {
    let packets = written();
    let with = |ids: fn(&TrackEvent) -> &Vec<u64>| -> Vec<(u64, Vec<u64>)> {
        let events =
            packets.iter().filter_map(|packet| Some((packet.timestamp?, packet.track_event.as_ref()?)));
        events
            .filter(|(_, event)| !ids(event).is_empty())
            .map(|(time, event)| (time, ids(event).clone()))
            .collect()
    };
    let (starts, ends) = (with(|event| &event.flow_ids), with(|event| &event.terminating_flow_ids));
    assert_eq!((starts, ends), (vec![(10, vec![1])], vec![(31, vec![1])]));
}

#[test]
fn messages_inside_collectives_are_arrows_between_instants_if_asked_for() {
    let instants = |packets: &[TracePacket]| {
        let names = names(packets, |data| &data.event_names);
        let events = packets.iter().filter_map(|packet| packet.track_event.as_ref());
        let instants = events.filter(|event| event.r#type() == EventType::Instant);
        let about = |event: &TrackEvent| {
            let flows = event.flow_ids.iter().chain(&event.terminating_flow_ids).copied().collect::<Vec<_>>();
            (names[&event.name_iid.unwrap()].clone(), flows)
        };
        instants.map(about).collect::<Vec<_>>()
    };
    assert_eq!(instants(&written()), []);
    let shown = instants(&written_with(true));
    let [(sends, out), (receives, back)] = shown.as_slice() else { panic!("{shown:?}") };
    assert_eq!((sends.as_str(), receives.as_str()), ("sends in a collective", "receives in a collective"));
    assert_eq!((out.len(), out), (1, back));
}

#[test]
fn slices_say_what_the_call_was_about() {
    let packets = written();
    let annotations = names(&packets, |data| &data.debug_annotation_names);
    let strings = names(&packets, |data| &data.debug_annotation_string_values);
    let events = packets.iter().filter_map(|packet| packet.track_event.as_ref());
    let isend = events.into_iter().find(|event| !event.flow_ids.is_empty()).unwrap();
    let said: Vec<String> = isend
        .debug_annotations
        .iter()
        .map(|said| {
            let name = &annotations[&said.name_iid.unwrap()];
            match (said.uint_value, said.int_value, said.string_value_iid) {
                (Some(value), _, _) => format!("{name} {value}"),
                (_, Some(value), _) => format!("{name} {value}"),
                (_, _, text) => format!("{name} {}", strings[&text.unwrap()]),
            }
        })
        .collect();
    assert_eq!(said, ["line a.c:16 main", "peer 1", "sent bytes 4096", "communicator 0", "tag 7"]);
}

#[test]
fn links_are_counters() {
    let packets = written();
    let counters: Vec<_> = packets
        .iter()
        .filter_map(|packet| packet.track_descriptor.as_ref())
        .filter(|track| track.counter.is_some())
        .collect();
    assert!(!counters.is_empty());
    for counter in counters {
        let events =
            packets.iter().filter_map(|packet| Some((packet.timestamp?, packet.track_event.as_ref()?)));
        let values: Vec<(u64, f64)> = events
            .filter(|(_, event)| event.track_uuid == counter.uuid)
            .map(|(time, event)| (time, event.double_counter_value.unwrap()))
            .collect();
        // Rates over time are bytes again: 4096 of the message, 64 inside the collective.
        let bytes: f64 =
            values.windows(2).map(|pair| pair[0].1 * (pair[1].0 - pair[0].0) as f64 * 1e-9).sum();
        assert!((bytes - 4160.0).abs() < 1e-6, "{values:?}");
        assert_eq!(values.last().unwrap().1, 0.0);
    }
}
