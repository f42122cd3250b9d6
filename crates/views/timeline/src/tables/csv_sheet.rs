//! Tables as comma-separated values: a line of names, then a line per row. Missing values are empty.

use std::io::{self, Write};
use std::path::Path;

use super::table::{Cell, ColumnType, Heading, Layout, Pool, Sheet, open};
use crate::{TimelineError, text};
use mpirage_files::{OutputFile, SealedFile};
use mpirage_interpret::RunInfo;

/// A CSV file.
pub(crate) struct Csv {
    out: csv::Writer<OutputFile>,
    path: std::path::PathBuf,
    columns: &'static [Heading],
    field: Vec<u8>,
}

impl Sheet for Csv {
    const ENDING: &'static str = "csv";

    fn create(path: &Path, layout: &Layout, _: &RunInfo) -> Result<Csv, TimelineError> {
        let mut out = csv::Writer::from_writer(open(path)?);
        let names = layout.columns.iter().map(|heading| heading.name);
        out.write_record(names).map_err(|error| TimelineError::io(path, error))?;
        Ok(Csv { out, path: path.to_owned(), columns: layout.columns, field: Vec::new() })
    }

    fn append(&mut self, cells: &[Cell], pool: &Pool) -> io::Result<()> {
        for row in cells.chunks_exact(self.columns.len()) {
            for (heading, &cell) in self.columns.iter().zip(row) {
                self.field.clear();
                write_cell(&mut self.field, heading.kind, cell, pool);
                self.out.write_field(&self.field)?;
            }
            self.out.write_record(None::<&[u8]>)?;
        }
        Ok(())
    }

    fn seal(self) -> Result<SealedFile, TimelineError> {
        let file = self.out.into_inner().map_err(|error| {
            let kind = error.error().kind();
            TimelineError::io(&self.path, kind)
        })?;
        file.seal().map_err(|error| TimelineError::io(&self.path, error))
    }
}

fn write_cell(field: &mut Vec<u8>, kind: ColumnType, cell: Cell, pool: &Pool) {
    match kind {
        ColumnType::Int => cell.as_int().into_iter().for_each(|value| text::number(field, value)),
        ColumnType::Seconds => text::short_seconds(field, cell.as_picos()),
        // The shortest text that is read back as the same number.
        ColumnType::Real => {
            cell.as_real().into_iter().for_each(|value| write!(field, "{value}").expect("a vector grows"))
        }
        ColumnType::Text => cell
            .as_text()
            .into_iter()
            .for_each(|number| field.extend_from_slice(pool.text(number).as_bytes())),
    }
}
