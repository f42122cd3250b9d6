//! What the format cannot express, and the warnings about it.

/// What the format cannot express.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Loss {
    Modes,
    NonBlocking,
    Probes,
    Cancels,
    Expanded,
    AnyTag,
    Order,
    Plans,
    Operators,
    InPlace,
    Speed,
}

/// What was lost, and how often.
#[derive(Debug, Default)]
pub(super) struct Losses(Vec<(Loss, u64)>);

impl Losses {
    /// Something is lost once more.
    pub fn add(&mut self, loss: Loss) {
        match self.0.iter_mut().find(|(known, _)| *known == loss) {
            Some((_, times)) => *times += 1,
            None => self.0.push((loss, 1)),
        }
    }

    /// A sentence for each.
    pub fn warnings(&self) -> Vec<String> {
        let mut lost = self.0.clone();
        lost.sort_unstable();
        lost.iter().map(|(loss, times)| format!("{} ({times} times)", loss.text())).collect()
    }
}

impl Loss {
    fn text(self) -> &'static str {
        match self {
            Loss::Modes => {
                "synchronous, ready and buffered sends are marked as such; SimGrid takes them for standard sends"
            }
            Loss::NonBlocking => {
                "collectives that do not block: SimGrid cannot replay them, and outside of MPI_COMM_WORLD they are written as if they did, which may be a deadlock; a trace FILE.mpirage is exact"
            }
            Loss::Probes => "probes have no word in this format and are left out",
            Loss::Cancels => {
                "requests that were cancelled have no word in this format: a replay will wait for them"
            }
            Loss::Expanded => {
                "collectives outside of MPI_COMM_WORLD are written as the messages they consist of"
            }
            Loss::AnyTag => {
                "receives with any tag outside of MPI_COMM_WORLD may take messages of other communicators"
            }
            Loss::Order => {
                "waits for a later one of several requests with the same peer and tag are written as waits for the first"
            }
            Loss::Plans => "persistent collectives are taken to be started in the same order by all ranks",
            Loss::Operators => {
                "operators that do not commute are marked as such; SimGrid takes them for operators that do"
            }
            Loss::InPlace => {
                "contributions in place (MPI_IN_PLACE) are marked as such; SimGrid takes them for others"
            }
            Loss::Speed => {
                "the speed of the machine that computation was measured on is not known: 1 Gf is assumed"
            }
        }
    }
}
