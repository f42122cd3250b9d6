//! Looks at a run while it goes on: the data of its page so far.
//!
//! Whoever shows the page asks; the thread of the run answers when it next looks around. As long as nobody asks, a run pays nothing.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use mpirage_rank::SoFar;
use mpirage_record::Summary;
use mpirage_report::{Container, Ending, Report};
use serde_json::json;

use crate::figures::{Efficiency, Figures};

/// The time between two answers: at least this, and so many times what the last one took.
const LEAST_REST: Duration = Duration::from_millis(500);
const REST: u32 = 20;

/// The outcome of a run that goes on.
const RUNNING: &str = "running";

/// What is known of a run that goes on, between the thread that knows it and those that show it.
#[derive(Debug, Default)]
pub struct Live {
    wanted: AtomicBool,
    latest: Mutex<Option<Look>>,
}

/// The data of the page of a run at some moment.
#[derive(Clone, Debug)]
pub struct Look {
    /// Counts the looks from 1.
    pub number: u64,
    /// The data.
    pub data: Arc<Container>,
    /// Is it the last look?
    pub ended: bool,
}

impl Live {
    /// The latest look. Asks for a newer one.
    pub fn look(&self) -> Option<Look> {
        self.wanted.store(true, Ordering::Relaxed);
        self.latest.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Shows the run as it is now, or the run that has ended.
    pub(crate) fn show(&self, mut data: Container, so_far: Option<SoFar>) {
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        let number = latest.as_ref().map_or(0, |look| look.number) + 1;
        if let Some(SoFar { ended, share, .. }) = so_far {
            data.set("live", json!({"number": number, "ended": ended, "share": share}));
        }
        *latest = Some(Look { number, data: Arc::new(data), ended: so_far.is_none() });
    }
}

/// Answers those who want to look at a run.
pub(crate) struct Onlooker {
    pub live: Arc<Live>,
    pub report: Rc<RefCell<Report>>,
    pub summary: Rc<RefCell<Summary>>,
    /// What is known of the run from its start.
    pub known: Figures,
    pub started: Instant,
    pub next: Instant,
}

impl Onlooker {
    /// The run has come so far. Does nothing if nobody has asked.
    pub fn progress(&mut self, so_far: SoFar) {
        let now = Instant::now();
        if now < self.next || !self.live.wanted.swap(false, Ordering::Relaxed) {
            return;
        }
        self.live.show(self.data(so_far), Some(so_far));
        self.next = Instant::now() + LEAST_REST.max(now.elapsed() * REST);
    }

    fn data(&self, so_far: SoFar) -> Container {
        let summary = self.summary.borrow();
        let figures = Figures {
            outcome: RUNNING.to_owned(),
            simulated_seconds: so_far.simulated,
            efficiency: Efficiency::of(&summary, self.known.ranks, so_far.simulated),
            wall_seconds: self.started.elapsed().as_secs_f64(),
            messages: summary.messages,
            bytes: summary.bytes,
            calls: summary.calls,
            ..self.known.clone()
        };
        let warnings = figures.warnings.iter().map(|text| (text.clone(), "warning")).collect();
        let ending = Ending {
            figures: serde_json::to_value(figures).unwrap_or_default(),
            outcome: "The run goes on.".to_owned(),
            warnings,
            ..Ending::default()
        };
        self.report.borrow().so_far(&ending)
    }
}

/// A watch through which an onlooker learns of progress.
pub(crate) struct Watched<'a, W: ?Sized> {
    pub inner: &'a mut W,
    pub onlooker: Option<Onlooker>,
}

impl mpirage_rank::Watch for Watched<'_, dyn mpirage_rank::Watch + '_> {
    fn progress(&mut self, so_far: SoFar) {
        self.inner.progress(so_far);
        self.onlooker.iter_mut().for_each(|onlooker| onlooker.progress(so_far));
    }

    fn loaded(&mut self, ranks: &mut mpirage_rank::Ranks) {
        self.inner.loaded(ranks);
    }

    fn output(&mut self, rank: u32) -> Box<dyn std::io::Write + '_> {
        self.inner.output(rank)
    }

    fn slow_rank(&mut self, rank: u32, seconds: f64, place: Option<&str>) {
        self.inner.slow_rank(rank, seconds, place);
    }
}

impl crate::replay::Watch for Watched<'_, dyn crate::replay::Watch + '_> {
    fn progress(&mut self, so_far: SoFar) -> bool {
        self.onlooker.iter_mut().for_each(|onlooker| onlooker.progress(so_far));
        self.inner.progress(so_far)
    }
}
