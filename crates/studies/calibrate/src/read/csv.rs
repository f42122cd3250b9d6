//! Columns separated by commas.
//!
//! With a header: `bytes` and `seconds` (or `us`, `ms`, `ns`), and `op` or `bench` if there are several series. The files of a
//! testbed also have `mpi`, `topology`, `ranks`, `rank` and `repeat`.
//!
//! Without one: `op,bytes,start,duration`, calls with their dates. `MPI_Send` and `MPI_Recv` with one date are a ping-pong:
//! the receive begins when the send has returned, so that both together are a round trip.

use super::ReadOptions;
use super::lines::{Line, Lines, ReadError};
use crate::measurement::{Measurements, SampleKind};

/// Columns of times, and the seconds of their unit.
const TIMES: [(&str, f64); 10] = [
    ("seconds", 1.0),
    ("duration", 1.0),
    ("s", 1.0),
    ("milliseconds", 1e-3),
    ("ms", 1e-3),
    ("microseconds", 1e-6),
    ("usec", 1e-6),
    ("us", 1e-6),
    ("nanoseconds", 1e-9),
    ("ns", 1e-9),
];

pub(super) fn recognises(text: &str) -> bool {
    let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
    first.is_some_and(|line| is_headed(line) || calls(line).is_some() || all_numbers(line))
}

/// Is the line a header that names sizes?
pub(crate) fn is_headed(line: &str) -> bool {
    line.contains(',') && fields(line).any(|field| field.eq_ignore_ascii_case("bytes"))
}

/// The fields of a line, without quotes around them.
fn fields(line: &str) -> impl Iterator<Item = &str> {
    line.split(',').map(str::trim).map(|field| {
        let quoted = field.strip_prefix('"').and_then(|field| field.strip_suffix('"'));
        quoted.unwrap_or(field)
    })
}

fn all_numbers(line: &str) -> bool {
    line.contains(',') && fields(line).all(|field| field.parse::<f64>().is_ok())
}

/// The fields of a call with its date.
fn calls(line: &str) -> Option<[&str; 4]> {
    let fields: Vec<&str> = fields(line).collect();
    let [op, bytes, start, duration] = fields[..] else { return None };
    let named = op.starts_with(|first: char| first.is_ascii_alphabetic());
    (named && bytes.parse::<u64>().is_ok()).then_some([op, bytes, start, duration])
}

pub(super) fn read(lines: &Lines<'_>, options: &ReadOptions) -> Result<Measurements, ReadError> {
    let content = || lines.iter().filter(|line| !line.text.starts_with('#'));
    match content().next() {
        Some(first) if is_headed(first.text) => read_table(lines, options),
        Some(first) if calls(first.text).is_some() => read_calls(content()),
        Some(first) => {
            Err(first.error("has no header; the first line names the columns, as in `bytes,seconds`"))
        }
        None => Err(ReadError::file(lines.file(), "is empty")),
    }
}

/// A table with a header.
pub(crate) struct Table<'t> {
    header: Vec<String>,
    time: (usize, f64),
    rows: Vec<Line<'t>>,
}

impl<'t> Table<'t> {
    pub fn of(lines: &Lines<'t>) -> Result<Table<'t>, ReadError> {
        let mut rows = lines.iter().filter(|line| !line.text.starts_with('#'));
        let first = rows.next().ok_or_else(|| ReadError::file(lines.file(), "is empty"))?;
        let header: Vec<String> = fields(first.text).map(str::to_ascii_lowercase).collect();
        let place = |name: &str| header.iter().position(|column| column == name);
        let times: Vec<(usize, f64)> =
            TIMES.iter().filter_map(|(name, unit)| Some((place(name)?, *unit))).collect();
        let time = match times[..] {
            [time] => time,
            [] => return Err(first.error("no column holds times: name one `seconds`, `ms`, `us` or `ns`")),
            _ => {
                return Err(
                    first.error("several columns hold times, in one or in mixed units; keep one of them")
                );
            }
        };
        Ok(Table { time, rows: rows.collect(), header })
    }

    /// The rows.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_, 't>> {
        self.rows.iter().map(|line| Row { table: self, line: *line, fields: fields(line.text).collect() })
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.header.iter().position(|column| column == name)
    }
}

/// A row of a table.
pub(crate) struct Row<'a, 't> {
    table: &'a Table<'t>,
    line: Line<'t>,
    fields: Vec<&'t str>,
}

impl<'t> Row<'_, 't> {
    /// The field of a column, if there is such a column and the field is not empty.
    pub fn get(&self, name: &str) -> Option<&'t str> {
        self.fields.get(self.table.place(name)?).copied().filter(|field| !field.is_empty())
    }

    pub fn bytes(&self) -> Result<u64, ReadError> {
        let field = self.get("bytes").ok_or_else(|| self.line.error("the size is missing"))?;
        self.line.bytes(field)
    }

    pub fn seconds(&self) -> Result<f64, ReadError> {
        let (at, unit) = self.table.time;
        let field = self.fields.get(at).ok_or_else(|| self.line.error("the time is missing"))?;
        Ok(self.line.positive(field, "time")? * unit)
    }

    /// A whole number of a column that may be absent.
    pub fn number(&self, name: &str) -> Result<Option<u64>, ReadError> {
        let parse = |field: &str| {
            field.parse().map_err(|_| self.line.error(format!("`{field}` in `{name}` is no number")))
        };
        self.get(name).map(parse).transpose()
    }
}

fn read_table(lines: &Lines<'_>, options: &ReadOptions) -> Result<Measurements, ReadError> {
    let table = Table::of(lines)?;
    only_one(lines.file(), &table, "mpi", options.mpi.as_deref())?;
    only_one(lines.file(), &table, "topology", options.topology.as_deref())?;
    let mut all = Measurements::default();
    for row in table.rows().filter(|row| is_wanted(row, options)) {
        let series = row.get("op").or_else(|| row.get("bench")).unwrap_or("pingpong");
        match kind_of(series) {
            Some(kind) => all.add(kind, row.bytes()?, row.seconds()?),
            None => all.skip(series),
        }
    }
    Ok(all)
}

fn is_wanted(row: &Row<'_, '_>, options: &ReadOptions) -> bool {
    let wants = |name: &str, wanted: &Option<String>| match (row.get(name), wanted) {
        (Some(value), Some(wanted)) => value == wanted,
        _ => true,
    };
    wants("mpi", &options.mpi) && wants("topology", &options.topology)
}

/// Refuses measurements of several libraries or networks, unless the user says which count.
fn only_one(file: &str, table: &Table<'_>, name: &str, wanted: Option<&str>) -> Result<(), ReadError> {
    let mut values: Vec<&str> = table.rows().filter_map(|row| row.get(name)).collect();
    values.sort_unstable();
    values.dedup();
    match wanted {
        Some(wanted) if !values.is_empty() && !values.contains(&wanted) => Err(ReadError::file(
            file,
            format!("column `{name}` has no `{wanted}`; it has {}", values.join(", ")),
        )),
        None if values.len() > 1 => {
            let problem =
                format!("holds measurements of {}; --{name} says which count", values.join(" and "));
            Err(ReadError::file(file, problem))
        }
        _ => Ok(()),
    }
}

fn kind_of(series: &str) -> Option<SampleKind> {
    let name = series.to_ascii_lowercase().replace(['-', '_', ' '], "");
    match name.strip_prefix("mpi").unwrap_or(&name) {
        "pingpong" => Some(SampleKind::PingPong),
        "sendrecv" | "pingping" | "exchange" => Some(SampleKind::Exchange),
        "send" => Some(SampleKind::Send),
        "isend" => Some(SampleKind::Isend),
        "recv" => Some(SampleKind::Recv),
        "gap" => Some(SampleKind::Gap),
        _ => None,
    }
}

/// Calls with their dates.
fn read_calls<'t>(lines: impl Iterator<Item = Line<'t>>) -> Result<Measurements, ReadError> {
    let mut all = Measurements::default();
    // The send that a receive may belong to: its size, date and duration.
    let mut sent: Option<(u64, &str, f64)> = None;
    for line in lines {
        let [op, bytes, start, duration] =
            calls(line.text).ok_or_else(|| line.error("expected `op,bytes,start,duration`"))?;
        let (bytes, seconds) = (line.bytes(bytes)?, line.positive(duration, "time")?);
        match (kind_of(op), sent.take()) {
            (Some(SampleKind::Recv), Some((size, date, send))) if size == bytes && date == start => {
                all.add(SampleKind::PingPong, bytes, (send + seconds) / 2.0);
            }
            (Some(kind), _) => {
                all.add(kind, bytes, seconds);
                sent = (kind == SampleKind::Send).then_some((bytes, start, seconds));
            }
            (None, _) => all.skip(op),
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn csv(text: &str) -> Result<Measurements, String> {
        read(&Lines::new("m.csv", text), &ReadOptions::default()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_send_and_its_receive_are_a_round_trip() {
        let all = csv("MPI_Send,8,1.5,2e-6\nMPI_Recv,8,1.5,6e-6\nMPI_Recv,8,1.6,3e-6\n").unwrap();
        let seconds = |kind| all.points(kind).iter().map(|point| point.seconds).collect::<Vec<_>>();
        assert_eq!(
            (seconds(SampleKind::PingPong), seconds(SampleKind::Send), seconds(SampleKind::Recv)),
            (vec![4e-6], vec![2e-6], vec![3e-6])
        );
    }

    #[test]
    fn spreadsheets_write_quotes_and_a_byte_order_mark() {
        let bytes = "\u{feff}\"bytes\",\"us\"\r\n\"8\",\"2\"\r\n".as_bytes();
        let all = crate::read("m.csv", bytes, &ReadOptions::default()).unwrap();
        assert_eq!((all.samples()[0].bytes, all.samples().len()), (8, 1));
    }

    #[test]
    fn the_header_names_the_unit() {
        let all = csv("bytes,us\n8,2\n").unwrap();
        assert!((all.samples()[0].seconds - 2e-6).abs() < 1e-15);
        assert!(csv("bytes,us,seconds\n8,2,3\n").unwrap_err().contains("mixed units"));
        assert!(csv("bytes,seconds\n8,2us\n").unwrap_err().starts_with("m.csv:2: `2us` is no time"));
    }
}
