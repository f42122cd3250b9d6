//! Jobs: programs that run beside each other on one machine, each with a world of its own.

use mpirage_call::RankId;
use mpirage_units::Time;

use crate::turn::Ending;

/// A job of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JobId(u32);

impl JobId {
    /// The job with this number.
    pub const fn new(number: u32) -> JobId {
        JobId(number)
    }

    /// Its number, as an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// One job.
#[derive(Debug)]
struct Job {
    /// One past its last rank.
    end: u32,
    /// Lines that have not ended.
    alive: usize,
    /// When something last happened in it, if there are other jobs.
    active: Time,
    /// How and when it ended.
    ending: Option<(Ending, Time)>,
}

impl Job {
    /// A job of so many ranks, the last of which is the one before `end`.
    fn new(end: u32, size: u32) -> Job {
        Job { end, alive: size as usize, active: Time::ZERO, ending: None }
    }
}

/// All jobs of a run. Their ranks follow each other.
#[derive(Debug)]
pub(crate) struct Jobs {
    jobs: Vec<Job>,
    /// Jobs that have not ended.
    running: usize,
    /// Jobs whose lines have all ended.
    idle: usize,
    /// Has a rank started a job? Then all are one program: what ends one ends all.
    connected: bool,
}

impl Jobs {
    /// Jobs with so many ranks each.
    pub(crate) fn new(sizes: &[u32]) -> Jobs {
        let mut end = 0;
        let job = |&size: &u32| {
            end += size;
            Job::new(end, size)
        };
        Jobs { jobs: sizes.iter().map(job).collect(), running: sizes.len(), idle: 0, connected: false }
    }

    /// A rank starts a job. Returns the first rank of it.
    pub(crate) fn add(&mut self, size: u32) -> RankId {
        let first = self.ranks();
        self.jobs.push(Job::new(first + size, size));
        self.running += 1;
        self.connected = true;
        RankId::new(first)
    }

    /// How many ranks all jobs have.
    pub(crate) fn ranks(&self) -> u32 {
        self.jobs.last().map_or(0, |job| job.end)
    }

    /// The job of a rank.
    pub(crate) fn of(&self, rank: RankId) -> JobId {
        if self.jobs.len() == 1 {
            return JobId(0);
        }
        JobId(self.jobs.partition_point(|job| job.end <= rank.get()) as u32)
    }

    /// Have all jobs ended?
    #[inline]
    pub(crate) fn are_over(&self) -> bool {
        self.running == 0
    }

    /// Have some jobs ended?
    #[inline]
    pub(crate) fn some_are_over(&self) -> bool {
        self.running < self.jobs.len()
    }

    /// Has the job of a rank ended? Then its ranks do nothing any more.
    #[inline]
    pub(crate) fn is_over(&self, rank: RankId) -> bool {
        self.some_are_over() && self.jobs[self.of(rank).index()].ending.is_some()
    }

    /// Are there several jobs?
    #[inline]
    pub(crate) fn are_several(&self) -> bool {
        self.jobs.len() > 1
    }

    /// Something happens in the job of a rank.
    pub(crate) fn note_activity(&mut self, rank: RankId, now: Time) {
        let job = self.of(rank);
        self.jobs[job.index()].active = now;
    }

    /// Nothing is under way any more. Each job that goes on has ended in a deadlock when something last happened in it.
    pub(crate) fn end_in_deadlock(&mut self, now: Time) {
        let apart = self.are_several() && !self.connected;
        for number in 0..self.jobs.len() as u32 {
            let at = if apart { self.jobs[number as usize].active } else { now };
            self.end_one(JobId(number), Ending::Deadlock, at);
        }
    }

    /// A line is added.
    pub(crate) fn add_line(&mut self, rank: RankId) {
        let job = self.of(rank);
        self.jobs[job.index()].alive += 1;
    }

    /// A line has ended.
    pub(crate) fn line_ended(&mut self, rank: RankId) {
        let job = self.of(rank);
        let alive = &mut self.jobs[job.index()].alive;
        *alive -= 1;
        self.idle += usize::from(*alive == 0);
    }

    /// Have all lines of some job ended?
    #[inline]
    pub(crate) fn some_are_idle(&self) -> bool {
        self.idle > 0
    }

    /// A job whose lines have all ended although it goes on, and its ranks.
    pub(crate) fn without_lines(&self) -> Option<(JobId, impl Iterator<Item = RankId> + use<>)> {
        let job = self.jobs.iter().position(|job| job.alive == 0 && job.ending.is_none())?;
        let start = job.checked_sub(1).map_or(0, |before| self.jobs[before].end);
        Some((JobId(job as u32), (start..self.jobs[job].end).map(RankId::new)))
    }

    /// A job ends now; the first reason counts. If it does not just finish, jobs that ranks started end with it.
    pub(crate) fn end(&mut self, job: JobId, ending: Ending, now: Time) {
        if self.connected && ending != Ending::Finished {
            self.end_all(&ending, now);
        } else {
            self.end_one(job, ending, now);
        }
    }

    fn end_one(&mut self, job: JobId, ending: Ending, now: Time) {
        let job = &mut self.jobs[job.index()];
        if job.ending.is_none() {
            job.ending = Some((ending, now));
            self.running -= 1;
        }
    }

    /// Every job that goes on ends now.
    pub(crate) fn end_all(&mut self, ending: &Ending, now: Time) {
        for number in 0..self.jobs.len() as u32 {
            self.end_one(JobId(number), ending.clone(), now);
        }
    }

    /// How and when a job has ended.
    pub(crate) fn ending(&self, job: JobId) -> Option<&(Ending, Time)> {
        self.jobs.get(job.index())?.ending.as_ref()
    }

    /// The number of jobs.
    pub(crate) fn count(&self) -> usize {
        self.jobs.len()
    }

    /// The endings of all jobs, so far as they have ended.
    pub(crate) fn endings(&self) -> impl Iterator<Item = &Ending> {
        self.jobs.iter().filter_map(|job| Some(&job.ending.as_ref()?.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_belong_to_jobs_in_order() {
        let jobs = Jobs::new(&[2, 3, 1]);
        let of: Vec<usize> = (0..6).map(|rank| jobs.of(RankId::new(rank)).index()).collect();
        assert_eq!(of, [0, 0, 1, 1, 1, 2]);
    }

    #[test]
    fn a_job_that_a_rank_started_ends_with_the_others() {
        let mut jobs = Jobs::new(&[2]);
        assert_eq!(jobs.add(3), RankId::new(2));
        assert_eq!((jobs.ranks(), jobs.of(RankId::new(4)).index()), (5, 1));
        jobs.end(JobId(1), Ending::Finished, Time::ZERO);
        assert!(!jobs.are_over());
        assert_eq!(jobs.add(1), RankId::new(5));
        jobs.end(JobId(2), Ending::Deadlock, Time::ZERO);
        assert!(jobs.are_over());
        assert_eq!(
            jobs.endings().collect::<Vec<_>>(),
            [&Ending::Deadlock, &Ending::Finished, &Ending::Deadlock]
        );
    }

    #[test]
    fn a_job_is_deadlocked_from_the_last_time_on_at_which_something_happened_in_it() {
        let (early, late) = (Time::from_picos(5), Time::from_picos(90));
        let mut jobs = Jobs::new(&[2, 1, 1]);
        jobs.note_activity(RankId::new(1), early);
        jobs.end(JobId(2), Ending::Finished, late);
        jobs.end_in_deadlock(late);
        let ends: Vec<_> = (0..3).map(|job| jobs.ending(JobId(job)).unwrap().1).collect();
        assert_eq!(ends, [early, Time::ZERO, late]);
        let mut alone = Jobs::new(&[2]);
        alone.end_in_deadlock(late);
        assert_eq!(alone.ending(JobId(0)), Some(&(Ending::Deadlock, late)));
    }

    #[test]
    fn each_job_ends_by_itself_and_the_first_reason_counts() {
        let mut jobs = Jobs::new(&[1, 2]);
        jobs.end(JobId(1), Ending::Deadlock, Time::ZERO);
        jobs.end(JobId(1), Ending::Finished, Time::ZERO);
        assert!(!jobs.are_over() && jobs.is_over(RankId::new(2)) && !jobs.is_over(RankId::new(0)));
        assert!(jobs.without_lines().is_none());
        jobs.line_ended(RankId::new(0));
        let (job, ranks) = jobs.without_lines().unwrap();
        assert_eq!((job, ranks.collect::<Vec<_>>()), (JobId(0), vec![RankId::new(0)]));
        jobs.end_all(&Ending::Finished, Time::ZERO);
        assert!(jobs.are_over());
        assert_eq!(jobs.endings().collect::<Vec<_>>(), [&Ending::Finished, &Ending::Deadlock]);
    }
}
