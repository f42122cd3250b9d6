//! The machine as Paraver sees it, and `.row`: names of processors, nodes and ranks.

use std::io::{self, Write};

use crate::lanes::Lanes;
use crate::text::fields;
use crate::threads::Threads;
use mpirage_interpret::RunInfo;

/// Nodes, their processors, and the ranks on them. A node is a host that has ranks.
pub(super) struct Machine {
    node_of_rank: Vec<u32>,
    /// How each rank is called in lines: processor (numbered from 1 over all nodes), application, task.
    whos: Vec<u8>,
    /// Where in `whos` each rank ends.
    ends: Vec<u32>,
    cpus: Vec<u32>,
    names: Vec<String>,
}

impl Machine {
    /// The ranks of a host are dealt out to its processors, in turns if there are too few.
    pub fn of(run: &RunInfo) -> Machine {
        let (hosts, node_of_rank) = run.used_hosts();
        let hosts = hosts.into_iter().map(|host| run.platform.host(host));
        let (cpus, names): (Vec<u32>, Vec<String>) = hosts.map(|host| (host.cores, host.name())).unzip();
        let firsts: Vec<u32> = cpus
            .iter()
            .scan(0, |next, count| {
                *next += count;
                Some(*next - count)
            })
            .collect();
        let mut placed = vec![0; cpus.len()];
        let cpu = |&node: &u32| {
            let node = node as usize;
            placed[node] += 1;
            firsts[node] + (placed[node] - 1) % cpus[node] + 1
        };
        let (mut whos, mut ends) = (Vec::new(), Vec::new());
        for (cpu, task) in node_of_rank.iter().map(cpu).zip(1..) {
            fields(&mut whos, [u64::from(cpu), 1, task]);
            ends.push(whos.len() as u32);
        }
        Machine { node_of_rank, whos, ends, cpus, names }
    }

    pub fn ranks(&self) -> u32 {
        self.node_of_rank.len() as u32
    }

    pub fn nodes(&self) -> usize {
        self.names.len()
    }

    /// How many processors a node has.
    pub fn cpus(&self, node: usize) -> u32 {
        self.cpus[node]
    }

    /// The node of a rank, from 0.
    pub fn node(&self, rank: u32) -> u32 {
        self.node_of_rank[rank as usize]
    }

    /// How a rank is called in lines, up to the thread: `:cpu:1:task`.
    #[inline]
    pub fn who(&self, rank: u32) -> &[u8] {
        let rank = rank as usize;
        let start = if rank == 0 { 0 } else { self.ends[rank - 1] };
        &self.whos[start as usize..self.ends[rank] as usize]
    }
}

/// Writes the names of everything, level by level.
pub(super) fn write_row(
    out: &mut dyn Write,
    machine: &Machine,
    threads: &Threads,
    lanes: &Lanes,
) -> io::Result<()> {
    writeln!(out, "LEVEL CPU SIZE {}", machine.cpus.iter().sum::<u32>())?;
    for (name, &cpus) in machine.names.iter().zip(&machine.cpus) {
        for cpu in 1..=cpus {
            writeln!(out, "{cpu}.{name}")?;
        }
    }
    writeln!(out, "\nLEVEL NODE SIZE {}", machine.names.len())?;
    for name in &machine.names {
        writeln!(out, "{name}")?;
    }
    let ranks = machine.ranks();
    writeln!(out, "\nLEVEL TASK SIZE {ranks}")?;
    for rank in 0..ranks {
        writeln!(out, "rank {rank}")?;
    }
    let rows = |rank| 1 + u64::from(threads.further(rank)) + u64::from(lanes.count(rank));
    writeln!(out, "\nLEVEL THREAD SIZE {}", (0..ranks).map(rows).sum::<u64>())?;
    for rank in 0..ranks {
        writeln!(out, "rank {rank}")?;
        for thread in 1..=threads.further(rank) {
            writeln!(out, "rank {rank} thread {thread}")?;
        }
        for lane in 1..=lanes.count(rank) {
            writeln!(out, "rank {rank} beside {lane}")?;
        }
    }
    Ok(())
}
