//! A simulator without any cleverness: solves from scratch at every date, in floating-point seconds.

use mpirage_fair::{SharingPolicy, oracle};
use std::collections::BTreeMap;

pub struct Naive {
    resources: Vec<oracle::Resource>,
    flows: Vec<(u64, f64, oracle::Flow)>,
    now: f64,
    started: u64,
    /// When each flow ended, in seconds.
    pub ends: BTreeMap<u64, f64>,
}

impl Naive {
    pub fn new(resources: &[(f64, SharingPolicy)]) -> Naive {
        let resources =
            resources.iter().map(|&(capacity, kind)| oracle::Resource { capacity, kind }).collect();
        Naive { resources, flows: vec![], now: 0.0, started: 0, ends: BTreeMap::new() }
    }

    pub fn start(&mut self, work: f64, penalty: f64, bound: f64, uses: Vec<(usize, f64)>) {
        self.flows.push((self.started, work, oracle::Flow { penalty, bound, uses }));
        self.started += 1;
    }

    pub fn set_capacity(&mut self, resource: usize, capacity: f64) {
        self.resources[resource].capacity = capacity;
    }

    pub fn advance(&mut self, span: f64) {
        let until = self.now + span;
        while !self.flows.is_empty() && self.step(until) {}
        self.now = until;
    }

    pub fn finish(&mut self) {
        while !self.flows.is_empty() && self.step(f64::INFINITY) {}
    }

    /// Goes to the next completion, or to `until`; true if that was a completion.
    fn step(&mut self, until: f64) -> bool {
        let flows: Vec<_> = self.flows.iter().map(|(_, _, flow)| flow.clone()).collect();
        let rates = oracle::solve(&self.resources, &flows);
        let spans = self.flows.iter().zip(&rates).map(|((_, left, _), rate)| left / rate);
        let span = spans.fold(until - self.now, f64::min);
        if span.is_infinite() {
            return false;
        }
        self.now += span;
        for ((_, left, _), rate) in self.flows.iter_mut().zip(&rates) {
            *left -= rate * span;
        }
        let before = self.flows.len();
        for (token, _, _) in self.flows.extract_if(.., |(_, left, _)| *left <= 1e-11) {
            self.ends.insert(token, self.now);
        }
        self.flows.len() < before
    }
}
