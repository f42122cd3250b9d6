//! Ranks that are lists of calls: the engine without processes.

pub mod patterns;

use std::sync::Arc;

use mpirage_call::{Call, Payload, Quiet, Reply, RequestId, SendMode, Stamp, WORLD, wire::encode_call};
use mpirage_collectives::Choice;
use mpirage_kernel::Kernel;
use mpirage_models::{Cores, DiskArray};
use mpirage_mpi::{Bursts, Ending, Engine, NoMemory, Segment, Setup, Turn};
use mpirage_platform::{HostId, Platform};
use mpirage_record::{Recorder, Summary};
use mpirage_scenario::{Model, Placement};

/// One switch, as in SimGrid's reference runs.
pub fn one_switch(hosts: usize) -> Platform {
    let text = format!(
        "<?xml version='1.0'?><!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\"><platform version=\"4.1\">\
         <zone id=\"w\" routing=\"Full\"><cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-{}\" speed=\"1Gf\" \
         bw=\"125MBps\" lat=\"50us\"/></zone></platform>",
        hosts - 1
    );
    Platform::from_text("switch.xml", &text).unwrap()
}

/// The result of a run of scripts.
pub struct Ran {
    /// How it ended.
    pub ending: Ending,
    /// When each rank ended, in seconds.
    pub ends: Vec<f64>,
    /// The replies each rank got, in order.
    pub replies: Vec<Vec<Reply>>,
    /// The engine at the end of the run.
    pub engine: Engine<NoMemory>,
}

/// Runs scripts, one per rank. An engine that releases ranks early must come to the same, and not change its mind.
pub fn run(platform: Platform, model: &str, choice: &str, scripts: &[Vec<Call<'_>>]) -> Ran {
    let platform = Arc::new(platform);
    let mut early = engine(Arc::clone(&platform), model, choice, scripts.len());
    early.release_early(true);
    let early = run_to_end(early, scripts);
    let ran = run_to_end(engine(platform, model, choice, scripts.len()), scripts);
    assert_eq!((&ran.ending, &ran.ends, &ran.replies), (&early.ending, &early.ends, &early.replies));
    assert_eq!(ran.engine.counts().switches, early.engine.counts().switches);
    ran
}

/// The same, once only.
pub fn run_once(platform: Platform, model: &str, choice: &str, scripts: &[Vec<Call<'_>>]) -> Ran {
    run_to_end(engine(platform, model, choice, scripts.len()), scripts)
}

/// Runs scripts, one per rank.
pub fn run_to_end(mut engine: Engine<NoMemory>, scripts: &[Vec<Call<'_>>]) -> Ran {
    let mut promised = vec![None; scripts.len()];
    let mut next = vec![0; scripts.len()];
    let mut replies = vec![Vec::new(); scripts.len()];
    let ending = loop {
        match engine.advance() {
            Turn::End => break engine.take_ending(),
            Turn::Output(_) => {}
            Turn::Release(line) => promised[line.index()] = Some(engine.reply(line).clone()),
            Turn::Resume(line) => {
                let rank = line.get();
                if let Some(promised) = promised[rank as usize].take() {
                    let Reply { now, early, ref members, .. } = *engine.reply(line);
                    let quiet = Quiet::unpack(members).map(|_| members.clone());
                    let members = quiet.unwrap_or(promised.members);
                    assert_eq!(&Reply { now, early, members, ..promised }, engine.reply(line));
                }
                let script = &scripts[rank as usize];
                let position = &mut next[rank as usize];
                if *position > 0 {
                    replies[rank as usize].push(engine.reply(line).clone());
                }
                engine.take_calls(line, |_, words| segment(script, position, words));
            }
        }
    };
    let ends = engine.ends().map(|end| end.as_secs_f64()).collect();
    Ran { ending, ends, replies, engine }
}

/// A standard send of `bytes` bytes in the world; blocking without a request.
pub fn send(to: u32, tag: i32, bytes: u64, request: Option<u32>) -> Call<'static> {
    Call::Send {
        mode: SendMode::Standard,
        context: WORLD,
        to,
        tag,
        bytes,
        payload: Payload::Absent,
        request: request.map(RequestId::new),
        answer: true,
    }
}

/// A receive of up to `bytes` bytes in the world; blocking without a request.
pub fn recv(from: Option<u32>, tag: Option<i32>, bytes: u64, request: Option<u32>) -> Call<'static> {
    Call::Recv {
        context: WORLD,
        from,
        tag,
        bytes,
        address: 0,
        request: request.map(RequestId::new),
        matched: None,
    }
}

/// The calls of a script up to the next that needs an answer.
pub fn segment(script: &[Call<'_>], position: &mut usize, words: &mut Vec<u64>) -> Segment {
    while let Some(call) = script.get(*position) {
        *position += 1;
        let mut buffer = vec![0; 64 + script.len()];
        let length = encode_call(&Stamp::default(), call, &mut buffer).unwrap();
        words.extend_from_slice(&buffer[..length]);
        if call.needs_answer() {
            return Segment::default();
        }
    }
    Segment { wrote: false, ended: true }
}

/// An engine for `ranks` ranks, dealt out to the hosts.
pub fn engine(
    platform: impl Into<Arc<Platform>>,
    model: &str,
    choice: &str,
    ranks: usize,
) -> Engine<NoMemory> {
    engine_of(platform, model, choice, &[ranks as u32])
}

/// An engine for jobs of so many ranks each.
pub fn engine_of(
    platform: impl Into<Arc<Platform>>,
    model: &str,
    choice: &str,
    jobs: &[u32],
) -> Engine<NoMemory> {
    engine_that_counts(platform, model, choice, jobs, Bursts::None, Box::new(Summary::default()))
}

/// The same with bursts that count, or a recorder.
pub fn engine_that_counts(
    platform: impl Into<Arc<Platform>>,
    model: &str,
    choice: &str,
    jobs: &[u32],
    bursts: Bursts,
    recorder: Box<dyn Recorder>,
) -> Engine<NoMemory> {
    let platform = platform.into();
    let (mut model, _) = Model::resolve(model, platform.settings(), (100e-6, 125e6)).unwrap();
    model.without_local_work();
    build(platform, &model, choice, jobs, bursts, recorder)
}

/// The same in which combining and copying take the time that the model says.
pub fn engine_of_model(
    platform: Arc<Platform>,
    model: &Model,
    choice: &str,
    jobs: &[u32],
) -> Engine<NoMemory> {
    build(platform, model, choice, jobs, Bursts::None, Box::new(Summary::default()))
}

fn build(
    platform: Arc<Platform>,
    model: &Model,
    choice: &str,
    jobs: &[u32],
    bursts: Bursts,
    recorder: Box<dyn Recorder>,
) -> Engine<NoMemory> {
    let ranks = jobs.iter().sum::<u32>() as usize;
    let placement: Vec<HostId> = (0..ranks as u32).map(|rank| HostId(rank % platform.host_count())).collect();
    let network = model.network_on(&platform);
    let memory = model.memory_on(&platform, &Placement::of(&platform, placement.clone()));
    let collective_times = model.collective_times(&platform);
    let storages = platform.storages().clone();
    let cores = Cores::new(platform, &placement);
    let disks = Box::new(DiskArray::new(&storages));
    let kernel = Kernel::new(network, Box::new(cores)).with_storage(disks);
    let setup = Setup {
        kernel: match memory {
            Some(memory) => kernel.with_memory(memory),
            None => kernel,
        },
        seconds_per_nano: vec![1e-9; ranks],
        host_cores: vec![1; ranks],
        rank_cores: vec![0; ranks],
        host_flops: vec![1e9; ranks],
        placement,
        jobs: jobs.to_vec(),
        starts: Vec::new(),
        protocol: model.protocol.clone(),
        collectives: Choice::parse(choice).unwrap(),
        accelerators: None,
        collective_times,
        bursts,
        storages,
        recorder,
    };
    Engine::new(setup, NoMemory)
}
