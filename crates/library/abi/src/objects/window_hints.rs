//! Hints of windows: keys that the standard gives a default (MPI 5.0, sections 12.2.1 to 12.2.3).
//!
//! A window always has a value for each of them. Other keys, and values that a key does not have, are ignored.

use crate::objects::info::Info;

type IsValue = fn(&[u8]) -> bool;

/// Keys, their defaults, and which values they have.
const HINTS: [(&[u8], &[u8], IsValue); 7] = [
    (b"no_locks", b"false", is_boolean),
    (b"accumulate_ordering", b"rar,raw,war,waw", is_ordering),
    (b"accumulate_ops", b"same_op_no_op", is_operators),
    (b"mpi_accumulate_granularity", b"0", is_number),
    (b"alloc_shared_noncontig", b"false", is_boolean),
    (b"same_size", b"false", is_boolean),
    (b"same_disp_unit", b"false", is_boolean),
];

/// The hints of a window for which the program has given none.
pub(crate) fn defaults() -> Info {
    let mut hints = Info::default();
    for (key, value, _) in HINTS {
        hints.set(key, value);
    }
    hints
}

/// Sets the hints that a program gives. Others keep their values.
pub(crate) fn update(hints: &mut Info, given: &Info) {
    for (key, _, is_value) in HINTS {
        if let Some(value) = given.get(key).filter(|value| is_value(value)) {
            hints.set(key, value);
        }
    }
}

fn is_boolean(value: &[u8]) -> bool {
    value == b"true" || value == b"false"
}

fn is_operators(value: &[u8]) -> bool {
    value == b"same_op" || value == b"same_op_no_op"
}

fn is_ordering(value: &[u8]) -> bool {
    let is_order = |word: &[u8]| [b"rar", b"raw", b"war", b"waw"].iter().any(|order| word == *order);
    value == b"none" || value.split(|&byte| byte == b',').all(is_order)
}

fn is_number(value: &[u8]) -> bool {
    !value.is_empty() && value.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_that_are_not_given_keep_their_values() {
        let mut hints = defaults();
        let mut given = Info::default();
        for (key, value) in [
            ("no_locks", "true"),
            ("same_size", "perhaps"),
            ("mine", "7"),
            ("accumulate_ordering", "waw,rar"),
        ] {
            given.set(key.as_bytes(), value.as_bytes());
        }
        update(&mut hints, &given);
        update(&mut hints, &Info::default());
        let value =
            |key: &str| hints.get(key.as_bytes()).map(|value| String::from_utf8_lossy(value).into_owned());
        assert_eq!(value("no_locks").as_deref(), Some("true"));
        assert_eq!(value("same_size").as_deref(), Some("false"));
        assert_eq!(value("accumulate_ordering").as_deref(), Some("waw,rar"));
        assert_eq!(value("mine"), None);
        assert!(!is_ordering(b"rar,") && !is_ordering(b"") && is_ordering(b"none"));
    }
}
