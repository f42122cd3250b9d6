//! Tables as Parquet: a batch is a row group, texts are dictionaries, blocks are compressed with Snappy.

use std::io;
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;

use super::table::{Column, Heading, Kind, Layout, NO_INT, Pool, Sheet};
use crate::draft::Draft;
use crate::{RunInfo, TimelineError};

/// A Parquet file.
pub(crate) struct Parquet {
    out: SerializedFileWriter<Draft>,
    path: std::path::PathBuf,
    columns: &'static [Heading],
    /// The pool's texts in the form in which they are written; their bytes are shared.
    texts: Vec<ByteArray>,
    present: Vec<i16>,
}

impl Sheet for Parquet {
    const ENDING: &'static str = "parquet";

    fn create(path: &Path, layout: &Layout, run: &RunInfo) -> Result<Parquet, TimelineError> {
        let draft = Draft::create(path)?;
        let made =
            schema(layout).and_then(|schema| SerializedFileWriter::new(draft, schema, properties(run)));
        let out = made.map_err(|error| TimelineError::io(path, error))?;
        let (texts, present) = (Vec::new(), Vec::new());
        Ok(Parquet { out, path: path.to_owned(), columns: layout.columns, texts, present })
    }

    fn append(&mut self, _: usize, columns: &[Column], pool: &Pool) -> io::Result<()> {
        let mut group = self.out.next_row_group()?;
        for (heading, column) in self.columns.iter().zip(columns) {
            let mut out = group.next_column()?.expect("as many columns as in the layout");
            let mut cells = Cells { texts: &mut self.texts, present: &mut self.present };
            cells.write(&mut out, heading.optional, column, pool)?;
            out.close()?;
        }
        group.close()?;
        Ok(())
    }

    fn finish(self) -> Result<(), TimelineError> {
        let draft = self.out.into_inner().map_err(|error| TimelineError::io(&self.path, error))?;
        draft.finish()
    }
}

/// Writes the cells of a column.
struct Cells<'a> {
    texts: &'a mut Vec<ByteArray>,
    present: &'a mut Vec<i16>,
}

impl Cells<'_> {
    fn write(
        &mut self,
        out: &mut SerializedColumnWriter<'_>,
        optional: bool,
        column: &Column,
        pool: &Pool,
    ) -> Result<(), ParquetError> {
        match column {
            Column::Int(values) => {
                let (values, present) = self.split(values, optional, |&value| value != NO_INT);
                out.typed::<Int64Type>().write_batch(&values, present, None)?;
            }
            Column::Real(values) => {
                let (values, present) = self.split(values, optional, |value| !value.is_nan());
                out.typed::<DoubleType>().write_batch(&values, present, None)?;
            }
            Column::Text(numbers) => {
                let texts: Vec<ByteArray> = numbers
                    .iter()
                    .filter(|&&number| number != 0)
                    .map(|&number| self.text(number, pool))
                    .collect();
                let (_, present) = self.split(numbers, optional, |&number| number != 0);
                out.typed::<ByteArrayType>().write_batch(&texts, present, None)?;
            }
        }
        Ok(())
    }

    /// The values that are there, and for each row whether there is one; nothing of that where all are.
    fn split<T: Copy>(
        &mut self,
        values: &[T],
        optional: bool,
        is_there: impl Fn(&T) -> bool,
    ) -> (Vec<T>, Option<&[i16]>) {
        if !optional {
            return (values.to_vec(), None);
        }
        self.present.clear();
        self.present.extend(values.iter().map(|value| i16::from(is_there(value))));
        (values.iter().copied().filter(is_there).collect(), Some(self.present))
    }

    fn text(&mut self, number: u32, pool: &Pool) -> ByteArray {
        for known in self.texts.len() as u32..number {
            self.texts.push(ByteArray::from(pool.text(known + 1)));
        }
        self.texts[number as usize - 1].clone()
    }
}

fn schema(layout: &Layout) -> Result<Arc<Type>, ParquetError> {
    let fields =
        layout.columns.iter().map(|heading| field(heading).map(Arc::new)).collect::<Result<_, _>>()?;
    Ok(Arc::new(Type::group_type_builder(layout.name).with_fields(fields).build()?))
}

fn field(heading: &Heading) -> Result<Type, ParquetError> {
    let (physical, logical) = match heading.kind {
        Kind::Int => (Physical::INT64, None),
        Kind::Real => (Physical::DOUBLE, None),
        Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
    };
    let repetition = if heading.optional { Repetition::OPTIONAL } else { Repetition::REQUIRED };
    Type::primitive_type_builder(heading.name, physical)
        .with_logical_type(logical)
        .with_repetition(repetition)
        .build()
}

/// How files are written, and what they say of the run.
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
