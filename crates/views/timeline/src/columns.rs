//! A table that is in memory, column by column, as one file: CSV or Parquet, by the ending of its name.

use std::path::Path;

use mpirage_files::OutputFile;

use crate::TimelineError;

/// A column. All columns of a table have the same number of values; a missing value is `None`.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its values.
    pub values: Values,
}

/// The values of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Whole numbers.
    Ints(Vec<Option<i64>>),
    /// Other numbers.
    Reals(Vec<Option<f64>>),
    /// Texts.
    Texts(Vec<Option<String>>),
}

impl Values {
    /// The number of values, missing ones included.
    pub fn len(&self) -> usize {
        match self {
            Values::Ints(values) => values.len(),
            Values::Reals(values) => values.len(),
            Values::Texts(values) => values.len(),
        }
    }

    /// True if there is no value.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A value as text; empty if it is missing. A number is the shortest text that is read back as the same number.
    pub fn text(&self, row: usize) -> String {
        match self {
            Values::Ints(values) => values[row].map_or_else(String::new, |value| value.to_string()),
            Values::Reals(values) => values[row].map_or_else(String::new, |value| value.to_string()),
            Values::Texts(values) => values[row].clone().unwrap_or_default(),
        }
    }
}

/// Writes a table. The file appears when it is complete.
pub fn write_columns(path: &Path, columns: &[Column]) -> Result<(), TimelineError> {
    let file = OutputFile::create(path).map_err(|error| TimelineError::io(path, error))?;
    let written = match path.extension().and_then(|ending| ending.to_str()) {
        Some("parquet") => return parquet(path, file, columns),
        _ => csv(file, columns),
    };
    let file = written.map_err(|error| TimelineError::io(path, error))?;
    file.finish().map_err(|error| TimelineError::io(path, error))
}

fn csv(file: OutputFile, columns: &[Column]) -> std::io::Result<OutputFile> {
    let mut out = csv::Writer::from_writer(file);
    out.write_record(columns.iter().map(|column| &column.name))?;
    for row in 0..columns.first().map_or(0, |column| column.values.len()) {
        out.write_record(columns.iter().map(|column| column.values.text(row)))?;
    }
    out.into_inner().map_err(|error| std::io::Error::other(error.to_string()))
}

#[cfg(not(feature = "parquet"))]
fn parquet(path: &Path, _: OutputFile, _: &[Column]) -> Result<(), TimelineError> {
    Err(TimelineError::LeftOut { file: path.to_owned() })
}

#[cfg(feature = "parquet")]
fn parquet(path: &Path, file: OutputFile, columns: &[Column]) -> Result<(), TimelineError> {
    let file = with_parquet::write(file, columns).map_err(|error| TimelineError::io(path, error))?;
    file.finish().map_err(|error| TimelineError::io(path, error))
}

#[cfg(feature = "parquet")]
mod with_parquet {
    use std::sync::Arc;

    use mpirage_files::OutputFile;
    use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
    use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
    use parquet::errors::ParquetError;
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
    use parquet::schema::types::Type;

    use super::{Column, Values};

    pub fn write(file: OutputFile, columns: &[Column]) -> Result<OutputFile, ParquetError> {
        let fields = columns.iter().map(|column| field(column).map(Arc::new)).collect::<Result<_, _>>()?;
        let schema = Arc::new(Type::group_type_builder("table").with_fields(fields).build()?);
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by(concat!("mpirage ", env!("CARGO_PKG_VERSION")).to_owned());
        let mut out = SerializedFileWriter::new(file, schema, Arc::new(properties.build()))?;
        let mut group = out.next_row_group()?;
        for column in columns {
            let mut writer = group.next_column()?.expect("as many columns as in the schema");
            fill(&mut writer, &column.values)?;
            writer.close()?;
        }
        group.close()?;
        out.into_inner()
    }

    fn field(column: &Column) -> Result<Type, ParquetError> {
        let (physical, logical) = match column.values {
            Values::Ints(_) => (Physical::INT64, None),
            Values::Reals(_) => (Physical::DOUBLE, None),
            Values::Texts(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        };
        Type::primitive_type_builder(&column.name, physical)
            .with_logical_type(logical)
            .with_repetition(Repetition::OPTIONAL)
            .build()
    }

    fn fill(out: &mut SerializedColumnWriter<'_>, values: &Values) -> Result<(), ParquetError> {
        match values {
            Values::Ints(values) => {
                out.typed::<Int64Type>().write_batch(&there(values), Some(&present(values)), None)?
            }
            Values::Reals(values) => {
                out.typed::<DoubleType>().write_batch(&there(values), Some(&present(values)), None)?
            }
            Values::Texts(values) => {
                let bytes: Vec<ByteArray> =
                    values.iter().flatten().map(|text| ByteArray::from(text.as_str())).collect();
                out.typed::<ByteArrayType>().write_batch(&bytes, Some(&present(values)), None)?
            }
        };
        Ok(())
    }

    fn there<T: Copy>(values: &[Option<T>]) -> Vec<T> {
        values.iter().copied().flatten().collect()
    }

    /// For each row, 1 if it has a value.
    fn present<T>(values: &[Option<T>]) -> Vec<i16> {
        values.iter().map(|value| i16::from(value.is_some())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Vec<Column> {
        let column = |name: &str, values| Column { name: name.to_owned(), values };
        vec![
            column("n", Values::Ints(vec![Some(1), None])),
            column("t", Values::Reals(vec![None, Some(0.1)])),
            column("what", Values::Texts(vec![Some("a, \"b\"".to_owned()), None])),
        ]
    }

    #[test]
    fn missing_values_are_empty_fields() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        write_columns(&path, &table()).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "n,t,what\n1,,\"a, \"\"b\"\"\"\n,0.1,\n");
    }

    #[cfg(feature = "parquet")]
    #[test]
    fn parquet_has_the_same_values() {
        use parquet::file::reader::{FileReader, SerializedFileReader};
        use parquet::record::RowAccessor;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.parquet");
        write_columns(&path, &table()).unwrap();
        let reader = SerializedFileReader::new(std::fs::File::open(&path).unwrap()).unwrap();
        let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
        assert_eq!((rows.len(), rows[0].get_long(0).unwrap(), rows[1].get_double(1).unwrap()), (2, 1, 0.1));
        assert_eq!(rows[0].get_string(2).unwrap(), "a, \"b\"");
        assert!(rows[1].get_long(0).is_err());
    }
}
