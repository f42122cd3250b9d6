//! Properties of runs that the format of a trace cannot express, and the warnings about them.

/// Something that a format cannot express, as one sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Loss(pub &'static str);

/// The losses, in the order of their first occurrence, with their counts.
#[derive(Debug, Default)]
pub(crate) struct Losses(Vec<(Loss, u64)>);

impl Losses {
    /// Something is lost once more.
    pub(crate) fn add(&mut self, loss: Loss) {
        match self.0.iter_mut().find(|(known, _)| *known == loss) {
            Some((_, times)) => *times += 1,
            None => self.0.push((loss, 1)),
        }
    }

    /// The same if something is so.
    pub(crate) fn add_if(&mut self, lost: bool, loss: Loss) {
        if lost {
            self.add(loss);
        }
    }

    /// A sentence for each.
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.0.iter().map(|(Loss(text), times)| format!("{text} ({times} times)")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_are_counted() {
        let (probes, tags) = (Loss("probes are left out"), Loss("tags are left out"));
        let mut losses = Losses::default();
        [probes, tags, probes].into_iter().for_each(|loss| losses.add(loss));
        losses.add_if(false, tags);
        assert_eq!(losses.warnings(), ["probes are left out (2 times)", "tags are left out (1 times)"]);
    }
}
