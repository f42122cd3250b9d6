//! "Did you mean …?": the closest of the known names.

/// The known name closest to what was written, when it is close enough to be a typo.
pub(crate) fn closest<'k>(written: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let length = written.chars().count();
    // Something of what was written must be left: `c` is not a typo of `a`.
    let far_enough = (length / 3 + 1).min(length.saturating_sub(1));
    known
        .into_iter()
        .map(|name| (distance(&written.to_lowercase(), &name.to_lowercase()), name))
        .filter(|(distance, _)| *distance <= far_enough)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// A help line for a name that is not among the known ones.
pub(crate) fn did_you_mean<'k>(
    written: &str,
    known: impl IntoIterator<Item = &'k str> + Clone,
) -> Option<String> {
    const LISTED: usize = 12;
    if let Some(name) = closest(written, known.clone()) {
        return Some(format!("did you mean `{name}`?"));
    }
    let names: Vec<_> = known.into_iter().take(LISTED + 1).collect();
    match names.len() {
        0 => None,
        n if n > LISTED => Some(format!("known are `{}`, …", names[..LISTED].join("`, `"))),
        _ => Some(format!("known are `{}`", names.join("`, `"))),
    }
}

/// Edit distance: insertions, deletions and replacements of characters, and swaps of neighbours.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut before_last = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    let mut previous_char = None;
    for (i, x) in a.chars().enumerate() {
        let mut row = vec![i + 1];
        for (j, &y) in b.iter().enumerate() {
            let mut best = (last[j] + usize::from(x != y)).min(last[j + 1] + 1).min(row[j] + 1);
            if j > 0 && previous_char == Some(y) && b[j - 1] == x {
                best = best.min(before_last_at(&before_last, j - 1) + 1);
            }
            row.push(best);
        }
        before_last = std::mem::replace(&mut last, row);
        previous_char = Some(x);
    }
    last[b.len()]
}

fn before_last_at(row: &[usize], at: usize) -> usize {
    row.get(at).copied().unwrap_or(usize::MAX - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typos_find_their_name() {
        let known = ["bandwidth", "latency", "hosts"];
        assert_eq!(closest("bandwith", known), Some("bandwidth"));
        assert_eq!(closest("latnecy", known), Some("latency"));
        assert_eq!(closest("colour", known), None);
    }

    #[test]
    fn distances_are_those_of_the_textbook() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("ab", "ba"), 1);
        assert_eq!(distance("", "abc"), 3);
    }
}
