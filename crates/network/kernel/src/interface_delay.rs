//! The time that messages spend in the interfaces of hosts, by size.
//!
//! Between the moment a library hands a message over and the moment the wire is busy with it, the message crosses buses and
//! buffers at both ends. These stages work on one part while the next stage works on the part before: they delay a message
//! and do not limit how many follow each other. So a delay belongs to neither an overhead, which keeps a processor busy, nor
//! to the latency of links, which grows with their number.

/// Sections by size, each with a constant and a part per byte.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InterfaceDelay {
    sections: Vec<DelaySection>,
}

/// The delay of messages from some size on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DelaySection {
    /// Messages of at least as many bytes belong here.
    pub from: u64,
    /// Seconds of each.
    pub seconds: f64,
    /// Seconds of each byte.
    pub per_byte: f64,
}

impl InterfaceDelay {
    /// A delay with these sections, in any order.
    pub fn new(mut sections: Vec<DelaySection>) -> InterfaceDelay {
        sections.sort_by_key(|section| section.from);
        InterfaceDelay { sections }
    }

    /// Its sections, by size.
    pub fn sections(&self) -> &[DelaySection] {
        &self.sections
    }

    /// Seconds of a message.
    #[inline]
    pub fn of(&self, bytes: u64) -> f64 {
        let after = self.sections.partition_point(|section| section.from <= bytes);
        match after.checked_sub(1) {
            None => 0.0,
            Some(at) => self.sections[at].seconds + self.sections[at].per_byte * bytes as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_size_has_its_section() {
        let section = |from, seconds, per_byte| DelaySection { from, seconds, per_byte };
        let delay = InterfaceDelay::new(vec![section(100, 5.0, 0.0), section(10, 1.0, 0.5)]);
        assert_eq!([9, 10, 99, 100].map(|bytes| delay.of(bytes)), [0.0, 6.0, 50.5, 5.0]);
        assert_eq!(InterfaceDelay::default().of(1), 0.0);
    }
}
