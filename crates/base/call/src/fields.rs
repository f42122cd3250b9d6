//! Fields of calls that are codes of a few bits.

use crate::{AccessKind, Completing, SendMode, TwoPhase};

/// A type whose values are codes of a few bits, the same in mailboxes and in traces.
pub(crate) trait Flag: Copy {
    /// Bits of the code.
    const BITS: u32;

    /// The code.
    fn code(self) -> u8;

    /// The value with this code, if there is one.
    fn from_code(code: u8) -> Option<Self>;
}

impl Flag for bool {
    const BITS: u32 = 1;

    #[inline(always)]
    fn code(self) -> u8 {
        u8::from(self)
    }

    #[inline(always)]
    fn from_code(code: u8) -> Option<bool> {
        Some(code != 0)
    }
}

/// Codes of enums without fields. A variant that is missing here does not compile.
macro_rules! codes {
    ($type:ident: $bits:literal { $($code:literal: $variant:ident),* }) => {
        impl Flag for $type {
            const BITS: u32 = $bits;

            #[inline(always)]
            fn code(self) -> u8 {
                match self {
                    $($type::$variant => $code,)*
                }
            }

            #[inline(always)]
            #[allow(unreachable_patterns, reason = "there may be a variant for every code")]
            fn from_code(code: u8) -> Option<$type> {
                match code {
                    $($code => Some($type::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

codes!(SendMode: 2 { 0: Standard, 1: Synchronous, 2: Ready, 3: Buffered });
codes!(Completing: 2 { 0: All, 1: Any, 2: Some });
codes!(AccessKind: 3 { 0: Put, 1: Get, 2: Accumulate, 3: GetAccumulate, 4: CompareAndSwap });
codes!(TwoPhase: 2 { 0: Automatic, 1: Enabled, 2: Disabled });
