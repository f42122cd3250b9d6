//! Recorded datatypes: only their sizes matter.

use super::layout::TypeAction;
use super::player::Answer::NotNeeded;
use super::player::{Outcome, Player, number};
use super::stream::Arguments;

/// More bytes than this are a mistake.
const MOST_BYTES: u64 = 1 << 40;

/// Bytes of predefined datatypes, by number, for traces without a table of sizes.
const BASIC_BYTES: [u64; 28] =
    [0, 0, 1, 1, 1, 1, 4, 2, 2, 4, 4, 8, 8, 4, 8, 16, 8, 8, 8, 1, 0, 0, 8, 12, 12, 6, 8, 20];

impl Player {
    pub(super) fn type_action(&mut self, action: TypeAction, arguments: &Arguments) -> Outcome {
        let n = |at| number(arguments, at);
        let sum = |list: &[i32]| list.iter().map(|&length| i64::from(length)).sum::<i64>();
        let (made, bytes) = match action {
            TypeAction::Contiguous => (n(2)?, self.bytes(n(0)?, n(1)?)?),
            TypeAction::Vector => (n(4)?, self.bytes(n(0)?.saturating_mul(n(1)?), n(3)?)?),
            TypeAction::IndexedBlock => (n(3)?, self.bytes(n(0)?.saturating_mul(n(1)?), n(2)?)?),
            TypeAction::Indexed => (n(2)?, self.bytes(sum(arguments.list(0)), n(1)?)?),
            TypeAction::Struct => {
                let fields = arguments.list(0).iter().zip(arguments.list(2));
                let bytes = fields.map(|(&length, &datatype)| self.bytes(length.into(), datatype.into()));
                (n(1)?, bytes.sum::<Result<u64, String>>()?)
            }
            TypeAction::Subarray => {
                let count = arguments.list(1).iter().fold(1, |count: i64, &n| count.saturating_mul(n.into()));
                (n(3)?, self.bytes(count, n(2)?)?)
            }
            TypeAction::Dup => (n(1)?, self.bytes(1, n(0)?)?),
            TypeAction::Resized => (n(3)?, self.bytes(1, n(0)?)?),
            TypeAction::Size => (n(0)?, n(1)?.max(0) as u64),
        };
        self.types.insert(made, bytes);
        Ok(NotNeeded)
    }

    /// Bytes of so many elements of a datatype.
    pub(super) fn bytes(&self, count: i64, datatype: i64) -> Result<u64, String> {
        let count = u64::try_from(count).map_err(|_| format!("a count of {count}"))?;
        if count == 0 {
            return Ok(0);
        }
        let bytes = count.checked_mul(self.size(datatype)?).filter(|&bytes| bytes <= MOST_BYTES);
        bytes.ok_or_else(|| {
            format!("{count} elements of datatype {datatype} are more than {MOST_BYTES} bytes")
        })
    }

    /// Bytes of one element of a datatype.
    pub(super) fn size(&self, datatype: i64) -> Result<u64, String> {
        let index = usize::try_from(datatype).unwrap_or(usize::MAX);
        let listed = self.table.get(index).copied().filter(|&bytes| bytes > 0);
        let size = self.types.get(&datatype).copied().or(listed).or_else(|| BASIC_BYTES.get(index).copied());
        size.ok_or_else(|| format!("the size of datatype {datatype} is not known"))
    }
}
