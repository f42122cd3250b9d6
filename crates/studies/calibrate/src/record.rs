//! Times of whole benchmarks, simulated or measured, with the columns that tell them apart.

use serde_json::Value;

use crate::measurement::SampleKind;
use crate::read::{Lines, ReadError, ReadOptions, Table, TestTime, is_headed, osu_times, read, text_of};

/// One time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// The benchmark.
    pub bench: Option<String>,
    /// The MPI library.
    pub mpi: Option<String>,
    /// The network.
    pub topology: Option<String>,
    /// How many ranks took part.
    pub ranks: Option<u64>,
    /// The message size.
    pub bytes: Option<u64>,
    /// The rank whose time it is.
    pub rank: Option<u64>,
    /// The number of the repetition.
    pub repeat: Option<u64>,
    /// The time, which is positive.
    pub seconds: f64,
}

/// The times in a file: a table with a header, JSON (an object, a list of objects, or one object per line), the text of the OSU
/// micro-benchmarks, or another format of measurements, whose ping-pongs count.
pub fn read_records(file: &str, bytes: &[u8], options: &ReadOptions) -> Result<Vec<Record>, ReadError> {
    let text = text_of(file, bytes)?;
    let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
    let records = match first {
        Some(line) if line.starts_with(['{', '[']) => json(file, &text)?,
        Some(line) if is_headed(line) => table(file, &text)?,
        _ => match osu_times(&Lines::new(file, &text), &text) {
            Some(times) => times?.into_iter().map(osu_record).collect(),
            None => ping_pongs(file, bytes, options)?,
        },
    };
    match records.is_empty() {
        true => Err(ReadError::file(file, "holds no times")),
        false => Ok(records),
    }
}

fn table(file: &str, text: &str) -> Result<Vec<Record>, ReadError> {
    let table = Table::of(&Lines::new(file, text))?;
    let text = |value: Option<&str>| value.map(str::to_owned);
    let record = |row: crate::read::Row<'_, '_>| {
        Ok(Record {
            bench: text(row.get("bench").or_else(|| row.get("op"))),
            mpi: text(row.get("mpi")),
            topology: text(row.get("topology")),
            ranks: row.number("ranks")?,
            bytes: Some(row.bytes()?),
            rank: row.number("rank")?,
            repeat: row.number("repeat")?,
            seconds: row.seconds()?,
        })
    };
    table.rows().map(record).collect()
}

fn osu_record(TestTime { test, bytes, seconds }: TestTime) -> Record {
    Record {
        bench: Some(test).filter(|test| !test.is_empty()),
        bytes: Some(bytes),
        seconds,
        ..Record::default()
    }
}

fn ping_pongs(file: &str, bytes: &[u8], options: &ReadOptions) -> Result<Vec<Record>, ReadError> {
    let all = read(file, bytes, options)?;
    let ping_pongs = all.samples().iter().filter(|sample| sample.kind == SampleKind::PingPong);
    let record = |bytes, seconds| Record { bytes: Some(bytes), seconds, ..Record::default() };
    Ok(ping_pongs.map(|sample| record(sample.bytes, sample.seconds)).collect())
}

fn json(file: &str, text: &str) -> Result<Vec<Record>, ReadError> {
    let mut records = Vec::new();
    for value in serde_json::Deserializer::from_str(text).into_iter::<Value>() {
        let value = value.map_err(|error| ReadError::Line {
            file: file.to_owned(),
            line: error.line(),
            problem: format!("is no JSON: {error}"),
        })?;
        match value {
            Value::Array(list) => {
                for value in &list {
                    records.push(object(file, value)?);
                }
            }
            value => records.push(object(file, &value)?),
        }
    }
    Ok(records)
}

/// An object with the names of the columns, or the result of a run.
fn object(file: &str, value: &Value) -> Result<Record, ReadError> {
    let seconds = ["seconds", "simulated_seconds"].iter().find_map(|name| value.get(name)?.as_f64());
    let seconds = seconds
        .filter(|seconds| *seconds > 0.0)
        .ok_or_else(|| ReadError::file(file, "an object has no positive `seconds` or `simulated_seconds`"))?;
    let text = |name: &str| Some(value.get(name)?.as_str()?.to_owned());
    let number = |name: &str| value.get(name)?.as_u64();
    // The bytes of a result are those of all its messages.
    let is_result = value.get("simulated_seconds").is_some();
    Ok(Record {
        bench: text("bench"),
        mpi: text("mpi"),
        topology: text("topology"),
        ranks: number("ranks"),
        bytes: number("bytes").filter(|_| !is_result),
        rank: number("rank"),
        repeat: number("repeat"),
        seconds,
    })
}
