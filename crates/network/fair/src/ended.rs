//! Messages that have ended, in order of start.

/// Starts are close together if fewer than so many lie between two that end.
const SPARSE: u64 = 4;

/// No message of the batch.
const ABSENT: u32 = u32::MAX;

/// Messages that have ended and were not collected yet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ended {
    tokens: Vec<u64>,
    /// Start order and token of the messages that end at the date in hand.
    batch: Vec<(u64, u64)>,
    /// Where in the batch each start is, if they are close together.
    order: Vec<u32>,
}

impl Ended {
    /// A message ends at the date in hand.
    pub(crate) fn note(&mut self, sequence: u64, token: u64) {
        self.batch.push((sequence, token));
    }

    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Hands out the tokens, by date and then in order of start.
    pub fn drain(&mut self) -> impl Iterator<Item = u64> + '_ {
        self.tokens.drain(..)
    }

    /// No more messages end at the date in hand.
    pub fn finish_batch(&mut self) {
        if !self.batch.is_sorted() {
            self.sort_batch();
        }
        self.tokens.extend(self.batch.drain(..).map(|(_, token)| token));
    }

    /// Messages that end together have mostly started together: then each goes straight to its place.
    fn sort_batch(&mut self) {
        let Ended { batch, order, tokens } = self;
        let starts = || batch.iter().map(|&(start, _)| start);
        let (first, last) = (starts().min().unwrap_or(0), starts().max().unwrap_or(0));
        if (last - first) / SPARSE >= batch.len() as u64 {
            return batch.sort_unstable();
        }
        order.clear();
        order.resize((last - first) as usize + 1, ABSENT);
        for (place, start) in starts().enumerate() {
            order[(start - first) as usize] = place as u32;
        }
        let places = order.iter().filter(|&&place| place != ABSENT);
        tokens.extend(places.map(|&place| batch[place as usize].1));
        batch.clear();
    }
}
