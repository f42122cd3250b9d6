//! The first line of a trace, and its communicators.
//!
//! ```text
//! #Paraver (19/11/26 at 11:00):5000_ns:2(4,4):1:3(1:1,1:1,1:2),2
//! c:1:1:3:1:2:3
//! ```

use std::collections::HashMap;

use crate::dim::Line;
use crate::error::TraceError;

/// What stands before the records.
#[derive(Debug, Default)]
pub(super) struct Head {
    pub tasks: u32,
    /// Nanoseconds of a unit of time.
    pub unit: u64,
    /// Members of communicators, from task 0 on.
    pub communicators: Vec<Vec<u32>>,
    /// The place of each communicator in `communicators`, by its number in the file.
    pub by_id: HashMap<u64, u32>,
}

impl Head {
    /// The first line.
    pub(super) fn read(line: &Line<'_>) -> Result<Head, TraceError> {
        let text = std::str::from_utf8(line.text).map_err(|_| bad(line))?;
        let (_, rest) = text.split_once("):").ok_or_else(|| bad(line))?;
        let mut parts = rest.splitn(4, ':');
        let mut part = || parts.next().ok_or_else(|| bad(line));
        let (end, _, applications, tasks) = (part()?, part()?, part()?, part()?);
        if applications != "1" {
            return Err(
                line.bad(format!("it has {applications} applications; only traces of one can be replayed"))
            );
        }
        let unit = match end.split_once('_') {
            Some((_, "ns")) => 1,
            None | Some((_, "us")) => 1000,
            Some((_, other)) => return Err(line.bad(format!("times are in {other}; ns and us are known"))),
        };
        let tasks = tasks.split('(').next().and_then(|tasks| tasks.parse().ok()).filter(|&tasks| tasks > 0);
        let tasks = tasks.ok_or_else(|| bad(line))?;
        Ok(Head { tasks, unit, ..Head::default() })
    }

    /// A line `c:application:number:size:task…`, with tasks from 1 on.
    pub(super) fn communicator(&mut self, line: &Line<'_>) -> Result<(), TraceError> {
        let mut fields = line.fields();
        fields.next();
        fields.next();
        let number: u32 = fields.whole("the number of the communicator")?;
        let size: u32 = fields.whole("the size of the communicator")?;
        let mut members = Vec::new();
        for _ in 0..size {
            let task: u32 = fields.whole("a task of the communicator")?;
            if task == 0 || task > self.tasks || members.contains(&(task - 1)) {
                return Err(line.bad(format!("task {task} does not exist, or is there twice")));
            }
            members.push(task - 1);
        }
        if members.is_empty() {
            return Err(line.bad("the communicator has no tasks"));
        }
        self.by_id.insert(number.into(), self.communicators.len() as u32);
        self.communicators.push(members);
        Ok(())
    }

    /// Is it the communicator of all tasks, in order?
    pub(super) fn is_world(&self, members: &[u32]) -> bool {
        members.iter().copied().eq(0..self.tasks)
    }

    /// The place of a communicator, which the task is to be in. Zero stands for all tasks.
    pub(super) fn place_of(&mut self, line: &Line<'_>, id: u64, task: u32) -> Result<u32, TraceError> {
        let known = self.by_id.get(&id).copied();
        let known = known.filter(|&place| self.communicators[place as usize].contains(&task));
        match known {
            Some(place) => Ok(place),
            None if id == 0 => {
                self.by_id.insert(0, self.communicators.len() as u32);
                self.communicators.push((0..self.tasks).collect());
                Ok(self.by_id[&0])
            }
            None => Err(line.bad(format!("task {} is in no communicator {id}", task + 1))),
        }
    }
}

fn bad(line: &Line<'_>) -> TraceError {
    line.bad("this is no header; it should look like #Paraver (date):<end>_ns:<nodes>(<cpus>):1:<tasks>(<threads>:<node>,...),<communicators>")
}
