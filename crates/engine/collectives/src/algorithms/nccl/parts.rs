//! Parts of a vector: those of rings, passes, segments.

use std::ops::Range;

/// One of some parts of a range, cut between elements; sizes differ by one element at most, the last part has what is no whole element.
pub(super) fn cut(whole: &Range<u64>, parts: u64, index: u64, element: u64) -> Range<u64> {
    let element = element.max(1);
    let elements = (whole.end - whole.start) / element;
    let begin = |index: u64| match index == parts {
        true => whole.end,
        false => whole.start + (elements / parts * index + index.min(elements % parts)) * element,
    };
    begin(index)..begin(index + 1)
}

/// Bytes of a range.
pub(super) fn length(range: &Range<u64>) -> u64 {
    range.end - range.start
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_follow_each_other() {
        let parts: Vec<_> = (0..3).map(|index| cut(&(8..52), 3, index, 8)).collect();
        assert_eq!(parts, [8..24, 24..40, 40..52]);
    }
}
