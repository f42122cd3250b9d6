//! Tables of a packet-level network: queues and connections over time, and their sums.

use std::io;

use mpirage_kernel::{ConnectionCounts, ConnectionHistory, NetworkHistory, QueueHistory, QueueSample};

use super::table::{Cell, Pool, Sheet, Table};
use super::{Tables, layout};
use crate::TimelineError;

impl<S: Sheet> Tables<S> {
    /// Makes the tables of the network.
    pub(super) fn take_network(&mut self, history: &NetworkHistory) -> Result<(), TimelineError> {
        let table = |layout| Table::<S>::create(&self.folder, layout, &self.run);
        let mut queues = table(layout::QUEUES)?;
        let mut links = table(layout::LINK_TOTALS)?;
        let mut connections = table(layout::CONNECTIONS)?;
        let mut totals = table(layout::CONNECTION_TOTALS)?;
        let written = self.fill_queues(history, &mut queues, &mut links).and_then(|()| {
            history.connections.iter().try_for_each(|connection| {
                fill_connection(connection, &mut connections, &mut totals, &self.pool)
            })
        });
        written.map_err(|error| TimelineError::io(&self.folder, error))?;
        self.network = vec![queues, links, connections, totals];
        Ok(())
    }

    fn fill_queues(
        &mut self,
        history: &NetworkHistory,
        queues: &mut Table<S>,
        links: &mut Table<S>,
    ) -> io::Result<()> {
        for queue in &history.queues {
            let link = self.run.platform.link(queue.totals.link);
            let name = Cell::text(self.pool.add(&link.name()));
            links.push(link_totals(name, link.bandwidth, queue), &self.pool)?;
            let mut before = QueueSample::default();
            for sample in &queue.samples {
                queues.push(queue_row(name, sample, &before), &self.pool)?;
                before = *sample;
            }
        }
        Ok(())
    }
}

fn queue_row(link: Cell, sample: &QueueSample, before: &QueueSample) -> [Cell; 9] {
    let since = |count: fn(&QueueSample) -> u64| Cell::count(count(sample) - count(before));
    [
        link,
        Cell::time(sample.at),
        Cell::count(sample.waiting),
        Cell::count(sample.left),
        since(|sample| sample.frames),
        since(|sample| sample.bytes),
        since(|sample| sample.dropped),
        since(|sample| sample.lost),
        since(|sample| sample.marked),
    ]
}

fn link_totals(name: Cell, bandwidth: f64, queue: &QueueHistory) -> [Cell; 8] {
    let totals = &queue.totals;
    let [frames, bytes, dropped, lost, marked, most_waiting] =
        [totals.frames, totals.bytes, totals.dropped, totals.lost, totals.marked, totals.most_waiting]
            .map(Cell::count);
    [name, Cell::real(bandwidth), frames, bytes, dropped, lost, marked, most_waiting]
}

fn fill_connection<S: Sheet>(
    connection: &ConnectionHistory,
    samples: &mut Table<S>,
    totals: &mut Table<S>,
    pool: &Pool,
) -> io::Result<()> {
    let &ConnectionHistory { number, source, target, .. } = connection;
    let [number, source, target] = [number, source, target].map(Cell::number);
    let [segments, again, fast, timeouts, duplicates, closed, spurious] = counts(&connection.totals);
    totals.push(
        [number, source, target, segments, again, fast, timeouts, duplicates, closed, spurious],
        pool,
    )?;
    let mut before = 0;
    for sample in &connection.samples {
        let again = sample.retransmissions - before;
        before = sample.retransmissions;
        let row = [
            number,
            source,
            target,
            Cell::time(sample.at),
            Cell::count(sample.window),
            Cell::count(sample.threshold),
            Cell::real(sample.round_trip),
            Cell::count(sample.in_flight),
            Cell::count(again),
        ];
        samples.push(row, pool)?;
    }
    Ok(())
}

fn counts(totals: &ConnectionCounts) -> [Cell; 7] {
    let &ConnectionCounts {
        segments,
        retransmissions,
        fast_retransmits,
        timeouts,
        duplicate_acks,
        zero_windows,
        spurious,
    } = totals;
    [segments, retransmissions, fast_retransmits, timeouts, duplicate_acks, zero_windows, spurious]
        .map(Cell::count)
}
