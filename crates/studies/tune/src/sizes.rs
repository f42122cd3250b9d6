//! Sizes as users write them: `8B..4MiB`, `1000,64KiB`, `0,1KiB..1MiB`.

use mpirage_units::{BYTES, QuantityError};
use thiserror::Error;

/// The largest size: that of the largest message of a generated workload.
const LARGEST: u64 = 1 << 36;

/// Why a text names no sizes.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SizesError {
    /// Not a number of bytes.
    #[error("`{text}` is no size: {error}")]
    NotBytes {
        /// The part that is wrong.
        text: String,
        /// The mistake in it.
        error: QuantityError,
    },
    /// A range that ends before it begins.
    #[error("`{0}` contains no size: it ends before it begins")]
    EmptyRange(String),
    /// A range from zero: doubling never leaves it.
    #[error("`{0}` begins at 0, which cannot be doubled; write 0,1..N")]
    FromZero(String),
    /// Larger than any message.
    #[error("`{0}`: no message is larger than 64 GiB here")]
    TooLarge(String),
    /// Nothing.
    #[error("no size is given; write a range such as 8B..4MiB, or a list such as 1KiB,1MiB")]
    None,
}

/// Reads a list of sizes and ranges, separated by commas, in ascending order and each once. A range contains its first size,
/// which is doubled as long as the range lasts, and its last size.
pub fn parse_sizes(text: &str) -> Result<Vec<u64>, SizesError> {
    let mut sizes = Vec::new();
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        match part.split_once("..") {
            None => sizes.push(bytes(part)?),
            Some((first, last)) => {
                let (first, last) = (bytes(first)?, bytes(last)?);
                match first {
                    _ if first > last => return Err(SizesError::EmptyRange(part.to_owned())),
                    0 => return Err(SizesError::FromZero(part.to_owned())),
                    _ => sizes.extend(doubled(first, last)),
                }
            }
        }
    }
    sizes.sort_unstable();
    sizes.dedup();
    if sizes.is_empty() { Err(SizesError::None) } else { Ok(sizes) }
}

fn doubled(first: u64, last: u64) -> impl Iterator<Item = u64> {
    std::iter::successors(Some(first), |size| Some(size * 2))
        .take_while(move |&size| size < last)
        .chain([last])
}

fn bytes(text: &str) -> Result<u64, SizesError> {
    let text = text.trim();
    let read = BYTES.read_whole(text);
    let bytes = read.map_err(|error| SizesError::NotBytes { text: text.to_owned(), error })?;
    if bytes > LARGEST { Err(SizesError::TooLarge(text.to_owned())) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_doubles_and_ends_with_its_end() {
        assert_eq!(parse_sizes("8B..64B").unwrap(), [8, 16, 32, 64]);
        assert_eq!(parse_sizes("3..10").unwrap(), [3, 6, 10]);
        assert_eq!(parse_sizes("8B..4MiB").unwrap().len(), 20);
        assert_eq!(parse_sizes("5..5").unwrap(), [5]);
    }

    #[test]
    fn lists_are_sorted_and_each_size_comes_once() {
        assert_eq!(parse_sizes("1KiB, 0,8..16,16").unwrap(), [0, 8, 16, 1024]);
    }

    #[test]
    fn mistakes_are_explained() {
        let problem = |text: &str| parse_sizes(text).unwrap_err().to_string();
        assert!(problem("8..x").contains("`x` is no size"), "{}", problem("8..x"));
        assert!(problem("64..8").contains("ends before it begins"));
        assert!(problem("0..8").contains("0,1..N"));
        assert!(problem(" , ").contains("no size is given"));
        assert!(problem("1EB").contains("64 GiB") || problem("1EB").contains("no size"));
    }
}
