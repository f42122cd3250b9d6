//! Programs that a rank starts (`MPI_Comm_spawn`, `MPI_Comm_spawn_multiple`), and their text in [`Call::Spawn`](crate::Call::Spawn).

/// The ends of a program and of a word of it. Neither occurs in arguments, as a rule: they are control characters.
const PROGRAM_END: char = '\u{1e}';
const WORD_END: char = '\u{1f}';

/// A program and how many processes execute it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpawnedProgram {
    /// The number of processes.
    pub count: u32,
    /// The folder in which it runs.
    pub folder: String,
    /// The executable.
    pub path: String,
    /// Its arguments.
    pub arguments: Vec<String>,
}

impl SpawnedProgram {
    /// Programs as the text of a call.
    pub fn write(programs: &[SpawnedProgram]) -> String {
        let mut text = String::new();
        for program in programs {
            let count = program.count.to_string();
            let words = [&count, &program.folder, &program.path].into_iter().chain(&program.arguments);
            words.for_each(|word| text.extend([word.as_str(), WORD_END.encode_utf8(&mut [0; 4])]));
            text.push(PROGRAM_END);
        }
        text
    }

    /// The programs in the text of a call. Programs that are not written as they should be are left out.
    pub fn read(text: &str) -> Vec<SpawnedProgram> {
        text.split_terminator(PROGRAM_END).filter_map(SpawnedProgram::read_one).collect()
    }

    fn read_one(text: &str) -> Option<SpawnedProgram> {
        let mut words = text.split_terminator(WORD_END).map(str::to_owned);
        let count = words.next()?.parse().ok()?;
        Some(SpawnedProgram { count, folder: words.next()?, path: words.next()?, arguments: words.collect() })
    }

    /// The program of the process with this number, and the program's number.
    pub fn of(programs: &[SpawnedProgram], process: u32) -> Option<(u32, &SpawnedProgram)> {
        let mut end = 0;
        (0..).zip(programs).find(|(_, program)| {
            end += program.count;
            process < end
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_survive_being_written_and_read() {
        let program = |count, arguments: &[&str]| SpawnedProgram {
            count,
            folder: "/tmp/a b".into(),
            path: "/bin/worker".into(),
            arguments: arguments.iter().map(|&argument| argument.into()).collect(),
        };
        let programs = [program(2, &["-v", "", "two words"]), program(3, &[])];
        assert_eq!(SpawnedProgram::read(&SpawnedProgram::write(&programs)), programs);
        let of: Vec<Option<u32>> = (0..6).map(|i| SpawnedProgram::of(&programs, i).map(|(n, _)| n)).collect();
        assert_eq!(of, [Some(0), Some(0), Some(1), Some(1), Some(1), None]);
        assert_eq!(SpawnedProgram::read("no program"), []);
    }
}
