//! Formats of measurements, recognised by what is in them.

mod csv;
mod imb;
mod lines;
mod netpipe;
mod osu;
mod skampi;

use std::io::Read;

use crate::measurement::Measurements;
pub(crate) use csv::{Row, Table, is_headed};
pub(crate) use lines::Lines;
pub use lines::ReadError;
pub(crate) use osu::TestTime;

/// Bytes that an unpacked file may have: far more than any list of measurements.
const LARGEST: u64 = 1 << 30;
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// The byte order mark, in UTF-8.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Says whether a text has a format.
type Recogniser = fn(&str) -> bool;

/// A format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The text of the OSU micro-benchmarks: latency, bandwidth one and both ways, message rate, collectives.
    Osu,
    /// The text of the Intel MPI Benchmarks: PingPong, PingPing, Sendrecv, Uniband.
    Imb,
    /// The text of SKaMPI 5.
    Skampi,
    /// The text of NetPIPE: what it prints, and its file `np.out`.
    Netpipe,
    /// Columns separated by commas.
    Csv,
}

impl Format {
    /// All formats and their names.
    pub const ALL: [(&'static str, Format); 5] = [
        ("osu", Format::Osu),
        ("imb", Format::Imb),
        ("skampi", Format::Skampi),
        ("netpipe", Format::Netpipe),
        ("csv", Format::Csv),
    ];

    /// The format of a text, if it is known.
    fn of(text: &str) -> Option<Format> {
        let recognised: [(Recogniser, Format); 5] = [
            (osu::recognises, Format::Osu),
            (imb::recognises, Format::Imb),
            (skampi::recognises, Format::Skampi),
            (csv::recognises, Format::Csv),
            (netpipe::recognises, Format::Netpipe),
        ];
        recognised.into_iter().find(|(recognises, _)| recognises(text)).map(|(_, format)| format)
    }
}

/// The user's options for a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// Its format, if it is not to be recognised.
    pub format: Option<Format>,
    /// The library whose measurements count, in files with those of several.
    pub mpi: Option<String>,
    /// The network whose measurements count, likewise.
    pub topology: Option<String>,
}

/// The measurements in a file, given its name and its bytes.
pub fn read(file: &str, bytes: &[u8], options: &ReadOptions) -> Result<Measurements, ReadError> {
    let text = text_of(file, bytes)?;
    let format = options.format.or_else(|| Format::of(&text)).ok_or_else(|| {
        let names = Format::ALL.map(|(name, _)| name).join(", ");
        ReadError::file(file, match text.trim().is_empty() {
            true => "is empty".to_owned(),
            false => format!("the format is not known; there are {names} (with commas, and a first line such as `bytes,seconds`)"),
        })
    })?;
    let lines = Lines::new(file, &text);
    let measurements = match format {
        Format::Osu => osu::read(&lines),
        Format::Imb => imb::read(&lines),
        Format::Skampi => skampi::read(&lines),
        Format::Netpipe => netpipe::read(&lines),
        Format::Csv => csv::read(&lines, options),
    }?;
    if measurements.is_empty() {
        let others = match measurements.skipped() {
            [] => String::new(),
            skipped => format!("; it has {}", skipped.join(", ")),
        };
        let problem =
            format!("holds no ping-pong, no overheads, no message rates and no collectives{others}");
        return Err(ReadError::file(file, problem));
    }
    Ok(measurements)
}

/// The times of all tests in a text of the OSU micro-benchmarks; `None` if it is something else.
pub(crate) fn osu_times(lines: &Lines<'_>, text: &str) -> Option<Result<Vec<TestTime>, ReadError>> {
    (Format::of(text) == Some(Format::Osu)).then(|| osu::read_all(lines))
}

/// The text of a file, unpacked if it is a gzip file.
pub(crate) fn text_of(file: &str, bytes: &[u8]) -> Result<String, ReadError> {
    let unpacked = if bytes.starts_with(&GZIP) { unpack(file, bytes)? } else { bytes.to_vec() };
    // Spreadsheets begin a text with a byte order mark.
    let unpacked = unpacked.strip_prefix(BYTE_ORDER_MARK).map(<[u8]>::to_vec).unwrap_or(unpacked);
    String::from_utf8(unpacked).map_err(|_| ReadError::file(file, "is not a text in UTF-8"))
}

fn unpack(file: &str, bytes: &[u8]) -> Result<Vec<u8>, ReadError> {
    let mut unpacked = Vec::new();
    let packed = flate2::read::MultiGzDecoder::new(bytes);
    let done = packed.take(LARGEST + 1).read_to_end(&mut unpacked);
    done.map_err(|error| ReadError::file(file, format!("cannot be unpacked: {error}")))?;
    match unpacked.len() as u64 > LARGEST {
        true => Err(ReadError::file(file, "has more than 1 GiB when it is unpacked")),
        false => Ok(unpacked),
    }
}

/// Sizes at which the protocol changes: the first column of a table with or without a header, or a list with commas.
pub fn read_breakpoints(file: &str, text: &str) -> Result<Vec<u64>, ReadError> {
    let mut limits = Vec::new();
    for line in Lines::new(file, text).iter() {
        let first = line.text.split(',').next().unwrap_or_default().trim();
        if limits.is_empty() && first.parse::<u64>().is_err() && !first.is_empty() {
            continue;
        }
        limits.push(line.bytes(first)?);
    }
    if limits.is_empty() {
        return Err(ReadError::file(file, "holds no sizes; its first column is a size in bytes"));
    }
    limits.sort_unstable();
    limits.dedup();
    Ok(limits)
}
