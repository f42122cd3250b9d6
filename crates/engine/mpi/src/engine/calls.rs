//! The calls of ranks: what is needed to carry them out.

use std::collections::HashMap;

use super::bursts::Workload;
use super::compute::Processing;
use super::core::Core;
use super::latencies::LeastLatencies;
use super::match_choices::MatchChoices;
use super::names::Names;
use super::polls::Polls;
use super::sampling::Samples;
use super::spawning::Spawning;
use super::windows::OneSided;

/// The sends and receives that the fast path may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FastCalls {
    /// None.
    None,
    /// Those without a burst before them.
    WithoutBurst,
    /// All.
    All,
}

/// Carries out the calls of ranks on the parts of the engine.
pub(super) struct Calls<M> {
    pub core: Core<M>,
    pub work: Workload,
    /// Polls that are paid for before they look.
    pub polls: Polls,
    /// How soon messages can come to lines that poll.
    pub latencies: LeastLatencies,
    pub samples: Samples,
    /// Numbers of shared memory by name.
    pub shared_sites: HashMap<Box<str>, u64>,
    /// Published names of ports.
    pub names: Names,
    /// Processes that ranks have started.
    pub spawning: Spawning,
    /// The sends and receives that nothing can stand before.
    pub fast: FastCalls,
    /// May a send cost something before it takes effect?
    pub sends_cost_first: bool,
    /// Are calls checked before they are carried out?
    pub checked: bool,
    /// Sources of wildcard receives, if the run explores them.
    pub choices: Option<Box<MatchChoices>>,
}

impl<M> Calls<M> {
    /// The parts that computation and processors concern.
    #[inline]
    pub(super) fn processing(&mut self) -> Processing<'_, M> {
        Processing { core: &mut self.core, work: &mut self.work }
    }

    /// The parts that windows concern.
    #[inline]
    pub(super) fn one_sided(&mut self) -> OneSided<'_, M> {
        OneSided { core: &mut self.core }
    }
}
