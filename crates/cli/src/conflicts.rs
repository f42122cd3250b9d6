//! Refuses outputs that would replace an input, or another output.
//!
//! Files are compared by device and inode, so that links and other spellings of a path are recognised. An output that does not
//! exist yet is identified by its folder and its name.

use std::ffi::{OsStr, OsString};
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use mpirage_files::{folder_of, is_special, resolve};
use mpirage_simulation::{MachineRequest, OutputRequest, Replay, Run, Workload};

use crate::arguments::JsonArgument;
use crate::exit::{Failure, usage};

/// The files that a command reads and writes.
#[derive(Default)]
pub struct Conflicts {
    inputs: Vec<File>,
    outputs: Vec<File>,
}

/// A file or folder of a command.
struct File {
    /// Its role and name, such as `the trace run.mpirage`.
    what: String,
    identity: Identity,
    /// The folder around it, and its name there.
    inside: Option<(Identity, OsString)>,
    /// The ending of the files that are written into it, if it is a folder of outputs.
    folder_of: Option<&'static str>,
}

#[derive(Clone, PartialEq, Eq)]
enum Identity {
    /// Device and inode.
    Existing(u64, u64),
    /// Device and inode of the innermost folder that exists, and the rest of the path.
    New(u64, u64, PathBuf),
}

/// Refuses a file of JSON that would replace the input.
pub fn check_json(json: &JsonArgument, role: &str, input: &str) -> Result<(), Failure> {
    let mut files = Conflicts::default();
    files.input(role, Path::new(input));
    json.add_to(&mut files);
    files.check()
}

impl Conflicts {
    /// Adds a file, or the files of a folder, that the command reads. Names that do not exist are built-in names, and skipped.
    pub fn input(&mut self, role: &str, path: &Path) {
        if !path.exists() {
            return;
        }
        let mut add =
            |path: &Path| self.inputs.extend(File::new(format!("{role} {}", path.display()), path, None));
        add(path);
        for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
            add(&entry.path());
        }
    }

    /// Adds the files that describe a machine.
    pub fn machine(&mut self, request: &MachineRequest) {
        if let Some(spec) = &request.platform {
            self.input("the platform", Path::new(spec));
        }
        self.input("the model", Path::new(&request.model));
        for rules in request.coll.split(',').map(str::trim).filter(|item| !item.contains('=')) {
            self.input("the rules", Path::new(rules));
        }
        if let Some(file) = &request.hostfile {
            self.input("the host file", file);
        }
    }

    /// Adds the files that a run writes besides its figures.
    pub fn outputs_of(&mut self, request: &OutputRequest) {
        request.trace.iter().for_each(|file| self.trace("--trace", file));
        request.report.iter().for_each(|file| self.output("--report", file));
        for (_, file) in request.pcap.iter().filter_map(|capture| capture.split_once('=')) {
            self.output("--pcap", Path::new(file));
        }
    }

    /// Adds the files of a run.
    pub fn run(&mut self, run: &Run) {
        run.program_files().iter().for_each(|program| self.input("the program", program));
        self.machine(&run.request().machine);
        run.costs_written().iter().for_each(|file| self.output("--compute recorded:", file));
        run.costs_read().iter().for_each(|file| self.input("the recorded costs", file));
        self.outputs_of(&run.request().outputs);
    }

    /// Adds all files of a trace, which the command reads.
    pub fn workload(&mut self, workload: &dyn Workload) {
        let mut before = None;
        for rank in 0..workload.ranks() {
            let file = workload.place(rank, 1).map(|(file, _)| file);
            if file != before
                && let Some(file) = &file
            {
                self.input("the trace", file);
            }
            before = file;
        }
    }

    /// Adds the files of a replay.
    pub fn replay(&mut self, replay: &Replay) {
        self.input("the trace", Path::new(&replay.request().workload));
        self.workload(replay.workload());
        self.machine(&replay.request().machine);
        self.outputs_of(&replay.request().outputs);
    }

    /// Adds a file that the command writes.
    pub fn output(&mut self, role: &str, path: &Path) {
        self.outputs.extend(File::new(format!("{role} {}", path.display()), path, None));
    }

    /// Adds a trace that the command writes: a file, several files or a folder, depending on its ending.
    pub fn trace(&mut self, role: &str, path: &Path) {
        let what = format!("{role} {}", path.display());
        let is_folder = path.as_os_str().as_encoded_bytes().ends_with(b"/");
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        let holds = match ending {
            _ if is_folder => Some("txt"),
            "csv" => Some("csv"),
            "parquet" => Some("parquet"),
            _ => None,
        };
        self.outputs.extend(File::new(what.clone(), path, holds));
        let more: &[&str] = match ending {
            "prv" if !is_folder => &["pcf", "row"],
            "otf2" if !is_folder => &["def"],
            _ => &[],
        };
        for ending in more {
            self.outputs.extend(File::new(what.clone(), &path.with_extension(ending), None));
        }
        if ending == "otf2" && !is_folder {
            self.outputs.extend(File::new(what.clone(), &path.with_extension(""), Some("evt")));
        }
        if ending == "ti" && !is_folder {
            let mut files = path.as_os_str().to_owned();
            files.push("_files");
            self.outputs.extend(File::new(what, Path::new(&files), Some("txt")));
        }
    }

    /// An error if an output is an input, or two outputs are one file.
    pub fn check(&self) -> Result<(), Failure> {
        for (at, output) in self.outputs.iter().enumerate() {
            let others = self.inputs.iter().chain(&self.outputs[at + 1..]);
            if let Some(other) = others.into_iter().find(|other| output.clashes_with(other)) {
                let (output, other) = (&output.what, &other.what);
                return Err(usage(format!("{output} would replace {other}; choose another name")));
            }
        }
        Ok(())
    }
}

impl File {
    /// `None` for devices and pipes, which need no protection.
    fn new(what: String, path: &Path, folder_of_ending: Option<&'static str>) -> Option<File> {
        if is_special(path) {
            return None;
        }
        let path = resolve(path).ok()?;
        let inside = Identity::of(folder_of(&path)).zip(path.file_name().map(OsStr::to_owned));
        Some(File { what, identity: Identity::of(&path)?, inside, folder_of: folder_of_ending })
    }

    fn clashes_with(&self, other: &File) -> bool {
        self.identity == other.identity || self.writes_into(other) || other.writes_into(self)
    }

    /// True if writing this folder may replace the other file.
    fn writes_into(&self, other: &File) -> bool {
        let (Some(ending), Some((folder, name))) = (self.folder_of, &other.inside) else { return false };
        *folder == self.identity && Path::new(name).extension().is_some_and(|found| found == ending)
    }
}

impl Identity {
    fn of(path: &Path) -> Option<Identity> {
        path.ancestors().find_map(|around| {
            let found = std::fs::metadata(around).ok()?;
            let rest = path.strip_prefix(around).ok()?;
            Some(match rest == Path::new("") {
                true => existing(&found),
                false => Identity::New(found.dev(), found.ino(), rest.to_owned()),
            })
        })
    }
}

fn existing(found: &Metadata) -> Identity {
    Identity::Existing(found.dev(), found.ino())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn clash(folder: &Path, input: &str, output: &str) -> bool {
        let mut files = Conflicts::default();
        files.input("the trace", &folder.join(input));
        files.trace("--trace", &folder.join(output));
        files.check().is_err()
    }

    #[test]
    fn inputs_are_recognised_under_other_names() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("a.mpirage"), "x").unwrap();
        fs::hard_link(at("a.mpirage"), at("hard.mpirage")).unwrap();
        symlink("a.mpirage", at("soft.mpirage")).unwrap();
        fs::create_dir(at("ti")).unwrap();
        fs::write(at("ti/ranks.txt"), "x").unwrap();
        fs::write(at("b.row"), "x").unwrap();
        for output in ["a.mpirage", "./a.mpirage", "ti/../a.mpirage", "hard.mpirage", "soft.mpirage"] {
            assert!(clash(folder.path(), "a.mpirage", output), "{output}");
        }
        assert!(clash(folder.path(), "ti/ranks.txt", "ti/"));
        assert!(clash(folder.path(), "ti", "ti/"));
        assert!(clash(folder.path(), "ti", "ti/ranks.txt"));
        assert!(!clash(folder.path(), "ti", "ti/new.txt"));
        assert!(clash(folder.path(), "b.row", "b.prv"));
        assert!(!clash(folder.path(), "a.mpirage", "c.mpirage"));
        assert!(!clash(folder.path(), "gen:ring", "gen:ring"));
    }

    #[test]
    fn two_outputs_are_two_files() {
        let folder = tempfile::tempdir().unwrap();
        let check = |first: &str, second: &str| {
            let mut files = Conflicts::default();
            files.trace("--trace", &folder.path().join(first));
            files.output("--report", &folder.path().join(second));
            files.check()
        };
        assert!(check("new.html", "./new.html").is_err());
        assert!(check("a.prv", "a.row").is_err());
        assert!(check("out/", "out/ranks.txt").is_err());
        assert!(check("out/", "out/report.html").is_ok());
        assert!(check("/dev/null", "/dev/null").is_ok());
    }
}
