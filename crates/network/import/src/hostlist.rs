//! Lists of names with ranges in brackets, as Slurm writes them: `n[001-128,200],login1`.

/// More names than any cluster has: a mistyped range must not fill the memory.
const MOST: usize = 1 << 22;

/// All names of a list, in order.
pub(super) fn expand(list: &str) -> Result<Vec<String>, String> {
    let mut names = Vec::new();
    for item in split(list)? {
        if item.is_empty() {
            return Err(format!("`{list}` has an empty name"));
        }
        expand_item(item, "", &mut names)?;
    }
    Ok(names)
}

/// Splits at the commas outside of brackets.
fn split(list: &str) -> Result<Vec<&str>, String> {
    let (mut items, mut start, mut inside) = (Vec::new(), 0, false);
    for (at, letter) in list.char_indices() {
        match letter {
            '[' if inside => return Err(format!("`{list}` has a bracket within brackets")),
            '[' => inside = true,
            ']' if !inside => return Err(format!("`{list}` closes a bracket that is not open")),
            ']' => inside = false,
            ',' if !inside => {
                items.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    if inside {
        return Err(format!("`{list}` does not close a bracket"));
    }
    items.push(&list[start..]);
    Ok(items)
}

/// Appends the names of one item, each behind `before`; the first bracket varies slowest.
fn expand_item(item: &str, before: &str, names: &mut Vec<String>) -> Result<(), String> {
    let Some((plain, rest)) = item.split_once('[') else {
        names.push(format!("{before}{item}"));
        return if names.len() > MOST { Err(format!("these are more than {MOST} names")) } else { Ok(()) };
    };
    let (ranges, rest) = rest.split_once(']').ok_or_else(|| format!("`{item}` does not close a bracket"))?;
    for range in ranges.split(',') {
        let (first, last, width) = parse_range(range)?;
        if last - first >= MOST as u64 {
            return Err(format!("`{range}` are more than {MOST} names"));
        }
        for number in first..=last {
            expand_item(rest, &format!("{before}{plain}{number:0width$}"), names)?;
        }
    }
    Ok(())
}

/// First and last number, and the digits of the first: `001-128` has three.
fn parse_range(range: &str) -> Result<(u64, u64, usize), String> {
    let number = |text: &str| {
        let plain = !text.is_empty() && text.len() < 19 && text.bytes().all(|byte| byte.is_ascii_digit());
        plain
            .then(|| text.parse().ok())
            .flatten()
            .ok_or_else(|| format!("`{range}` is no number and no range"))
    };
    let (first, last) = range.split_once('-').unwrap_or((range, range));
    let width = first.len();
    match (number(first)?, number(last)?) {
        (first, last) if first > last => Err(format!("the range `{range}` is empty")),
        (first, last) => Ok((first, last, width)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_keep_their_zeros() {
        assert_eq!(expand("n[008-010,20],login").unwrap(), ["n008", "n009", "n010", "n20", "login"]);
        assert_eq!(expand("r[1-2]n[0-1].x").unwrap(), ["r1n0.x", "r1n1.x", "r2n0.x", "r2n1.x"]);
    }

    #[test]
    fn damaged_lists_are_refused() {
        for bad in ["n[1-", "n1]", "n[[1]]", "n[3-1]", "n[a]", "a,,b", "", "n[1-99999999]", "n[]", "n[1-2-3]"]
        {
            assert!(expand(bad).is_err(), "{bad}");
        }
    }
}
