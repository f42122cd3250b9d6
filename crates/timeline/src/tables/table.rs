//! A table that is filled row by row and written batch by batch.

use std::io;
use std::path::Path;

use mpirage_units::Time;
use rustc_hash::FxHashMap;

use crate::{RunInfo, TimelineError};

/// Rows of a batch.
const BATCH: usize = 1 << 17;
/// A number that is not there.
pub(super) const NO_INT: i64 = i64::MIN;

/// What a table looks like.
#[derive(Clone, Copy)]
pub(crate) struct Layout {
    /// Its name.
    pub name: &'static str,
    /// Its columns, in order.
    pub columns: &'static [Heading],
}

/// What a column looks like.
#[derive(Clone, Copy)]
pub(crate) struct Heading {
    pub name: &'static str,
    pub kind: Kind,
    /// Are there rows without a value?
    pub optional: bool,
}

/// What is in a column.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Int,
    Real,
    Text,
}

/// One cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value {
    /// Nothing.
    None,
    /// A whole number.
    Int(i64),
    /// Any other number.
    Real(f64),
    /// A text, by its number in the pool; zero is nothing.
    Text(u32),
}

impl From<u32> for Value {
    fn from(value: u32) -> Value {
        Value::Int(i64::from(value))
    }
}

impl From<u64> for Value {
    fn from(value: u64) -> Value {
        Value::Int(i64::try_from(value).unwrap_or(i64::MAX))
    }
}

impl From<Time> for Value {
    fn from(value: Time) -> Value {
        Value::Real(value.as_secs_f64())
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Value {
        value.map_or(Value::None, Into::into)
    }
}

/// The values of a column in a batch.
pub(crate) enum Column {
    /// [`NO_INT`] is nothing.
    Int(Vec<i64>),
    /// Not a number is nothing.
    Real(Vec<f64>),
    /// Zero is nothing.
    Text(Vec<u32>),
}

impl Column {
    fn new(kind: Kind) -> Column {
        match kind {
            Kind::Int => Column::Int(Vec::new()),
            Kind::Real => Column::Real(Vec::new()),
            Kind::Text => Column::Text(Vec::new()),
        }
    }

    #[inline]
    fn push(&mut self, value: Value) {
        match (self, value) {
            (Column::Int(column), Value::Int(value)) => column.push(value),
            (Column::Int(column), _) => column.push(NO_INT),
            (Column::Real(column), Value::Real(value)) => column.push(value),
            (Column::Real(column), _) => column.push(f64::NAN),
            (Column::Text(column), Value::Text(value)) => column.push(value),
            (Column::Text(column), _) => column.push(0),
        }
    }

    fn clear(&mut self) {
        match self {
            Column::Int(column) => column.clear(),
            Column::Real(column) => column.clear(),
            Column::Text(column) => column.clear(),
        }
    }
}

/// Texts, numbered from 1.
pub(crate) struct Pool {
    texts: Vec<String>,
    known: FxHashMap<&'static str, u32>,
}

impl Pool {
    /// These texts, in order.
    pub fn of<'a>(texts: impl Iterator<Item = &'a str>) -> Pool {
        Pool { texts: texts.map(str::to_owned).collect(), known: FxHashMap::default() }
    }

    /// One text more; gives its number.
    pub fn add(&mut self, text: &str) -> u32 {
        self.texts.push(text.to_owned());
        self.texts.len() as u32
    }

    /// The number of a text that is part of this program, which is added once.
    pub fn known(&mut self, text: &'static str) -> u32 {
        if let Some(&number) = self.known.get(text) {
            return number;
        }
        let number = self.add(text);
        self.known.insert(text, number);
        number
    }

    /// The text of a number that is not zero.
    pub fn text(&self, number: u32) -> &str {
        &self.texts[number as usize - 1]
    }
}

/// A file that takes batches.
pub(crate) trait Sheet: Sized {
    /// The ending of its name.
    const ENDING: &'static str;

    /// An empty file.
    fn create(path: &Path, layout: &Layout, run: &RunInfo) -> Result<Self, TimelineError>;

    /// Appends so many rows.
    fn append(&mut self, rows: usize, columns: &[Column], pool: &Pool) -> io::Result<()>;

    /// The file is whole.
    fn finish(self) -> Result<(), TimelineError>;
}

/// A table that is being written.
pub(crate) struct Table<S: Sheet> {
    sheet: Option<S>,
    path: std::path::PathBuf,
    rows: usize,
    columns: Vec<Column>,
}

impl<S: Sheet> Table<S> {
    pub fn create(folder: &Path, layout: Layout, run: &RunInfo) -> Result<Table<S>, TimelineError> {
        let path = folder.join(layout.name).with_extension(S::ENDING);
        let columns = layout.columns.iter().map(|heading| Column::new(heading.kind)).collect();
        Ok(Table { sheet: Some(S::create(&path, &layout, run)?), path, rows: 0, columns })
    }

    /// Appends a row.
    pub fn push<const N: usize>(&mut self, row: [Value; N], pool: &Pool) -> io::Result<()> {
        debug_assert_eq!(N, self.columns.len());
        for (column, value) in self.columns.iter_mut().zip(row) {
            column.push(value);
        }
        self.rows += 1;
        if self.rows == BATCH { self.flush(pool) } else { Ok(()) }
    }

    fn flush(&mut self, pool: &Pool) -> io::Result<()> {
        if let Some(sheet) = &mut self.sheet
            && self.rows > 0
        {
            sheet.append(self.rows, &self.columns, pool)?;
        }
        self.rows = 0;
        self.columns.iter_mut().for_each(Column::clear);
        Ok(())
    }

    /// Writes what is left.
    pub fn finish(&mut self, pool: &Pool) -> Result<(), TimelineError> {
        self.flush(pool).map_err(|error| TimelineError::io(&self.path, error))?;
        self.sheet.take().map_or(Ok(()), S::finish)
    }
}
