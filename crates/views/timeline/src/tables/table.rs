//! A table that is filled row by row and written batch by batch.

use std::io;
use std::path::{Path, PathBuf};

use mpirage_call::Method;
use mpirage_files::{OutputFile, SealedFile};
use mpirage_interpret::RunInfo;
use mpirage_units::{Duration, Time};
use rustc_hash::FxHashMap;

use crate::TimelineError;

/// Rows of a batch.
const BATCH: usize = 1 << 17;
/// A number that is missing.
const NO_INT: i64 = i64::MIN;

/// The schema of a table.
#[derive(Clone, Copy)]
pub(crate) struct Layout {
    /// Its name.
    pub name: &'static str,
    /// Its columns, in order.
    pub columns: &'static [Heading],
}

/// The schema of a column.
#[derive(Clone, Copy)]
pub(crate) struct Heading {
    pub name: &'static str,
    pub kind: ColumnType,
    /// Whether rows may have no value. Only Parquet needs it.
    #[cfg_attr(not(feature = "parquet"), allow(dead_code))]
    pub optional: bool,
}

/// The type of a column.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColumnType {
    /// Whole numbers.
    Int,
    /// Other numbers.
    Real,
    /// Picoseconds, shown as seconds.
    Seconds,
    /// Texts of the pool.
    Text,
}

/// A cell of any type, as one word. The column knows its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cell(u64);

impl Cell {
    pub fn int(value: impl Into<Option<i64>>) -> Cell {
        Cell(value.into().unwrap_or(NO_INT) as u64)
    }

    pub fn count(value: impl Into<Option<u64>>) -> Cell {
        Cell::int(value.into().map(|value| i64::try_from(value).unwrap_or(i64::MAX)))
    }

    pub fn number(value: impl Into<Option<u32>>) -> Cell {
        Cell::int(value.into().map(i64::from))
    }

    pub fn real(value: impl Into<Option<f64>>) -> Cell {
        Cell(value.into().unwrap_or(f64::NAN).to_bits())
    }

    pub fn time(value: Time) -> Cell {
        Cell(value.as_picos())
    }

    pub fn span(value: Duration) -> Cell {
        Cell(value.as_picos())
    }

    /// A text by its number in the pool; zero is nothing.
    pub fn text(number: u32) -> Cell {
        Cell(u64::from(number))
    }

    pub fn as_int(self) -> Option<i64> {
        let value = self.0 as i64;
        (value != NO_INT).then_some(value)
    }

    pub fn as_real(self) -> Option<f64> {
        let value = f64::from_bits(self.0);
        (!value.is_nan()).then_some(value)
    }

    pub fn as_picos(self) -> u64 {
        self.0
    }

    pub fn as_text(self) -> Option<u32> {
        (self.0 != 0).then_some(self.0 as u32)
    }
}

/// Texts, numbered from 1.
pub(crate) struct Pool {
    texts: Vec<String>,
    known: FxHashMap<&'static str, u32>,
    methods: FxHashMap<Method, u32>,
}

impl Pool {
    /// These texts, in order.
    pub fn of<'a>(texts: impl Iterator<Item = &'a str>) -> Pool {
        Pool {
            texts: texts.map(str::to_owned).collect(),
            known: FxHashMap::default(),
            methods: FxHashMap::default(),
        }
    }

    /// Adds a text and returns its number.
    pub fn add(&mut self, text: &str) -> u32 {
        self.texts.push(text.to_owned());
        self.texts.len() as u32
    }

    /// The number of a constant text, which is added at its first use.
    pub fn known(&mut self, text: &'static str) -> u32 {
        if let Some(&number) = self.known.get(text) {
            return number;
        }
        let number = self.add(text);
        self.known.insert(text, number);
        number
    }

    /// The number of the name of a method, which is added at its first use.
    pub fn method(&mut self, method: Method) -> u32 {
        if let Some(&number) = self.methods.get(&method) {
            return number;
        }
        let number = self.add(&method.to_string());
        self.methods.insert(method, number);
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

    /// Appends rows: their cells, one row after the other.
    fn append(&mut self, cells: &[Cell], pool: &Pool) -> io::Result<()>;

    /// Completes the file, which does not have its name yet.
    fn seal(self) -> Result<SealedFile, TimelineError>;
}

/// A table that is being written.
pub(crate) struct Table<S: Sheet> {
    sheet: Option<S>,
    path: PathBuf,
    columns: usize,
    cells: Vec<Cell>,
}

impl<S: Sheet> Table<S> {
    pub fn create(folder: &Path, layout: Layout, run: &RunInfo) -> Result<Table<S>, TimelineError> {
        let path = folder.join(layout.name).with_extension(S::ENDING);
        let sheet = Some(S::create(&path, &layout, run)?);
        Ok(Table { sheet, path, columns: layout.columns.len(), cells: Vec::new() })
    }

    /// Appends a row.
    pub fn push<const N: usize>(&mut self, row: [Cell; N], pool: &Pool) -> io::Result<()> {
        debug_assert_eq!(N, self.columns);
        self.cells.extend_from_slice(&row);
        if self.cells.len() == BATCH * N { self.flush(pool) } else { Ok(()) }
    }

    fn flush(&mut self, pool: &Pool) -> io::Result<()> {
        if let Some(sheet) = &mut self.sheet
            && !self.cells.is_empty()
        {
            sheet.append(&self.cells, pool)?;
        }
        self.cells.clear();
        Ok(())
    }

    /// Writes the remaining rows and completes the file, unless it is complete.
    pub fn seal(&mut self, pool: &Pool) -> Result<Option<SealedFile>, TimelineError> {
        self.flush(pool).map_err(|error| TimelineError::io(&self.path, error))?;
        self.sheet.take().map(S::seal).transpose()
    }
}

/// The file of a table. Its folder is made when the first table is complete.
pub(crate) fn open(path: &Path) -> Result<OutputFile, TimelineError> {
    OutputFile::create_with_folder(path).map_err(|error| TimelineError::io(path, error))
}
