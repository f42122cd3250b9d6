//! The head of a file, and what a replay has to know of the records before it reads the first.
//!
//! The record of a collective says whether its task is the root, not which task is. So a first pass over the file collects the
//! roots, one entry for each change of root. It also finds where the records of each task begin, if the file has no table.

use std::collections::HashMap;

use super::text::Line;
use crate::error::{TraceError, TracePlace};
use crate::source::{Source, Window};

/// How much is read at a time when the file is read from end to end.
const CHUNK: usize = 1 << 18;

/// Number of a wait for a collective among the ways to synchronise.
pub(super) const WAIT: u32 = 2;

/// The contents of the head, known before the first record is read.
#[derive(Debug, Default)]
pub(super) struct Head {
    pub tasks: u32,
    pub communicators: Vec<Communicator>,
    /// The place of each communicator in `communicators`, by its number in the file.
    pub by_id: HashMap<i64, u32>,
    /// Where the records of each task begin; none for a task without any.
    pub starts: Vec<Option<u64>>,
}

/// A group of tasks.
#[derive(Debug, Default)]
pub(super) struct Communicator {
    pub members: Vec<u32>,
    /// The rank of each task, by task; empty if all tasks are in it in order.
    ranks: Vec<(u32, u32)>,
    /// The roots of its rooted collectives: `(first, behind the last, rank)`, by the collectives' numbers, in order.
    roots: Vec<(u64, u64, u32)>,
}

impl Communicator {
    fn new(members: Vec<u32>, tasks: u32) -> Communicator {
        let mut ranks = Vec::new();
        if !members.iter().copied().eq(0..tasks) {
            ranks = members.iter().copied().zip(0..).collect();
            ranks.sort_unstable();
        }
        Communicator { members, ranks, roots: Vec::new() }
    }

    /// Does it hold every task, in order?
    pub fn is_world(&self) -> bool {
        self.ranks.is_empty()
    }

    /// The rank of a task.
    pub fn rank_of(&self, task: u32) -> Option<u32> {
        if self.is_world() {
            return ((task as usize) < self.members.len()).then_some(task);
        }
        let place = self.ranks.binary_search_by_key(&task, |&(task, _)| task).ok()?;
        Some(self.ranks[place].1)
    }

    /// The root of the n-th of its collectives that have one; rank 0 if the file names none.
    pub fn root(&self, nth: u64) -> u32 {
        let after = self.roots.partition_point(|&(first, ..)| first <= nth);
        match after.checked_sub(1).map(|place| self.roots[place]) {
            Some((_, behind, rank)) if nth < behind => rank,
            _ => 0,
        }
    }
}

/// Does this collective of Dimemas have a root?
pub(super) fn has_root(operation: u32) -> bool {
    matches!(operation, 1..=5 | 10)
}

impl Head {
    /// Reads the file from end to end.
    pub fn read(source: &Source) -> Result<Head, TraceError> {
        let mut window = Window::default();
        let Some(first) = Line::next(&mut window, source, CHUNK)? else {
            return Err(TraceError::bad(source.name(), TracePlace::File, "it is empty"));
        };
        let (mut head, table) = first_line(&first)?;
        let mut scan = Scan { table, ..Scan::default() };
        while let Some(line) = Line::next(&mut window, source, CHUNK)? {
            scan.line(&line, &mut head)?;
        }
        for communicator in &mut head.communicators {
            communicator.roots.sort_unstable();
        }
        Ok(head)
    }
}

/// `#DIMEMAS:"name":1,000000000186:2(1,1),1` and what the offset of the table is, if there is one.
fn first_line(line: &Line<'_>) -> Result<(Head, bool), TraceError> {
    let bad = || {
        line.bad("this is no header; it should look like #DIMEMAS:\"name\":1,<offset>:<tasks>(1,1,...),<communicators>")
    };
    let text = std::str::from_utf8(line.text).map_err(|_| bad())?;
    let rest = text.strip_prefix("#DIMEMAS:").ok_or_else(bad)?;
    let rest = match rest.strip_prefix('"') {
        Some(quoted) => {
            quoted.split_once('"').and_then(|(_, rest)| rest.strip_prefix(':')).ok_or_else(bad)?
        }
        None => rest.split_once(':').ok_or_else(bad)?.1,
    };
    let (offsets, rest) = rest.split_once(':').ok_or_else(bad)?;
    let (tasks, rest) = rest.split_once('(').ok_or_else(bad)?;
    let (threads, _) = rest.split_once(')').ok_or_else(bad)?;
    let tasks: u32 = tasks.trim().parse().map_err(|_| bad())?;
    let mut count = 0;
    for threads in threads.split(',') {
        if threads.trim() != "1" {
            return Err(line.bad(format!(
                "task {count} has {} threads, but only tasks of one thread can be replayed; trace without OpenMP",
                threads.trim()
            )));
        }
        count += 1;
    }
    if count != tasks || tasks == 0 {
        return Err(line.bad(format!("{tasks} tasks are announced and {count} are listed")));
    }
    let head = Head { tasks, starts: vec![None; tasks as usize], ..Head::default() };
    Ok((head, offsets.trim().starts_with('1')))
}

/// The state of a reading from end to end.
#[derive(Default)]
struct Scan {
    /// Is there a table of offsets?
    table: bool,
    /// The task whose records these are.
    task: Option<u32>,
    /// For each communicator, how many collectives with a root the task has been in so far.
    rooted: Vec<u64>,
}

impl Scan {
    fn line(&mut self, line: &Line<'_>, head: &mut Head) -> Result<(), TraceError> {
        match line.text {
            [] => Ok(()),
            [b'd', b':', ..] => define(line, head),
            [b's', b':', ..] => self.offset(line, head),
            [b'0'..=b'9', ..] => self.record(line, head),
            _ => Err(line.bad("this is neither a communicator (d:) nor a record nor an offset (s:)")),
        }
    }

    /// `s:0:50`
    fn offset(&mut self, line: &Line<'_>, head: &mut Head) -> Result<(), TraceError> {
        let mut fields = line.fields();
        fields.next();
        let task: u32 = fields.whole("the task")?;
        let offset: u64 = fields.whole("the offset")?;
        let start = head.starts.get_mut(task as usize);
        let start = start.ok_or_else(|| line.bad(format!("there is no task {task}")))?;
        match *start {
            Some(found) if found != offset && self.table => Err(line.bad(format!(
                "the records of task {task} begin at byte {found}: the offset is wrong, the file was changed"
            ))),
            _ => Ok(()),
        }
    }

    fn record(&mut self, line: &Line<'_>, head: &mut Head) -> Result<(), TraceError> {
        let mut fields = line.fields();
        let kind: u32 = fields.whole("the kind of record")?;
        let task: u32 = fields.whole("the task")?;
        if self.task != Some(task) {
            self.begin(line, head, task)?;
        }
        if kind == 10 {
            fields.next();
            let operation: u32 = fields.whole("the operation")?;
            let comm: i64 = fields.whole("the communicator")?;
            let is_root: u32 = fields.whole("whether it is the root")?;
            let waits = fields.left() == 4 && line.text.ends_with(b":2");
            if has_root(operation) && !waits {
                self.rooted(line, head, task, comm, is_root == 1)?;
            }
        }
        Ok(())
    }

    /// The records of another task begin.
    fn begin(&mut self, line: &Line<'_>, head: &mut Head, task: u32) -> Result<(), TraceError> {
        let start = head.starts.get_mut(task as usize);
        let start = start.ok_or_else(|| line.bad(format!("there is no task {task}")))?;
        if start.is_some() {
            return Err(line.bad(format!("the records of task {task} are not together; sort them by task")));
        }
        *start = Some(line.at);
        self.task = Some(task);
        self.rooted.clear();
        Ok(())
    }

    /// A collective with a root.
    fn rooted(
        &mut self,
        line: &Line<'_>,
        head: &mut Head,
        task: u32,
        comm: i64,
        is_root: bool,
    ) -> Result<(), TraceError> {
        let Some(&place) = head.by_id.get(&comm) else {
            return Err(line.bad(format!("there is no communicator {comm}")));
        };
        let place = place as usize;
        self.rooted.resize(self.rooted.len().max(place + 1), 0);
        let nth = self.rooted[place];
        self.rooted[place] += 1;
        let communicator = &mut head.communicators[place];
        if let (true, Some(rank)) = (is_root, communicator.rank_of(task)) {
            match communicator.roots.last_mut() {
                Some((_, behind, root)) if *behind == nth && *root == rank => *behind += 1,
                _ => communicator.roots.push((nth, nth + 1, rank)),
            }
        }
        Ok(())
    }
}

/// `d:1:1:2:0:1`: communicator 1 of 2 tasks.
fn define(line: &Line<'_>, head: &mut Head) -> Result<(), TraceError> {
    let mut fields = line.fields();
    fields.next();
    let kind: u32 = fields.whole("the kind of object")?;
    if kind != 1 {
        return Ok(());
    }
    let id: i64 = fields.whole("the communicator")?;
    let size: usize = fields.whole("its size")?;
    let mut members = Vec::with_capacity(size.min(head.tasks as usize));
    for _ in 0..size {
        let task: u32 = fields.whole("a task of the communicator")?;
        if task >= head.tasks {
            return Err(line.bad(format!("there is no task {task}")));
        }
        members.push(task);
    }
    let mut sorted = members.clone();
    sorted.sort_unstable();
    if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(line.bad("a task is in it twice"));
    }
    if head.by_id.insert(id, head.communicators.len() as u32).is_some() {
        return Err(line.bad(format!("communicator {id} is defined twice")));
    }
    head.communicators.push(Communicator::new(members, head.tasks));
    Ok(())
}
