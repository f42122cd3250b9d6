//! Files: how long accesses take on local disks, on a server and on several, what collective accesses exchange, the shared pointer.

use std::sync::Arc;

use mpirage_call::{Call, Completing, FileAccessCall, FileHints, RequestId, TwoPhase, WORLD};
use mpirage_mpi::{Ending, Want};
use mpirage_platform::Platform;

use crate::common::{Ran, engine, one_switch, recv, run, run_to_end, send};

const MEGABYTE: u64 = 1_000_000;
const LATENCY: f64 = 1e-3;
const METADATA: f64 = 2e-3;

/// Hosts of which some serve files. The cables have 10 GB/s and no latency to speak of, unless `cables` says otherwise.
fn cluster(hosts: u32, cables: &str, storage: &str) -> Platform {
    let disk = "read-bandwidth = \"1GBps\"\nwrite-bandwidth = \"500MBps\"\nlatency = \"1ms\"\nmetadata-latency = \"2ms\"";
    let text = format!(
        "[cluster]\nhosts = {hosts}\nspeed = \"1Gf\"\n{cables}\n[storage.data]\nmount = \"/data\"\n{storage}\n{disk}\n"
    );
    Platform::from_text("storage.toml", &text).unwrap()
}

const FAST: &str = "bandwidth = \"10GBps\"\nlatency = \"1ns\"";
const LOCAL: &str = "kind = \"local\"";

fn open(hints: FileHints) -> Call<'static> {
    Call::FileOpen { file: WORLD, path: "/data/a", hints }
}

fn access(write: bool, collective: bool, offset: u64, span: u64, bytes: u64) -> Call<'static> {
    let pieces = if span == bytes { 1 } else { 100 };
    Call::FileAccess(FileAccessCall {
        file: WORLD,
        write,
        collective,
        offset,
        span,
        bytes,
        pieces,
        request: None,
    })
}

fn write(offset: u64, bytes: u64) -> Call<'static> {
    access(true, false, offset, bytes, bytes)
}

fn finished(platform: Platform, scripts: &[Vec<Call<'_>>]) -> Ran {
    let ran = run(platform, "flow:affine", "", scripts);
    assert_eq!(ran.ending, Ending::Finished);
    ran
}

fn near(found: f64, expected: f64, tolerance: f64) {
    assert!((found / expected - 1.0).abs() < tolerance, "{found} instead of {expected}");
}

#[test]
fn a_local_disk_takes_metadata_latency_and_bytes() {
    let sieve = FileHints { sieve_read: true, sieve_write: true, ..FileHints::default() };
    let script = vec![
        open(sieve),
        write(0, 100 * MEGABYTE),
        access(false, false, 0, 100 * MEGABYTE, 100 * MEGABYTE),
        access(true, false, 0, 100 * MEGABYTE, 10 * MEGABYTE),
    ];
    let ran = finished(cluster(2, FAST, LOCAL), &[script]);
    // A write with gaps reads and writes them too.
    let expected = METADATA + (LATENCY + 0.2) + (LATENCY + 0.1) + (LATENCY + 0.1) + (LATENCY + 0.2);
    near(ran.ends[0], expected, 1e-9);
    let statistics = ran.engine.counts().files;
    assert_eq!((statistics.reads, statistics.writes, statistics.opened), (1, 2, 1));
    assert_eq!((statistics.bytes_read, statistics.bytes_written), (100 * MEGABYTE, 110 * MEGABYTE));
    assert!(!statistics.on_default);
}

#[test]
fn without_sieving_every_piece_has_its_latency() {
    let script = vec![open(FileHints::default()), access(true, false, 0, 100 * MEGABYTE, 10 * MEGABYTE)];
    let ran = finished(cluster(2, FAST, LOCAL), &[script]);
    near(ran.ends[0], METADATA + 100.0 * LATENCY + 0.02, 1e-9);
}

#[test]
fn ranks_of_a_host_share_its_disk_and_other_hosts_have_their_own() {
    let script = vec![open(FileHints::default()), write(0, 100 * MEGABYTE)];
    // Ranks 0 and 2 are on host 0, rank 1 is on host 1; metadata is one after the other.
    let ran = finished(cluster(2, FAST, LOCAL), &[script.clone(), script.clone(), script]);
    near(ran.ends[1], METADATA + LATENCY + 0.2, 1e-9);
    // Rank 2 begins 2 ms later: until then rank 0 has the disk alone.
    near(ran.ends[0], METADATA + LATENCY + METADATA + 2.0 * (0.2 - METADATA), 1e-6);
    near(ran.ends[2], 2.0 * METADATA + LATENCY + 0.4 - METADATA, 1e-6);
}

#[test]
fn a_server_is_asked_and_streams() {
    let cables = "bandwidth = \"125MBps\"\nlatency = \"50us\"";
    let nfs = "kind = \"nfs\"\nservers = 1";
    let message = |bytes| {
        let scripts = [vec![send(1, 0, bytes, None)], vec![recv(Some(0), Some(0), bytes, None)]];
        finished(cluster(2, cables, nfs), &scripts).ends[1]
    };
    let empty = message(0);
    let opened = empty + METADATA + empty;
    // The network is slower than the disk, so bytes take as long as those of a message, after the same latency.
    let more = message(20 * MEGABYTE) - message(10 * MEGABYTE);
    let took = |call: &dyn Fn(u64) -> Call<'static>, bytes| {
        finished(cluster(2, cables, nfs), &[vec![open(FileHints::default()), call(bytes)]]).ends[0] - opened
    };
    let read = |bytes| access(false, false, 0, bytes, bytes);
    let written = [10, 20].map(|megabytes| took(&|bytes| write(0, bytes), megabytes * MEGABYTE));
    near(written[1] - written[0], more, 1e-6);
    near(written[0], more + 2.0 * empty, 1e-2);
    assert_eq!(written, [10, 20].map(|megabytes| took(&read, megabytes * MEGABYTE)));
    // A small write waits for the disk, which works while the bytes travel.
    let small = finished(cluster(2, cables, nfs), &[vec![open(FileHints::default()), write(0, 1)]]).ends[0];
    near(small, opened + LATENCY + 1.0 / 5e8 + empty, 1e-3);
}

/// As IOR does with one shared file: every rank writes its block, all at once.
fn ior(clients: u32, servers: u32, block: u64) -> f64 {
    let storage = format!("kind = \"parallel\"\nservers = {servers}\nstripe-size = \"1MiB\"");
    let script = |rank: u32| vec![open(FileHints::default()), write(u64::from(rank) * block, block)];
    let scripts: Vec<_> = (0..clients).map(script).collect();
    let ran = run_to_end(
        engine(Arc::new(cluster(clients + servers, FAST, &storage)), "flow:affine", "", clients as usize),
        &scripts,
    );
    assert_eq!(ran.ending, Ending::Finished);
    let opens = METADATA * f64::from(clients);
    let end = ran.ends.iter().copied().fold(0.0, f64::max);
    f64::from(clients) * block as f64 / (end - opens)
}

#[test]
fn aggregate_bandwidth_saturates_the_servers() {
    // min(clients · cable, servers · disk): cables have 10 GB/s, disks write 0.5 GB/s.
    for (clients, servers) in [(1, 4), (2, 4), (8, 4), (16, 4), (16, 8), (4, 2)] {
        let expected = (f64::from(clients) * 10e9).min(f64::from(servers) * 0.5e9);
        near(ior(clients, servers, 512 << 20), expected, 0.05);
    }
}

#[test]
fn stripes_decide_how_many_servers_work_for_a_file() {
    let storage = "kind = \"parallel\"\nservers = 4\nstripe-size = \"1MiB\"";
    let time = |stripe_count| {
        let hints = FileHints { stripe_count, ..FileHints::default() };
        let (ran, bytes) =
            (finished(cluster(6, FAST, storage), &[vec![open(hints), write(0, 256 << 20)]]), 256 << 20);
        (ran.ends[0] - METADATA, bytes as f64)
    };
    for count in [1, 2, 4] {
        let (seconds, bytes) = time(count);
        near(seconds, bytes / (f64::from(count) * 5e8) + LATENCY, 0.01);
    }
}

#[test]
fn interleaved_parts_travel_to_aggregators() {
    let bytes = 50 * MEGABYTE;
    let hints = FileHints { aggregators: 1, buffer: 1 << 30, ..FileHints::default() };
    let script = |rank: u64| vec![open(hints), access(true, true, rank, 2 * bytes - 1, bytes)];
    let ran = finished(cluster(2, FAST, LOCAL), &[script(0), script(1)]);
    // Rank 1 sends its bytes to rank 0, which writes all of them.
    let expected = METADATA + bytes as f64 / 10e9 + LATENCY + 2.0 * bytes as f64 / 5e8;
    near(ran.ends[0], expected, 0.01);
    assert_eq!(ran.ends[0], ran.ends[1]);
    // In small rounds the latency of the disk counts more often.
    let hints = FileHints { buffer: MEGABYTE, ..hints };
    let script = |rank: u64| vec![open(hints), access(true, true, rank, 2 * bytes - 1, bytes)];
    let rounds = finished(cluster(2, FAST, LOCAL), &[script(0), script(1)]);
    near(rounds.ends[0] - ran.ends[0], 99.0 * LATENCY + 99.0 * 2e-9, 0.05);
}

#[test]
fn parts_that_are_apart_are_written_by_their_own_ranks() {
    let bytes = 50 * MEGABYTE;
    let script =
        |hints: FileHints, rank: u64| vec![open(hints), access(true, true, rank * bytes, bytes, bytes)];
    let hints = FileHints::default();
    let ran = finished(cluster(2, FAST, LOCAL), &[script(hints, 0), script(hints, 1)]);
    near(ran.ends[0], METADATA + LATENCY + bytes as f64 / 5e8, 1e-6);
    let hints = FileHints { collective_write: TwoPhase::Enabled, aggregators: 1, buffer: 1 << 30, ..hints };
    let together = finished(cluster(2, FAST, LOCAL), &[script(hints, 0), script(hints, 1)]);
    near(together.ends[0], METADATA + bytes as f64 / 10e9 + LATENCY + 2.0 * bytes as f64 / 5e8, 0.01);
}

#[test]
fn a_request_completes_while_its_rank_computes() {
    let bytes = 100 * MEGABYTE;
    let Call::FileAccess(blocking) = write(0, bytes) else { unreachable!() };
    let request = RequestId::new(1);
    let begun = Call::FileAccess(FileAccessCall { request: Some(request), ..blocking });
    let sleep = Call::Sleep { span: mpirage_units::Duration::from_secs_f64(0.15) };
    let wait = Call::Wait { how: Completing::All, poll: false, requests: &[request] };
    let ran = finished(cluster(2, FAST, LOCAL), &[vec![open(FileHints::default()), begun, sleep, wait]]);
    near(ran.ends[0], METADATA + LATENCY + 0.2, 1e-9);
    let completions = &ran.replies[0].last().unwrap().completions;
    assert_eq!(completions[0].bytes, bytes);
}

#[test]
fn the_shared_pointer_is_given_to_one_rank_after_the_other() {
    let by = |by| Call::FilePointer { file: WORLD, by, set: false };
    let script = vec![open(FileHints::default()), by(3), by(3)];
    let ran = finished(cluster(2, FAST, LOCAL), &[script.clone(), script.clone(), script]);
    let mut places: Vec<u64> = ran.replies.iter().flatten().filter_map(|reply| reply.number).collect();
    places.sort_unstable();
    assert_eq!(places, [0, 3, 6, 9, 12, 15]);
}

#[test]
fn a_rank_that_stays_away_from_a_collective_access_is_named() {
    let script = vec![open(FileHints::default()), access(true, true, 0, 8, 8)];
    let ran = run(
        cluster(2, FAST, LOCAL),
        "flow:factors",
        "",
        &[script.clone(), script, vec![open(FileHints::default())]],
    );
    assert_eq!(ran.ending, Ending::Deadlock);
    let blocked = ran.engine.diagnosis().blocked();
    assert_eq!(blocked.len(), 2);
    assert!(matches!(&blocked[0].wants[..], [Want::Members { missing, .. }] if missing[..] == [2]));
}

#[test]
fn a_platform_without_storage_has_default_disks() {
    let script = vec![open(FileHints::default()), write(0, 200 * MEGABYTE), Call::FileDelete { path: "/b" }];
    let ran = finished(one_switch(2), &[script]);
    near(ran.ends[0], 20e-6 + 50e-6 + 0.1 + 20e-6, 1e-9);
    assert!(ran.engine.counts().files.on_default);
}
