//! The environment variable by which a rank finds its mailbox, and the version of what lies there.

use std::ffi::CStr;
use std::os::fd::RawFd;

use mpirage_call::LineId;

/// Environment variable by which a rank finds the memory file and its first line's mailbox:
/// `version:descriptor:line:process of the simulator`.
pub const CHANNEL_VARIABLE: &str = "MPIRAGE_CHANNEL";

/// The version of the mailboxes and of what is written into them. The simulator and the MPI library must have the same.
pub const VERSION: &CStr =
    match CStr::from_bytes_with_nul(concat!(env!("MPIRAGE_CHANNEL_VERSION"), "\0").as_bytes()) {
        Ok(version) => version,
        Err(_) => panic!("the build script writes digits"),
    };

/// The writer of a value of [`CHANNEL_VARIABLE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Writer {
    /// A simulator of this version: the memory file and the line.
    Ours(RawFd, LineId),
    /// A simulator of another version.
    OtherVersion,
    /// Neither: it is no such value.
    Unknown,
}

/// Reads a value of [`CHANNEL_VARIABLE`].
pub(crate) fn read(value: &str) -> Writer {
    let mut parts = value.rsplit(':').map(|part| part.parse::<u32>());
    let (Some(Ok(_)), Some(Ok(line)), Some(Ok(file))) = (parts.next(), parts.next(), parts.next()) else {
        return Writer::Unknown;
    };
    // The first values had no version.
    match (value.split(':').count(), RawFd::try_from(file)) {
        (4, Ok(file)) if value.as_bytes().starts_with(VERSION.to_bytes()) => {
            Writer::Ours(file, LineId::new(line))
        }
        (3 | 4, Ok(_)) => Writer::OtherVersion,
        _ => Writer::Unknown,
    }
}

/// The value of [`CHANNEL_VARIABLE`] for a rank that this process starts: the memory file, the line, and this process.
pub fn channel_value(file: RawFd, line: LineId) -> String {
    format!("{}:{file}:{line}:{}", env!("MPIRAGE_CHANNEL_VERSION"), std::process::id())
}

/// The process of the simulator that a value of [`CHANNEL_VARIABLE`] names.
pub fn simulator_of(value: &str) -> Option<u32> {
    value.split(':').nth(3)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_read_as_it_was_written() {
        let value = channel_value(5, LineId::new(7));
        assert_eq!(read(&value), Writer::Ours(5, LineId::new(7)));
        assert_eq!(simulator_of(&value), Some(std::process::id()));
    }

    #[test]
    fn other_versions_are_recognised() {
        let value = channel_value(5, LineId::new(7));
        assert_eq!(
            read(&value.replace(env!("MPIRAGE_CHANNEL_VERSION"), "0123456789abcdef")),
            Writer::OtherVersion
        );
        // Before there were versions.
        assert_eq!(read("5:7:1234"), Writer::OtherVersion);
        assert_eq!(read(""), Writer::Unknown);
        assert_eq!(read(&value.replace(":5:", ":-1:")), Writer::Unknown);
    }
}
