//! Tables as Parquet: a batch is a row group, texts are dictionaries, blocks are compressed with Snappy.

use std::io;
use std::path::Path;
use std::sync::Arc;

use mpirage_units::Time;
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;

use super::table::{Cell, ColumnType, Heading, Layout, Pool, Sheet, open};
use crate::TimelineError;
use mpirage_files::{OutputFile, SealedFile};
use mpirage_interpret::RunInfo;

/// A Parquet file.
pub(crate) struct Parquet {
    out: SerializedFileWriter<OutputFile>,
    path: std::path::PathBuf,
    columns: &'static [Heading],
    scratch: Scratch,
}

impl Sheet for Parquet {
    const ENDING: &'static str = "parquet";

    fn create(path: &Path, layout: &Layout, run: &RunInfo) -> Result<Parquet, TimelineError> {
        let file = open(path)?;
        let made = schema(layout).and_then(|schema| SerializedFileWriter::new(file, schema, properties(run)));
        let out = made.map_err(|error| TimelineError::io(path, error))?;
        Ok(Parquet { out, path: path.to_owned(), columns: layout.columns, scratch: Scratch::default() })
    }

    fn append(&mut self, cells: &[Cell], pool: &Pool) -> io::Result<()> {
        let mut group = self.out.next_row_group()?;
        for (position, heading) in self.columns.iter().enumerate() {
            let column = cells[position..].iter().step_by(self.columns.len()).copied();
            let mut out = group.next_column()?.expect("as many columns as in the layout");
            self.scratch.write(&mut out, heading, column, pool)?;
            out.close()?;
        }
        group.close()?;
        Ok(())
    }

    fn seal(self) -> Result<SealedFile, TimelineError> {
        let file = self.out.into_inner().map_err(|error| TimelineError::io(&self.path, error))?;
        file.seal().map_err(|error| TimelineError::io(&self.path, error))
    }
}

/// The values of a column in the form in which they are written. The memory is reused.
#[derive(Default)]
struct Scratch {
    ints: Vec<i64>,
    reals: Vec<f64>,
    texts: Vec<ByteArray>,
    /// For each row, 1 if it has a value.
    present: Vec<i16>,
    /// The pool's texts in the form in which they are written; their bytes are shared.
    pool: Vec<ByteArray>,
}

impl Scratch {
    fn write(
        &mut self,
        out: &mut SerializedColumnWriter<'_>,
        heading: &Heading,
        column: impl Iterator<Item = Cell>,
        pool: &Pool,
    ) -> Result<(), ParquetError> {
        self.present.clear();
        let optional = heading.optional;
        match heading.kind {
            ColumnType::Int => {
                split(column.map(Cell::as_int), &mut self.ints, &mut self.present);
                let present = optional.then_some(self.present.as_slice());
                out.typed::<Int64Type>().write_batch(&self.ints, present, None)?;
            }
            ColumnType::Real | ColumnType::Seconds => {
                let value = |cell: Cell| match heading.kind {
                    ColumnType::Seconds => Some(Time::from_picos(cell.as_picos()).as_secs_f64()),
                    _ => cell.as_real(),
                };
                split(column.map(value), &mut self.reals, &mut self.present);
                let present = optional.then_some(self.present.as_slice());
                out.typed::<DoubleType>().write_batch(&self.reals, present, None)?;
            }
            ColumnType::Text => {
                let known = &mut self.pool;
                let text = |cell: Cell| cell.as_text().map(|number| text(known, number, pool));
                split(column.map(text), &mut self.texts, &mut self.present);
                let present = optional.then_some(self.present.as_slice());
                out.typed::<ByteArrayType>().write_batch(&self.texts, present, None)?;
                self.texts.clear();
            }
        }
        Ok(())
    }
}

/// Collects the values that are present, and for each row whether it has one.
fn split<T>(column: impl Iterator<Item = Option<T>>, values: &mut Vec<T>, present: &mut Vec<i16>) {
    values.clear();
    for value in column {
        present.push(i16::from(value.is_some()));
        values.extend(value);
    }
}

fn text(known: &mut Vec<ByteArray>, number: u32, pool: &Pool) -> ByteArray {
    for next in known.len() as u32..number {
        known.push(ByteArray::from(pool.text(next + 1)));
    }
    known[number as usize - 1].clone()
}

fn schema(layout: &Layout) -> Result<Arc<Type>, ParquetError> {
    let fields =
        layout.columns.iter().map(|heading| field(heading).map(Arc::new)).collect::<Result<_, _>>()?;
    Ok(Arc::new(Type::group_type_builder(layout.name).with_fields(fields).build()?))
}

fn field(heading: &Heading) -> Result<Type, ParquetError> {
    let (physical, logical) = match heading.kind {
        ColumnType::Int => (Physical::INT64, None),
        ColumnType::Real | ColumnType::Seconds => (Physical::DOUBLE, None),
        ColumnType::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
    };
    let repetition = if heading.optional { Repetition::OPTIONAL } else { Repetition::REQUIRED };
    Type::primitive_type_builder(heading.name, physical)
        .with_logical_type(logical)
        .with_repetition(repetition)
        .build()
}

/// Options of the files, and metadata about the run.
fn properties(run: &RunInfo) -> Arc<WriterProperties> {
    let fact = |(name, value): &(String, String)| KeyValue::new(name.clone(), value.clone());
    let mut facts = vec![
        KeyValue::new("program".to_owned(), run.program.clone()),
        KeyValue::new("platform".to_owned(), run.platform.name().to_owned()),
    ];
    facts.extend(run.facts.iter().map(fact));
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by(concat!("mpirage ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_key_value_metadata(Some(facts));
    Arc::new(properties.build())
}
