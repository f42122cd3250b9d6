//! The spellings of other launchers.
//!
//! People type `mpirun -np 4 -ppn 2 -genv A 1 prog`. These single-dash words are turned into the options
//! of [`RunArguments`] before they are parsed; which of them take values is asked of that definition.

use std::ffi::OsString;

use clap::{Arg, ArgAction, CommandFactory};

use crate::arguments::RunArguments;

/// Other spellings, and ours.
const SPELLINGS: [(&str, &str); 18] = [
    ("-np", "--np"),
    ("--n", "--np"),
    ("-c", "--np"),
    ("-ppn", "--ppn"),
    ("-npernode", "--ppn"),
    ("--npernode", "--ppn"),
    ("-N", "--ppn"),
    ("-host", "--host"),
    ("-hosts", "--host"),
    ("--hosts", "--host"),
    ("-hostfile", "--hostfile"),
    ("-machinefile", "--hostfile"),
    ("--machinefile", "--hostfile"),
    ("-f", "--hostfile"),
    ("-genv", "--env"),
    ("-env", "--env"),
    ("-mca", "--mca"),
    ("-wdir", "--wdir"),
];

/// What was typed, with options spelled our way and the programs separated.
pub fn translate(typed: &[OsString]) -> Vec<Vec<OsString>> {
    typed.split(|word| word == ":").map(translate_one).collect()
}

fn translate_one(typed: &[OsString]) -> Vec<OsString> {
    let command = RunArguments::command();
    let mut translated = vec![OsString::from("mpirage run")];
    let mut words = typed.iter();
    while let Some(word) = words.next() {
        let ours = spelled_our_way(word);
        let is_option = ours.to_str().is_some_and(|text| text.starts_with('-') && text.len() > 1);
        translated.push(ours.clone());
        if !is_option {
            break;
        }
        for _ in 0..values_of(&command, &ours) {
            translated.extend(words.next().cloned());
        }
    }
    // The program has started: whatever follows is its own.
    translated.extend(words.cloned());
    translated
}

fn spelled_our_way(word: &OsString) -> OsString {
    let known = SPELLINGS.iter().find(|(other, _)| word == other);
    known.map_or_else(|| word.clone(), |(_, ours)| OsString::from(ours))
}

/// How many words after this one belong to it.
fn values_of(command: &clap::Command, option: &OsString) -> usize {
    let Some(text) = option.to_str() else { return 0 };
    if text.contains('=') {
        return 0;
    }
    let matches = |arg: &&Arg| {
        let long = text.strip_prefix("--").is_some_and(|name| arg.get_long() == Some(name));
        let short = text
            .strip_prefix('-')
            .filter(|rest| rest.chars().count() == 1)
            .and_then(|rest| rest.chars().next());
        long || (short.is_some() && arg.get_short() == short)
    };
    let Some(arg) = command.get_arguments().find(matches) else { return 0 };
    match arg.get_action() {
        ArgAction::Set | ArgAction::Append => arg.get_num_args().map_or(1, |range| range.min_values()),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    fn parse(line: &str) -> RunArguments {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        RunArguments::try_parse_from(&translate(&words)[0]).unwrap()
    }

    #[test]
    fn what_people_type_is_understood() {
        let run = parse("-np 4 -ppn 2 -genv A 1 -x B=2 --mca btl tcp -host a,b:2 ./prog -np 7 --json");
        assert_eq!((run.n, run.machine.ppn, run.results.json), (Some(4), Some(2), false));
        assert_eq!((run.env, run.export), (vec!["A".to_owned(), "1".to_owned()], vec!["B=2".to_owned()]));
        assert_eq!(run.program, ["./prog", "-np", "7", "--json"]);
        assert_eq!(run.machine.host, ["a", "b:2"]);
    }

    #[test]
    fn arguments_of_the_program_are_its_own() {
        let run = parse("-n 2 ./prog -h --platform x");
        assert_eq!((run.machine.platform, run.program.len()), (None, 4));
    }

    #[test]
    fn a_colon_starts_another_program() {
        let words: Vec<OsString> = "-n 2 a x : -np 3 b".split(' ').map(OsString::from).collect();
        let parts = translate(&words);
        assert_eq!(parts.len(), 2);
        assert_eq!(RunArguments::try_parse_from(&parts[1]).unwrap().n, Some(3));
    }
}
