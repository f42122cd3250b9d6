//! Operators and basic datatypes as small numbers, for calls that cross from a rank to the simulator.

use crate::{Basic, Op};

impl Basic {
    /// Its number.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The type with this number.
    pub fn from_code(code: u8) -> Option<Basic> {
        Basic::ALL.get(usize::from(code)).copied().filter(|basic| basic.code() == code)
    }
}

impl Op {
    /// Its number.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The operator with this number.
    pub fn from_code(code: u8) -> Option<Op> {
        Op::ALL.get(usize::from(code)).copied().filter(|op| op.code() == code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_lead_back() {
        assert!(Basic::ALL.iter().all(|&basic| Basic::from_code(basic.code()) == Some(basic)));
        assert!(Op::ALL.iter().all(|&op| Op::from_code(op.code()) == Some(op)));
        assert_eq!((Basic::from_code(255), Op::from_code(255)), (None, None));
    }
}
