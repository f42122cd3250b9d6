//! The simulator's side of a conversation, as the tests play it.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::os::fd::AsRawFd;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use mpirage_call::wire::decode_call;
use mpirage_call::{Call, LineId, Payload, RankId, Reply, SendMode, Service, Stamp, WORLD};
use mpirage_channel::{Attach, Briefing, LineEnd, Mailboxes, Waiting, WorldPlace, channel_value, short_name};
use mpirage_units::Time;

/// Longer than any wait of these tests takes.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// The first line of rank 0.
pub const LINE: LineId = LineId::new(0);

/// The briefing of the ranks of these tests.
pub fn briefing() -> Briefing {
    Briefing {
        size: 2,
        world: WorldPlace::only(2),
        eager_limit: 65536,
        buffered_limit: 65536,
        inline_bytes: 4096,
        measure: false,
        simulated_clock: true,
        local_clock: true,
        speed_ratio: 1.0,
        lines_for_threads: false,
        real_time: false,
        clock_cost: 0,
        epoch: 0,
        simulator: std::process::id(),
        shared_file: -1,
        share_malloc: 0,
        model: short_name("flow"),
        collectives: short_name(""),
        posix_io: false,
        call_paths: 0,
        checked: false,
    }
}

/// Mailboxes of two ranks with one line each.
pub fn of_two_ranks() -> Mailboxes {
    Mailboxes::of_ranks(2, &briefing()).expect("memory")
}

/// The value of the environment variable that leads to a line's mailbox.
pub fn variable(mailboxes: &Mailboxes, line: LineId) -> String {
    channel_value(mailboxes.file().as_raw_fd(), line)
}

/// The line's end of a mailbox, attached in this process.
pub fn attach(variable: &str) -> LineEnd {
    match LineEnd::attach(Some(variable)) {
        Attach::Rank(end) => end,
        Attach::Alone | Attach::OtherVersion => panic!("no mailbox at {variable}"),
    }
}

/// Runs a line in a thread.
pub fn line<T: Send + 'static>(
    mailboxes: &Mailboxes,
    line: LineId,
    body: impl FnOnce(LineEnd) -> T + Send + 'static,
) -> JoinHandle<T> {
    let variable = variable(mailboxes, line);
    thread::spawn(move || body(attach(&variable)))
}

/// Refuses services.
pub fn no_service(service: &Service<'_>, _: &mut [u8]) {
    panic!("nobody asked for {service:?}");
}

/// Waits until the line stops and returns its calls.
pub fn calls(mailboxes: &mut Mailboxes, line: LineId) -> Vec<u64> {
    assert_eq!(mailboxes.wait(line, PATIENCE), Waiting::Over);
    mailboxes.calls(line).to_vec()
}

/// Answers the line's last call and lets it run.
pub fn answer(mailboxes: &mut Mailboxes, line: LineId, reply: &Reply) {
    mailboxes.answer(line, reply).expect("a reply fits");
    mailboxes.release(line);
}

pub fn at(picos: u64) -> Reply {
    Reply { now: Time::from_picos(picos), ..Reply::default() }
}

/// A send of inline bytes that needs no answer.
pub fn send(tag: i32, bytes: &[u8]) -> Call<'_> {
    Call::Send {
        mode: SendMode::Standard,
        context: WORLD,
        to: 1,
        tag,
        bytes: bytes.len() as u64,
        payload: Payload::Inline(bytes),
        request: None,
        answer: false,
    }
}

/// The tags of the sends among encoded calls, and the stamps' sites; other calls are left out.
pub fn tags(mut words: &[u64]) -> Vec<(i32, u64)> {
    let mut tags = Vec::new();
    while !words.is_empty() {
        let (stamp, call, length) = decode_call(words).expect("a call");
        if let Call::Send { tag, .. } = call {
            tags.push((tag, stamp.site));
        }
        words = &words[length..];
    }
    tags
}

pub fn stamp(site: u64) -> Stamp {
    Stamp { site, ..Stamp::default() }
}

pub fn rank(number: u32) -> RankId {
    RankId::new(number)
}
