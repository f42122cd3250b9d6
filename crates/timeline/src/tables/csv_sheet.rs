//! Tables as comma-separated values: a line of names, then a line per row. What is not there is empty.

use std::io::{self, Write};
use std::path::Path;

use super::table::{Column, Layout, NO_INT, Pool, Sheet};
use crate::draft::Draft;
use crate::{RunInfo, TimelineError};

/// A CSV file.
pub(crate) struct Csv {
    out: csv::Writer<Draft>,
    path: std::path::PathBuf,
    field: Vec<u8>,
}

impl Sheet for Csv {
    const ENDING: &'static str = "csv";

    fn create(path: &Path, layout: &Layout, _: &RunInfo) -> Result<Csv, TimelineError> {
        let mut out = csv::Writer::from_writer(Draft::create(path)?);
        let names = layout.columns.iter().map(|heading| heading.name);
        out.write_record(names).map_err(|error| TimelineError::io(path, error))?;
        Ok(Csv { out, path: path.to_owned(), field: Vec::new() })
    }

    fn append(&mut self, rows: usize, columns: &[Column], pool: &Pool) -> io::Result<()> {
        for row in 0..rows {
            for column in columns {
                self.field.clear();
                write_cell(&mut self.field, column, row, pool);
                self.out.write_field(&self.field)?;
            }
            self.out.write_record(None::<&[u8]>)?;
        }
        Ok(())
    }

    fn finish(self) -> Result<(), TimelineError> {
        let draft = self.out.into_inner().map_err(|error| {
            let kind = error.error().kind();
            TimelineError::io(&self.path, kind)
        })?;
        draft.finish()
    }
}

fn write_cell(field: &mut Vec<u8>, column: &Column, row: usize, pool: &Pool) {
    match column {
        Column::Int(values) if values[row] != NO_INT => crate::text::number(field, values[row]),
        // The shortest text that is read back as the same number.
        Column::Real(values) if !values[row].is_nan() => {
            write!(field, "{}", values[row]).expect("a vector grows");
        }
        Column::Text(values) if values[row] != 0 => {
            field.extend_from_slice(pool.text(values[row]).as_bytes())
        }
        _ => {}
    }
}
