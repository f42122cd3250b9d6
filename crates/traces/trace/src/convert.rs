//! Conversion of a workload to another format, without a simulation.
//!
//! Each rank is asked for its calls on its own, and gets the reply of a successful call. This is enough for calls that do not
//! depend on time or on other ranks. Other workloads have to be simulated: the error message says to use a replay that writes
//! a trace.

use mpirage_call::stored::TraceRole;
use mpirage_call::wire::decode_call;
use mpirage_call::{
    Call, CommCall, CommRequest, Completing, Completion, ContextId, Family, PointToPointCall, Reply,
    RequestId, Stamp, Work,
};
use mpirage_units::Duration;

use crate::writer::{NO_THREADS, TraceWriter, beyond_format};
use crate::{Calls, Step, ThreadSync, TraceError, Workload};

/// Writes all calls of `workload`, rank by rank, and finishes the trace. Ends with [`TraceError::Stopped`], without a trace,
/// once `stop` gives true.
pub fn convert(
    workload: &mut dyn Workload,
    writer: &mut dyn TraceWriter,
    stop: &dyn Fn() -> bool,
) -> Result<(), TraceError> {
    write_calls(workload, writer, true, stop)?;
    writer.finish()
}

/// Writes all calls of `workload` without finishing the trace. If `exact` is not set, a communicator whose members are not
/// known gets a number of its own.
pub(crate) fn write_calls(
    workload: &mut dyn Workload,
    writer: &mut dyn TraceWriter,
    exact: bool,
    stop: &dyn Fn() -> bool,
) -> Result<(), TraceError> {
    for (context, members) in (2..).zip(workload.communicators()) {
        writer.given_communicator(ContextId::new(context), &members);
    }
    let given = workload.communicators().len();
    let traced = workload.traced_communicators();
    for (context, members) in traced.iter().skip(given) {
        writer.communicator(*context, members);
    }
    let further = workload.threads().iter().map(|&rank| writer.open_thread(rank));
    let further = further.collect::<Option<Vec<u32>>>().ok_or_else(|| cannot_be_converted(NO_THREADS))?;
    let numbers = (0..workload.ranks()).chain(further).collect();
    let is_graph = workload.is_graph();
    let mut conversion = Conversion {
        workload,
        writer,
        numbers,
        traced,
        exact,
        open: (!exact && is_graph).then(Vec::new),
        stop,
        reply: Reply::default(),
        words: Vec::new(),
        made: 1 << 31,
    };
    (0..conversion.workload.ranks()).try_for_each(|rank| conversion.rank(rank))
}

struct Conversion<'a> {
    workload: &'a mut dyn Workload,
    writer: &'a mut dyn TraceWriter,
    /// The numbers of ranks and further threads in the trace that is written.
    numbers: Vec<u32>,
    traced: Vec<(ContextId, Vec<u32>)>,
    exact: bool,
    /// The open requests of a rank that is a graph, if its calls are only counted.
    open: Option<Vec<RequestId>>,
    stop: &'a dyn Fn() -> bool,
    reply: Reply,
    words: Vec<u64>,
    /// The last number given to something that only a run could number.
    made: u32,
}

impl Conversion<'_> {
    /// Writes the calls of a rank. Those of its further threads follow when they are woken.
    fn rank(&mut self, rank: u32) -> Result<(), TraceError> {
        let mut asked = vec![rank];
        while let Some(thread) = asked.pop() {
            self.reply.clear();
            while self.thread(thread)? == Step::Waits {}
            self.workload.take_woken(&mut asked);
        }
        Ok(())
    }

    /// Writes the next calls of a thread of a rank.
    fn thread(&mut self, thread: u32) -> Result<Step, TraceError> {
        if (self.stop)() {
            return Err(TraceError::Stopped);
        }
        let mut words = std::mem::take(&mut self.words);
        words.clear();
        let step = self.workload.next(thread, &self.reply, &mut Calls::new(&mut words))?;
        self.write_syncs(thread);
        let mut at = 0;
        while at < words.len() {
            let Ok((stamp, call, length)) = decode_call(&words[at..]) else {
                return Err(TraceError::Spec("the workload has written a call that is none".to_owned()));
            };
            self.write(thread, &stamp, &call)?;
            at += length;
        }
        self.words = words;
        Ok(step)
    }

    /// Writes what a thread does with others before its next calls.
    fn write_syncs(&mut self, thread: u32) {
        let mut syncs = Vec::new();
        self.workload.take_syncs(&mut syncs);
        for sync in syncs {
            let number = |thread: u32| self.numbers[thread as usize];
            let (own, other) = (number(thread), number(sync.other()));
            let sync = match sync {
                ThreadSync::Wakes(_) => ThreadSync::Wakes(other),
                ThreadSync::Awaits(_) => ThreadSync::Awaits(other),
            };
            self.writer.synchronized(own, sync);
        }
    }

    fn write(&mut self, thread: u32, stamp: &Stamp, call: &Call<'_>) -> Result<(), TraceError> {
        let rank = self.numbers[thread as usize];
        if !stamp.burst.is_none() {
            self.writer.computed(rank, Work::from(stamp.burst));
        }
        if !stamp.delay.is_zero() {
            self.writer.paused(rank, stamp.delay);
        }
        if call.needs_answer() {
            self.reply.clear();
            self.answer(thread, call)?;
        }
        self.note_request(call);
        match call.trace_role() {
            TraceRole::Operation => {
                if let Some(what) = beyond_format(self.writer, stamp, call) {
                    return Err(cannot_be_converted(&what));
                }
                self.writer.called(rank, stamp, call, &self.reply, Duration::ZERO);
            }
            TraceRole::Time => {
                if let Call::Compute { work, .. } = *call {
                    self.writer.computed(rank, work);
                } else if let Call::Sleep { span } = *call {
                    self.writer.paused(rank, span);
                } else if let Call::Flush = *call {
                    self.writer.handed_over(rank);
                }
            }
            TraceRole::LeftOut => {}
            TraceRole::NeedsRun => return self.count_graph(rank, call),
        }
        Ok(())
    }

    fn note_request(&mut self, call: &Call<'_>) {
        let Some(open) = &mut self.open else { return };
        match *call {
            Call::Send { request, .. } | Call::Recv { request, .. } | Call::Compute { request, .. } => {
                open.extend(request)
            }
            Call::Collective(collective) => open.extend(collective.request),
            _ => {}
        }
    }

    /// A graph that is only counted: all that is under way is complete when it asks.
    fn count_graph(&mut self, rank: u32, call: &Call<'_>) -> Result<(), TraceError> {
        match (&mut self.open, *call) {
            (Some(_), Call::Compute { work, .. }) => self.writer.computed(rank, work),
            (Some(_), Call::ExecutionUnit { .. }) => {}
            (Some(open), Call::TakeCompleted) => {
                self.reply.completions.extend(open.drain(..).map(|request| Completion::empty(request.get())));
            }
            _ => return Err(needs_run("computes beside its ranks")),
        }
        Ok(())
    }

    /// Fills in the reply of a successful call.
    fn answer(&mut self, thread: u32, call: &Call<'_>) -> Result<(), TraceError> {
        match call.family() {
            Family::PointToPoint(call) => self.complete(call),
            Family::Comm(CommCall::MakeComm { how, .. }) => return self.make(thread, &how),
            Family::Comm(CommCall::Collective(_) | CommCall::FreeComm { .. }) => {}
            Family::Run(_)
            | Family::Window(_)
            | Family::File(_)
            | Family::Compute(_)
            | Family::Tool(_)
            | Family::Check(_) => {}
        }
        Ok(())
    }

    fn complete(&mut self, call: PointToPointCall<'_>) {
        let done = &mut self.reply.completions;
        match call {
            PointToPointCall::Wait { how: Completing::Any, requests, .. } => {
                done.extend(requests.first().map(|_| Completion::empty(0)));
            }
            PointToPointCall::Wait { requests, .. } => {
                done.extend((0..requests.len() as u32).map(Completion::empty));
            }
            PointToPointCall::Recv { from, tag, bytes, .. } => done.push(received(from, tag, bytes)),
            PointToPointCall::Probe { from, tag, take, .. } => {
                done.push(received(from, tag, 0));
                self.made += 1;
                self.reply.message = take.then_some(self.made);
            }
            PointToPointCall::Send { .. } => done.push(Completion::empty(0)),
            PointToPointCall::Cancel { .. }
            | PointToPointCall::Free { .. }
            | PointToPointCall::FailedPoll { .. }
            | PointToPointCall::RepeatedPoll => {}
        }
    }

    fn make(&mut self, thread: u32, how: &CommRequest<'_>) -> Result<(), TraceError> {
        match self.workload.traced_context(thread) {
            Some(made) => {
                self.reply.context = made;
                let known = self.traced.iter().find(|(context, _)| Some(*context) == made);
                if let Some((_, members)) =
                    known.filter(|_| !matches!(how, CommRequest::Dup | CommRequest::DupLater { .. }))
                {
                    self.reply.members.extend_from_slice(members);
                }
                Ok(())
            }
            None if self.exact => Err(needs_run("makes communicators")),
            None => {
                self.made += 1;
                self.reply.context = Some(ContextId::new(self.made));
                Ok(())
            }
        }
    }
}

fn received(from: Option<u32>, tag: Option<i32>, bytes: u64) -> Completion {
    let (source, tag) = (from.map_or(-1, |from| from as i32), tag.unwrap_or(-1));
    Completion { source, tag, bytes, ..Completion::empty(0) }
}

fn cannot_be_converted(why: &str) -> TraceError {
    TraceError::Spec(format!("the workload cannot be converted: {why}"))
}

fn needs_run(what: &str) -> TraceError {
    TraceError::Spec(format!(
        "the workload {what}, so it cannot be converted without running it; `mpirage replay TRACE --trace OTHER` does both"
    ))
}
