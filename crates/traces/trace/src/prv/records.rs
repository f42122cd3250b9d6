//! The records of a trace: calls of each task, and messages.

use std::collections::HashMap;

use mpirage_call::Collective;

use super::functions::{Functions, Role, TYPES};
use super::head::Head;
use crate::dim::{Fields, Line};
use crate::error::{TraceError, TracePlace};
use crate::source::{Source, Window};

/// How much is read at a time.
const CHUNK: usize = 1 << 18;
/// Events about a collective: bytes sent and received, whether the task is the root, the communicator.
const SENT: u64 = 50_100_001;
const RECEIVED: u64 = 50_100_002;
const ROOT: u64 = 50_100_003;
const COMMUNICATOR: u64 = 50_100_004;

/// A call of a task. Times are nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Region {
    pub role: Role,
    pub enter: u64,
    pub leave: u64,
    /// Where its record begins.
    pub at: u64,
    pub sizes: Sizes,
}

/// What events say about a collective.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sizes {
    pub sent: u64,
    pub received: u64,
    pub is_root: bool,
    /// Its number in the file, then its place in the head.
    pub comm: u64,
}

/// A message.
#[derive(Clone, Copy, Debug)]
pub(super) struct PrvMessage {
    pub from: u32,
    pub to: u32,
    pub bytes: u64,
    pub tag: i32,
    pub sent: u64,
    /// Logical and physical receive.
    pub received: [u64; 2],
    pub at: u64,
}

/// All records.
#[derive(Default)]
pub(super) struct Records {
    pub tasks: Vec<Vec<Region>>,
    pub messages: Vec<PrvMessage>,
    /// For each task the regions that have begun, and what is known of a collective that begins at this time.
    open: Vec<Option<Region>>,
    early: Vec<(u64, Sizes)>,
}

impl Records {
    /// Reads a file from end to end.
    pub(super) fn read(source: &Source, functions: &Functions) -> Result<(Head, Records), TraceError> {
        let mut window = Window::default();
        let Some(first) = Line::next(&mut window, source, CHUNK)? else {
            return Err(TraceError::bad(source.name(), TracePlace::File, "it is empty"));
        };
        let mut head = Head::read(&first)?;
        let tasks = head.tasks as usize;
        let mut records = Records {
            tasks: vec![Vec::new(); tasks],
            messages: Vec::new(),
            open: vec![None; tasks],
            early: vec![(u64::MAX, Sizes::default()); tasks],
        };
        while let Some(line) = Line::next(&mut window, source, CHUNK)? {
            records.line(&line, &mut head, functions)?;
        }
        if let Some(region) = records.open.iter().flatten().next() {
            return Err(source.bad(region.at, "this call of MPI does not end: has the trace been cut off?"));
        }
        if records.tasks.iter().all(Vec::is_empty) {
            let problem =
                "it has no events of MPI functions (50000001 to 50000003), so nothing can be replayed";
            return Err(TraceError::bad(source.name(), TracePlace::File, problem));
        }
        Ok((head, records))
    }

    fn line(&mut self, line: &Line<'_>, head: &mut Head, functions: &Functions) -> Result<(), TraceError> {
        match line.text {
            [] | [b'#', ..] | [b'1', b':', ..] => Ok(()),
            [b'2', b':', ..] => self.events(line, head, functions),
            [b'3', b':', ..] => self.message(line, head),
            [b'c', b':', ..] => head.communicator(line),
            _ => Err(line.bad("this is no record; there are 1:, 2:, 3: and c:")),
        }
    }

    fn events(&mut self, line: &Line<'_>, head: &mut Head, functions: &Functions) -> Result<(), TraceError> {
        let mut fields = line.fields();
        fields.next();
        let (task, thread) = object(line, &mut fields, head)?;
        let time = time(&mut fields, head)?;
        while fields.left() > 0 {
            let kind: i64 = fields.whole("the type of an event")?;
            let Some(value) = fields.next() else {
                return Err(line.bad("an event has no value"));
            };
            let kind = kind.unsigned_abs();
            let about_collective = (SENT..=COMMUNICATOR).contains(&kind);
            if !TYPES.contains(&kind) && !about_collective {
                continue;
            }
            let value = std::str::from_utf8(value).ok().and_then(|value| value.parse().ok());
            let value: u64 = value.ok_or_else(|| line.bad("the value of an event is no number"))?;
            if thread != 1 {
                let problem = format!("thread {thread} calls MPI; only the first thread of a task can");
                return Err(line.bad(problem));
            }
            if about_collective {
                self.describe(task, time, (kind, value));
            } else {
                self.function(line, head, functions, (task, time, kind, value))?;
            }
        }
        Ok(())
    }

    /// A function begins or ends.
    fn function(
        &mut self,
        line: &Line<'_>,
        head: &mut Head,
        functions: &Functions,
        (task, time, kind, value): (usize, u64, u64, u64),
    ) -> Result<(), TraceError> {
        if let Some(mut region) = self.open[task].take() {
            region.leave = time;
            if let Role::Collective { .. } = region.role {
                region.sizes.comm = head.place_of(line, region.sizes.comm, task as u32)?.into();
            }
            self.tasks[task].push(region);
        }
        if value == 0 {
            return Ok(());
        }
        let role = functions.role(kind, value);
        let name = functions.name(value).map_or_else(|| format!("function {value}"), str::to_owned);
        let role = role.ok_or_else(|| line.bad(format!("the file .pcf has no name for {name} of MPI")))?;
        if role == Role::Refused {
            let problem = format!(
                "{name} cannot be replayed from Paraver; `mpirage run --trace FILE.mpirage` records it"
            );
            return Err(line.bad(problem));
        }
        let (described, sizes) = self.early[task];
        let sizes = if described == time { sizes } else { Sizes::default() };
        self.early[task].0 = u64::MAX;
        self.open[task] = Some(Region { role, enter: time, leave: time, at: line.at, sizes });
        Ok(())
    }

    /// Something about the collective that begins now; its own event may come before or afterwards.
    fn describe(&mut self, task: usize, time: u64, (kind, value): (u64, u64)) {
        let sizes = match &mut self.open[task] {
            Some(region) if region.enter == time && matches!(region.role, Role::Collective { .. }) => {
                &mut region.sizes
            }
            _ => {
                let (described, sizes) = &mut self.early[task];
                if *described != time {
                    (*described, *sizes) = (time, Sizes::default());
                }
                sizes
            }
        };
        match kind {
            SENT => sizes.sent = value,
            RECEIVED => sizes.received = value,
            ROOT => sizes.is_root = value == 1,
            _ => sizes.comm = value,
        }
    }

    fn message(&mut self, line: &Line<'_>, head: &Head) -> Result<(), TraceError> {
        let mut fields = line.fields();
        fields.next();
        let (from, _) = object(line, &mut fields, head)?;
        let sent = time(&mut fields, head)?;
        fields.next();
        let (to, _) = object(line, &mut fields, head)?;
        let received = [time(&mut fields, head)?, time(&mut fields, head)?];
        let bytes: u64 = fields.whole("the size")?;
        let tag: i64 = fields.whole("the tag")?;
        let tag = i32::try_from(tag).map_err(|_| line.bad(format!("{tag} is too large a tag")))?;
        let (from, to) = (from as u32, to as u32);
        self.messages.push(PrvMessage { from, to, bytes, tag: tag.max(0), sent, received, at: line.at });
        Ok(())
    }

    /// Messages that `end` says belong to a task.
    pub(super) fn of(&self, task: u32, end: impl Fn(&PrvMessage) -> u32) -> Vec<PrvMessage> {
        self.messages.iter().filter(|message| end(message) == task).copied().collect()
    }

    /// The roots of collectives: by the place of their communicator and their number among its collectives with a root.
    pub(super) fn roots(&self, head: &Head) -> HashMap<(u64, u64), u32> {
        let mut roots = HashMap::new();
        for (task, regions) in (0..).zip(&self.tasks) {
            let mut counts: HashMap<u64, u64> = HashMap::new();
            for Region { role, sizes, .. } in regions {
                if !matches!(role, Role::Collective { kind, .. } if has_root(*kind)) {
                    continue;
                }
                let count = counts.entry(sizes.comm).or_default();
                if sizes.is_root {
                    let members = &head.communicators[sizes.comm as usize];
                    let root = members.iter().position(|&member: &u32| member == task).unwrap_or(0);
                    roots.insert((sizes.comm, *count), root as u32);
                }
                *count += 1;
            }
        }
        roots
    }
}

/// Does this collective have a root?
pub(super) fn has_root(kind: Collective) -> bool {
    use Collective as C;
    matches!(kind, C::Bcast | C::Gather | C::Gatherv | C::Scatter | C::Scatterv | C::Reduce)
}

/// Processor, application, task and thread: the task, from 0 on, and the thread.
fn object(line: &Line<'_>, fields: &mut Fields<'_>, head: &Head) -> Result<(usize, u32), TraceError> {
    fields.next();
    fields.next();
    let task: u32 = fields.whole("the task")?;
    if task == 0 || task > head.tasks {
        return Err(line.bad(format!("there is no task {task}: the trace has {}", head.tasks)));
    }
    Ok((task as usize - 1, fields.whole("the thread")?))
}

/// A time in nanoseconds.
fn time(fields: &mut Fields<'_>, head: &Head) -> Result<u64, TraceError> {
    let time: i64 = fields.whole("the time")?;
    Ok(time.unsigned_abs().saturating_mul(head.unit))
}
