//! Polls that have failed and will fail again for a while: a line answers them itself.

use mpirage_call::{Call, Completing, ContextId, Quiet, RequestId};
use mpirage_units::Time;
use smallvec::SmallVec;

/// Different polls that are remembered. Few programs poll for more in turns.
const REMEMBERED: usize = 8;

/// The requests or the message that a poll asks for.
#[derive(Debug, PartialEq)]
enum Question {
    Requests(Completing, SmallVec<[RequestId; 8]>),
    Message { context: ContextId, from: Option<u32>, tag: Option<i32>, take: bool },
}

impl Question {
    fn of(call: &Call<'_>) -> Option<Question> {
        match *call {
            Call::Wait { how, poll: true, requests } => Some(Question::Requests(how, requests.into())),
            Call::Probe { context, from, tag, poll: true, take } => {
                Some(Question::Message { context, from, tag, take })
            }
            _ => None,
        }
    }

    fn is(&self, call: &Call<'_>) -> bool {
        match (self, call) {
            (Question::Requests(how, ids), Call::Wait { how: asked, poll: true, requests }) => {
                how == asked && ids.as_slice() == *requests
            }
            (Question::Message { .. }, Call::Probe { .. }) => Question::of(call).as_ref() == Some(self),
            _ => false,
        }
    }
}

/// Polls that have failed since the line last did anything else.
#[derive(Debug, Default)]
pub(super) struct FailedPolls {
    known: Vec<(Question, Quiet)>,
}

impl FailedPolls {
    /// The line has done something else.
    pub(super) fn forget(&mut self) {
        self.known.clear();
    }

    /// A poll has failed.
    pub(super) fn note(&mut self, call: &Call<'_>, quiet: Quiet) {
        if let Some((_, known)) = self.known.iter_mut().find(|(question, _)| question.is(call)) {
            *known = quiet;
        } else if let Some(question) = Question::of(call) {
            self.known.truncate(REMEMBERED - 1);
            self.known.push((question, quiet));
        }
    }

    /// The entry of a poll that is known to fail at this date.
    pub(super) fn fails_at(&self, call: &Call<'_>, date: Time) -> Option<&Quiet> {
        let (_, quiet) = self.known.iter().find(|(question, _)| question.is(call))?;
        (date < quiet.until).then_some(quiet)
    }
}

#[cfg(test)]
mod tests {
    use mpirage_call::FailedPollCost;
    use mpirage_units::Duration;

    use super::*;

    fn quiet(until: u64) -> Quiet {
        let cost = FailedPollCost { least: Duration::from_nanos(500), share: 0.01 };
        Quiet { until: Time::from_picos(until), since: Time::ZERO, cost }
    }

    fn test(requests: &[RequestId]) -> Call<'_> {
        Call::Wait { how: Completing::All, poll: true, requests }
    }

    #[test]
    fn a_poll_fails_again_until_its_date_and_only_the_same_poll() {
        let ids = [1, 2].map(RequestId::new);
        let probe = |tag| Call::Probe {
            context: ContextId::new(0),
            from: None,
            tag: Some(tag),
            poll: true,
            take: false,
        };
        let mut polls = FailedPolls::default();
        polls.note(&test(&ids), quiet(10));
        polls.note(&probe(1), quiet(20));
        let fails = |polls: &FailedPolls, call: &Call<'_>, date| {
            polls.fails_at(call, Time::from_picos(date)).is_some()
        };
        assert!(fails(&polls, &test(&ids), 9) && !fails(&polls, &test(&ids), 10));
        assert!(!fails(&polls, &test(&ids[..1]), 9));
        assert!(fails(&polls, &probe(1), 19) && !fails(&polls, &probe(2), 19));
        polls.note(&test(&ids), quiet(30));
        assert!(fails(&polls, &test(&ids), 29));
        polls.forget();
        assert!(!fails(&polls, &test(&ids), 9));
    }
}
