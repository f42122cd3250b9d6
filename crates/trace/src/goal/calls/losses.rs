//! What the format cannot express, and the warnings about it.

/// What the format cannot express, and how often it was needed.
#[derive(Default)]
pub(super) struct Losses {
    pub synchronous: u64,
    pub probes: u64,
    pub any_tag: u64,
    pub some_of_a_set: u64,
    pub speed: u64,
    pub memory: u64,
}

impl Losses {
    /// A sentence for each.
    pub fn warnings(&self) -> Vec<String> {
        let texts = [
            (self.synchronous, "synchronous sends are written as standard ones"),
            (self.probes, "probes have no word in this format and are left out"),
            (
                self.any_tag,
                "receives with any tag may take messages of collectives or other communicators; `mpirage replay TRACE --trace FILE.goal` writes the messages that came",
            ),
            (
                self.some_of_a_set,
                "waits for some of several messages are written as waits for the first of them",
            ),
            (self.speed, "the speed of the machine that computed is not known: 1 Gf is assumed"),
            (
                self.memory,
                "computation that memory limits is written with its floating-point operations only",
            ),
        ];
        let lost = texts.into_iter().filter(|(times, _)| *times > 0);
        lost.map(|(times, text)| format!("{text} ({times} times)")).collect()
    }
}
