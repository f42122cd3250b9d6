//! From the end of what happened to a rank back to its beginning, in great steps.

use rustc_hash::FxHashMap;

use super::{Chronicle, NONE, Note, Thing};

/// Where somebody is who reads backwards, and now and then starts anew from a later time.
pub(crate) struct Cursor<'a, T> {
    chronicle: &'a Chronicle<T>,
    /// What is written of the rank.
    runs: Vec<Run<'a, T>>,
    /// How many runs there are up to where the reader is, the one the reader is in included; how many things of that one, and when the last
    /// of these was over.
    at: usize,
    length: u32,
    end: u64,
    /// The words of the run the reader is in, if it is words: what comes once, and from `round` on what comes again and again.
    words: Vec<u32>,
    round: usize,
    /// Which of them the reader is at.
    place: usize,
    /// How long one round takes.
    lap: u64,
    /// The time that was sought last: what is later has been passed.
    sought: u64,
}

/// Where a reader was.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark {
    at: usize,
    place: usize,
    length: u32,
    end: u64,
}

impl Mark {
    /// Are both at the same word of the same words?
    #[inline]
    pub fn is_like(&self, other: &Mark) -> bool {
        (self.at, self.place) == (other.at, other.place)
    }
}

/// Things one after the other: one that is written down, or words that follow each other.
struct Run<'a, T> {
    /// When its last thing is over.
    end: u64,
    /// The thing; none if it is words.
    alone: Option<&'a T>,
    /// The word before the first, and how many they are.
    before: u32,
    length: u32,
}

impl<'a, T: Thing> Cursor<'a, T> {
    /// At the end of what happened to a rank.
    pub fn new(chronicle: &'a Chronicle<T>, rank: usize) -> Cursor<'a, T> {
        let (mut word, mut end, mut runs) = (NONE, chronicle.begin(rank), Vec::new());
        for row in chronicle.written(rank) {
            let before = word;
            let (alone, length) = match row.note() {
                None => {
                    word = NONE;
                    (Some(row), 1)
                }
                Some(Note::Word(number)) => {
                    word = number;
                    (Some(&chronicle.words[number as usize].thing), 1)
                }
                Some(Note::Again(times)) => {
                    (word, end) = chronicle.follow(word, end, times);
                    (None, times)
                }
            };
            end = end.wrapping_add(alone.map_or(0, Thing::span));
            runs.push(Run { end, alone, before, length });
        }
        let (at, words, sought) = (runs.len(), Vec::new(), u64::MAX);
        let mut cursor =
            Cursor { chronicle, runs, at, length: 0, end: 0, words, round: 0, place: 0, lap: 0, sought };
        cursor.enter();
        cursor
    }

    /// Where the reader is: a thing, and when it was over. None before the first.
    #[inline]
    pub fn here(&self) -> Option<(&'a T, u64)> {
        let run = self.runs.get(self.at.wrapping_sub(1))?;
        let thing = match run.alone {
            Some(thing) => thing,
            None => &self.chronicle.words[self.words[self.place] as usize].thing,
        };
        Some((thing, self.end))
    }

    /// Goes to the last thing that began before `time`; but not again to what somebody has gone [back](Cursor::back) from.
    #[inline]
    pub fn seek(&mut self, time: u64) -> Option<(&'a T, u64)> {
        if time > self.sought {
            self.start(time);
        }
        self.sought = time;
        loop {
            let (thing, end) = self.here()?;
            let began = end.wrapping_sub(thing.took());
            if began < time {
                return Some((thing, end));
            }
            if began - time > self.lap {
                self.skip(began - time);
            }
            self.pass(thing.span());
        }
    }

    /// Starts anew, behind everything that began before a time.
    #[cold]
    fn start(&mut self, time: u64) {
        // All that begins later ends later.
        self.at = (self.runs.partition_point(|run| run.end < time) + 1).min(self.runs.len());
        self.enter();
    }

    /// Where the reader is, to be compared with later.
    #[inline]
    pub fn mark(&self) -> Mark {
        Mark { at: self.at, place: self.place, length: self.length, end: self.end }
    }

    /// How often what has been read since the mark, which took so long until `time`, comes again next.
    pub fn laps_since(&self, mark: &Mark, lap: u64, time: u64) -> u64 {
        if self.at == 0 && mark.at == 0 {
            return u64::MAX;
        }
        if (self.at, self.place) != (mark.at, mark.place) {
            return 0;
        }
        if self.length == mark.length {
            // It waits for its time.
            return time.saturating_sub(self.end) / lap;
        }
        let left = u64::from(self.length - 1).saturating_sub(self.round as u64);
        if mark.end.wrapping_sub(self.end) == lap { left / u64::from(mark.length - self.length) } else { 0 }
    }

    /// Goes on as since the mark, so many times.
    pub fn repeat(&mut self, mark: &Mark, times: u64, lap: u64) {
        if self.length < mark.length && self.at > 0 {
            self.length -= (times * u64::from(mark.length - self.length)) as u32;
            self.end -= times * lap;
        }
        self.sought = self.sought.saturating_sub(times * lap);
    }

    /// Goes back by as many rounds as take no longer than that.
    #[cold]
    fn skip(&mut self, time: u64) {
        let round = (self.words.len() - self.round) as u64;
        // None if these are no words.
        let rest = u64::from(self.length - 1).saturating_sub(self.round as u64);
        let most = rest.checked_div(round).unwrap_or(0);
        let laps = time.checked_div(self.lap).unwrap_or(most).min(most);
        self.length -= (laps * round) as u32;
        self.end = self.end.wrapping_sub(laps * self.lap);
    }

    /// Goes back by one thing.
    pub fn back(&mut self) {
        if let Some((thing, _)) = self.here() {
            self.pass(thing.span());
        }
    }

    /// Goes back by the thing the reader is at, which has this span.
    #[inline]
    fn pass(&mut self, span: u64) {
        if self.length == 1 {
            self.at -= 1;
            return self.enter();
        }
        self.length -= 1;
        self.end = self.end.wrapping_sub(span);
        let around = self.place == self.round && self.length as usize > self.round;
        self.place = if around { self.words.len() } else { self.place } - 1;
    }

    /// The reader comes to the end of another run.
    fn enter(&mut self) {
        self.words.clear();
        (self.round, self.lap) = (0, 0);
        let Some(&Run { end, alone, before, length }) = self.runs.get(self.at.wrapping_sub(1)) else {
            return;
        };
        (self.end, self.length) = (end, length);
        if alone.is_none() {
            self.enter_words(before);
        }
    }

    /// Finds out which words a run has, from those after `before` on.
    fn enter_words(&mut self, before: u32) {
        let (mut word, words) = (before, &self.chronicle.words);
        let (length, mut places) = (self.length as usize, FxHashMap::default());
        self.round = loop {
            word = words[word as usize].next;
            if let Some(place) = places.insert(word, self.words.len()) {
                break place;
            }
            self.words.push(word);
            if self.words.len() == length {
                break length - 1;
            }
        };
        self.place = self.round + (length - 1 - self.round) % (self.words.len() - self.round);
        let spans = self.words[self.round..].iter().map(|&word| words[word as usize].thing.span());
        self.lap = spans.fold(0, u64::wrapping_add);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::said;
    use super::*;

    #[test]
    fn backwards_is_what_was_said() {
        let long = "ab".to_owned() + &"xyz".repeat(500) + "abq" + &"xyz".repeat(20) + "ab";
        let texts = [long.as_str(), "", "qwerty", &"xyz".repeat(300), "zzzzzzzzzz"];
        let chronicle = said(&texts);
        for (rank, text) in texts.iter().enumerate() {
            let mut ends = vec![0];
            chronicle.each(rank, |letter| ends.push(ends[ends.len() - 1] + letter.span()));
            let mut cursor = Cursor::new(&chronicle, rank);
            for (at, letter) in text.char_indices().rev() {
                let (found, end) = cursor.here().expect("not at the beginning");
                assert_eq!((found.letter(), end), (letter, ends[at + 1]));
                cursor.back();
            }
            assert!(cursor.here().is_none());
        }
    }

    #[test]
    fn one_can_start_anew() {
        let text = "ab".to_owned() + &"xyzu".repeat(50) + "abq" + &"xyzu".repeat(20) + "ab";
        let chronicle = said(&[&text, &text]);
        let mut cursor = Cursor::new(&chronicle, 0);
        for time in [5, 700, 3, 90, 91, 250, 249, u64::MAX, 0, 1, 2] {
            let afresh = Cursor::new(&chronicle, 0).seek(time).map(|(letter, end)| (letter.letter(), end));
            assert_eq!(cursor.seek(time).map(|(letter, end)| (letter.letter(), end)), afresh, "{time}");
        }
    }

    #[test]
    fn an_instant_is_found() {
        let text = "ab".to_owned() + &"xyzu".repeat(500) + "abq" + &"xyzu".repeat(20) + "ab";
        let chronicle = said(&[&text, &text]);
        let (mut things, mut end) = (Vec::new(), 0);
        chronicle.each(0, |letter| {
            end += letter.span();
            things.push((end - letter.took(), end, letter.letter()));
        });
        for step in [1, 2, 7, 100, 1_000, 5_000] {
            let mut cursor = Cursor::new(&chronicle, 0);
            for time in (0..=end + 1).rev().step_by(step) {
                let found = cursor.seek(time).map(|(letter, end)| (letter.letter(), end));
                let wanted = things.iter().rev().find(|&&(began, ..)| began < time);
                assert_eq!(found, wanted.map(|&(_, end, letter)| (letter, end)), "{time} by {step}");
            }
        }
    }
}
