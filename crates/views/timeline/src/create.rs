//! Chooses the writer for a file name.

use std::path::Path;

use mpirage_record::Writer;

use crate::TimelineError;
use crate::otf2::Otf2;
use crate::paje::Paje;
use crate::paraver::Paraver;
use crate::perfetto::Perfetto;
#[cfg(feature = "parquet")]
use crate::tables::Parquet;
use crate::tables::{Csv, Tables};
use mpirage_interpret::RunInfo;

/// The endings of file names, and their formats.
pub const EXTENSIONS: [(&str, &str); 9] = [
    ("prv", "Paraver"),
    ("pftrace", "Perfetto"),
    ("perfetto-trace", "Perfetto"),
    ("perfetto", "Perfetto"),
    ("paje", "Paje"),
    ("trace", "Paje"),
    ("otf2", "OTF2: Vampir, Score-P's tools"),
    ("parquet", "a folder of Parquet tables"),
    ("csv", "a folder of CSV tables"),
];

/// A writer for the format of the ending of `path`.
pub fn create(path: &Path, run: &RunInfo) -> Result<Box<dyn Writer>, TimelineError> {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("");
    Ok(match ending {
        "prv" => Box::new(Paraver::create(path, run)?),
        "pftrace" | "perfetto-trace" | "perfetto" => Box::new(Perfetto::create(path, run)?),
        "paje" | "trace" => Box::new(Paje::create(path, run)?),
        "otf2" => Box::new(Otf2::create(path, run)?),
        #[cfg(feature = "parquet")]
        "parquet" => Box::new(Tables::<Parquet>::create(path, run)?),
        #[cfg(not(feature = "parquet"))]
        "parquet" => return Err(TimelineError::LeftOut { file: path.to_owned() }),
        "csv" => Box::new(Tables::<Csv>::create(path, run)?),
        _ => {
            let endings = EXTENSIONS.map(|(ending, what)| format!(".{ending} ({what})")).join(", ");
            return Err(TimelineError::Unknown { file: path.to_owned(), endings });
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::run_on;

    #[test]
    fn every_known_ending_has_a_writer() {
        let (run, folder) = (run_on("cluster:2", 2), tempfile::tempdir().unwrap());
        for (ending, _) in EXTENSIONS {
            if ending == "parquet" && cfg!(not(feature = "parquet")) {
                continue;
            }
            let path = folder.path().join(ending).with_extension(ending);
            let mut writer = create(&path, &run).unwrap();
            assert!(!path.is_file());
            writer.finish().unwrap();
            assert!(path.exists(), "{ending}");
        }
        let error = create(Path::new("run.xyz"), &run).err().unwrap();
        assert!(error.to_string().contains(".prv (Paraver)"), "{error}");
        let error = create(&folder.path().join("no/such/run.prv"), &run).err().unwrap();
        assert!(error.to_string().contains("run.prv: "), "{error}");
    }
}
