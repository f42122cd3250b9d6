//! Tables for pandas, polars, DuckDB and spreadsheets: a folder with one file per table.
//!
//! | table | a row is |
//! |---|---|
//! | `messages` | a message, those inside collectives included |
//! | `calls` | a call of a rank |
//! | `computations` | a stretch of computation |
//! | `collectives` | a rank that enters a collective, and how it is done |
//! | `links` | a link in a stretch of time |
//! | `ranks` | a rank and its sums |
//! | `queues` | the queue of a link at an instant (`--model packet`) |
//! | `connections` | a direction of a connection at an instant (the same) |
//! | `link_totals`, `connection_totals` | a link, or a direction of a connection, and its sums (the same) |
//!
//! Times are seconds. Rows are collected and written in batches; `ranks` appears last.

mod csv_sheet;
mod layout;
mod network;
#[cfg(feature = "parquet")]
mod parquet_sheet;
mod sums;
mod table;

pub(crate) use csv_sheet::Csv;
#[cfg(feature = "parquet")]
pub(crate) use parquet_sheet::Parquet;

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

use mpirage_call::{ContextId, Stamp, Work};
use mpirage_files::SealedFile;
use mpirage_kernel::NetworkHistory;
use mpirage_record::{Details, MessageRecord, Record, Recorder, Scope, Writer};
use mpirage_units::Time;

use crate::TimelineError;
use crate::error::Trouble;
use crate::threads::Threads;
use mpirage_interpret::CallSites;
use mpirage_interpret::arguments::Arguments;
use mpirage_interpret::comms::Comms;
use mpirage_interpret::function::functions;
use mpirage_interpret::{LinkUse, RunInfo};
use sums::Sums;
use table::{Cell, Pool, Sheet, Table};

/// Writes tables with sheets of some kind.
pub(crate) struct Tables<S: Sheet> {
    folder: PathBuf,
    run: RunInfo,
    messages: Table<S>,
    calls: Table<S>,
    computations: Table<S>,
    collectives: Table<S>,
    pool: Pool,
    comms: Comms,
    places: CallSites,
    /// Where in the pool the names of places are.
    place_names: Vec<u32>,
    threads: Threads,
    sums: Vec<Sums>,
    links: LinkUse,
    /// The tables of the network, if it was recorded.
    network: Vec<Table<S>>,
    finished: bool,
    trouble: Trouble,
}

impl<S: Sheet> Tables<S> {
    pub fn create(folder: &Path, run: &RunInfo) -> Result<Tables<S>, TimelineError> {
        if folder.is_file() {
            return Err(TimelineError::NotAFolder { folder: folder.to_owned() });
        }
        let table = |layout| Table::create(folder, layout, run);
        Ok(Tables {
            messages: table(layout::MESSAGES)?,
            calls: table(layout::CALLS)?,
            computations: table(layout::COMPUTATIONS)?,
            collectives: table(layout::COLLECTIVES)?,
            // Functions come first, so that their names are found by index.
            pool: Pool::of(functions().map(|function| function.name)),
            comms: Comms::new(run.ranks()),
            places: CallSites::new(run.sites.clone()),
            place_names: vec![0],
            threads: Threads::default(),
            sums: vec![Sums::default(); run.placement.len()],
            links: LinkUse::new(run),
            network: Vec::new(),
            folder: folder.to_owned(),
            run: run.clone(),
            finished: false,
            trouble: Trouble::default(),
        })
    }

    fn call(
        &mut self,
        rank: u32,
        index: u16,
        span: [Time; 2],
        site: u64,
        details: Option<&Details<'_>>,
        returned: bool,
    ) -> io::Result<()> {
        let place = self.place(rank, site);
        let arguments =
            details.map_or_else(Arguments::default, |details| Arguments::of(rank, details, &self.comms));
        self.sums[rank as usize].call(span);
        let function = if usize::from(index) < functions().len() { u32::from(index) + 1 } else { 0 };
        let row = [
            Cell::number(rank),
            Cell::text(function),
            Cell::time(span[0]),
            Cell::time(span[1]),
            Cell::number(arguments.peer),
            Cell::count(arguments.sent),
            Cell::count(arguments.received),
            Cell::int(arguments.tag.map(i64::from)),
            Cell::number(arguments.context.map(ContextId::get)),
            Cell::text(place),
            Cell::int(i64::from(returned)),
            Cell::number(self.threads.current(rank)),
        ];
        self.calls.push(row, &self.pool)
    }

    /// Where the name of the place of a call is in the pool.
    fn place(&mut self, rank: u32, site: u64) -> u32 {
        let number = self.places.number(rank, site) as usize;
        if number == self.place_names.len() {
            self.place_names.push(self.pool.add(&self.places.names()[number - 1]));
        }
        self.place_names[number]
    }

    fn burst(&mut self, rank: u32, span: [Time; 2], work: Work, beside: bool) -> io::Result<()> {
        self.sums[rank as usize].burst(span, beside);
        let (flops, nanos) = match work {
            Work::Flops(flops) | Work::Roofline { flops, .. } => (Cell::real(flops), Cell::count(None)),
            Work::Nanos(nanos) => (Cell::real(None), Cell::count(nanos)),
            Work::Threads(burst) => (Cell::real(None), Cell::count(burst.nanos())),
        };
        let [start, end] = span.map(Cell::time);
        let (beside, thread) = (Cell::int(i64::from(beside)), Cell::number(self.threads.current(rank)));
        let row = [Cell::number(rank), start, end, flops, nanos, beside, thread];
        self.computations.push(row, &self.pool)
    }

    fn message(&mut self, message: &MessageRecord) -> io::Result<()> {
        let &MessageRecord { from, to, bytes, tag, scope, sent, departed, arrived, delivered, .. } = message;
        self.sums[from as usize].sent(bytes);
        self.sums[to as usize].received(bytes, message.unexpected);
        let (comm, collective) = match scope {
            Scope::Comm(context) => (Cell::number(context.get()), Cell::count(None)),
            Scope::Collective(number) => (Cell::number(None), Cell::count(number)),
        };
        let [sent, departed, arrived, delivered] = [sent, departed, arrived, delivered].map(Cell::time);
        let (bytes, tag) = (Cell::count(bytes), Cell::int(i64::from(tag)));
        let row = [
            Cell::number(from),
            Cell::number(to),
            bytes,
            tag,
            comm,
            collective,
            sent,
            departed,
            arrived,
            delivered,
            Cell::int(i64::from(message.unexpected)),
        ];
        self.messages.push(row, &self.pool)
    }

    fn take(&mut self, record: &Record<'_>) -> io::Result<()> {
        match *record {
            Record::Call { rank, function, entered, left, site, ref details } => {
                self.call(rank, function, [entered, left], site, details.as_ref(), true)
            }
            Record::Burst { rank, start, end, work, beside } => self.burst(rank, [start, end], work, beside),
            Record::Pause { rank, start, end } => {
                self.sums[rank as usize].pause([start, end]);
                Ok(())
            }
            Record::Message(ref message) => {
                self.links.record(record);
                self.message(message)
            }
            Record::Comm { context, members } => {
                self.comms.add(context, members);
                Ok(())
            }
            Record::Schedule { rank, number, context, kind, method, entered, .. } => {
                let kind = Cell::text(self.pool.known(kind.name()));
                let algorithm = Cell::text(method.map_or(0, |method| self.pool.method(method)));
                let (comm, entered) = (Cell::number(context.get()), Cell::time(entered));
                let row = [Cell::count(number), Cell::number(rank), comm, kind, algorithm, entered];
                self.collectives.push(row, &self.pool)
            }
            Record::End { rank, at, blocked, .. } => {
                self.sums[rank as usize].end(at);
                match blocked {
                    Some((since, function, site)) => {
                        self.call(rank, function, [since, at], site, None, false)
                    }
                    None => Ok(()),
                }
            }
        }
    }

    fn complete(&mut self) -> Result<(), TimelineError> {
        self.trouble.check(&self.folder)?;
        if std::mem::replace(&mut self.finished, true) {
            return Ok(());
        }
        let mut links = Table::<S>::create(&self.folder, layout::LINKS, &self.run)?;
        let mut ranks = Table::<S>::create(&self.folder, layout::RANKS, &self.run)?;
        let written = self.fill_links(&mut links).and_then(|()| self.fill_ranks(&mut ranks));
        written.map_err(|error| TimelineError::io(&self.folder, error))?;
        let tables =
            [&mut self.messages, &mut self.calls, &mut self.computations, &mut self.collectives, &mut links];
        // All tables are complete before the first of them appears.
        let sealed: Vec<SealedFile> = tables
            .into_iter()
            .chain(&mut self.network)
            .chain([&mut ranks])
            .filter_map(|table| table.seal(&self.pool).transpose())
            .collect::<Result<_, _>>()?;
        let published = sealed.into_iter().try_for_each(SealedFile::publish);
        published.map_err(|error| TimelineError::io(&self.folder, error))
    }

    fn fill_links(&mut self, table: &mut Table<S>) -> io::Result<()> {
        let width = self.links.width();
        for used in self.links.used() {
            let link = self.run.platform.link(used.link);
            let name = self.pool.add(&link.name());
            for (start, end, bytes) in used.intervals(width) {
                let [start, end] = [start, end].map(Cell::time);
                let (bytes, bandwidth) = (Cell::real(bytes), Cell::real(link.bandwidth));
                table.push([Cell::text(name), start, end, bytes, bandwidth], &self.pool)?;
            }
        }
        Ok(())
    }

    fn fill_ranks(&mut self, table: &mut Table<S>) -> io::Result<()> {
        let (hosts, host_of_rank) = self.run.used_hosts();
        let names: Vec<u32> =
            hosts.iter().map(|&host| self.pool.add(&self.run.platform.host(host).name())).collect();
        for (rank, sums) in (0..).zip(&self.sums) {
            let name = names[host_of_rank[rank as usize] as usize];
            table.push(sums.row(rank, Cell::text(name)), &self.pool)?;
        }
        Ok(())
    }
}

impl<S: Sheet> Recorder for Tables<S> {
    fn record(&mut self, record: &Record<'_>) {
        if self.trouble.none() {
            let written = self.take(record);
            self.trouble.note(written);
        }
    }

    fn never_returned(&mut self, rank: u32, stamp: &Stamp, since: Time, until: Time) {
        if self.trouble.none() {
            let written = self.call(rank, stamp.function, [since, until], stamp.site, None, false);
            self.trouble.note(written);
        }
    }

    fn thread(&mut self, rank: u32, thread: u32) {
        self.threads.turn_to(rank, thread);
    }

    fn network(&mut self, history: &NetworkHistory) {
        if self.trouble.none() {
            let written = self.take_network(history).map_err(io::Error::other);
            self.trouble.note(written);
        }
    }

    fn wants_arguments(&self) -> bool {
        true
    }

    fn wants_network(&self) -> bool {
        true
    }
}

impl<S: Sheet> Writer for Tables<S> {
    fn finish(&mut self) -> Result<(), Box<dyn Error + Send + Sync>> {
        Ok(self.complete()?)
    }

    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests;
