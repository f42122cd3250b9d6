//! Which writer a file name asks for.

use std::path::Path;

use mpirage_record::Recorder;

use crate::paje::Paje;
use crate::paraver::Paraver;
use crate::perfetto::Perfetto;
use crate::{RunInfo, TimelineError};

/// Writes a run to a file, or a few.
///
/// What goes wrong while the run goes on is kept until [`finish`](Writer::finish), which says it.
pub trait Writer: Recorder {
    /// The run is over: completes the files and gives them their names. Without it there are none.
    fn finish(&mut self) -> Result<(), TimelineError>;
}

/// The endings of file names that are known, and what each stands for.
pub const EXTENSIONS: [(&str, &str); 6] = [
    ("prv", "Paraver"),
    ("pftrace", "Perfetto"),
    ("perfetto-trace", "Perfetto"),
    ("perfetto", "Perfetto"),
    ("paje", "Paje"),
    ("trace", "Paje"),
];

/// A writer for the format that the ending of `path` stands for.
pub fn create(path: &Path, run: &RunInfo) -> Result<Box<dyn Writer>, TimelineError> {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("");
    Ok(match ending {
        "prv" => Box::new(Paraver::create(path, run)?),
        "pftrace" | "perfetto-trace" | "perfetto" => Box::new(Perfetto::create(path, run)?),
        "paje" | "trace" => Box::new(Paje::create(path, run)?),
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
            let path = folder.path().join(ending).with_extension(ending);
            let mut writer = create(&path, &run).unwrap();
            assert!(!path.is_file());
            writer.finish().unwrap();
            assert!(path.exists(), "{ending}");
        }
        let error = create(Path::new("run.otf2"), &run).err().unwrap();
        assert!(error.to_string().contains(".prv (Paraver)"), "{error}");
        let error = create(&folder.path().join("no/such/run.prv"), &run).err().unwrap();
        assert!(error.to_string().contains("run.prv: "), "{error}");
    }
}
