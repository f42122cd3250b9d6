//! Options of other launchers.
//!
//! In `mpirun -np 4 -ppn 2 -genv A 1 prog`, these single-dash words become options of
//! [`RunArguments`](crate::arguments::RunArguments) before they are parsed.
//! The definition of `RunArguments` also knows which of them take values.

use std::ffi::{OsStr, OsString};

use clap::{Arg, ArgAction, Command};
use mpirage_simulation::words;

use crate::renamed;

/// Other spellings, and ours.
const SPELLINGS: [(&str, &str); 37] = [
    ("-tag-output", "--tag-output"),
    ("-np", "--np"),
    ("--n", "--np"),
    ("-c", "--np"),
    ("-ppn", "--ppn"),
    ("-npernode", "--ppn"),
    ("--npernode", "--ppn"),
    ("-N", "--ppn"),
    ("-perhost", "--ppn"),
    ("-pernode", "--ppn=1"),
    ("--pernode", "--ppn=1"),
    ("-map-by", "--map-by"),
    ("-host", "--host"),
    ("-hosts", "--host"),
    ("--hosts", "--host"),
    ("-hostfile", "--hostfile"),
    ("-machinefile", "--hostfile"),
    ("--machinefile", "--hostfile"),
    ("-f", "--hostfile"),
    ("--bind-to", "--bind"),
    ("-bind-to", "--bind"),
    ("-report-bindings", "--report-bindings"),
    ("-genv", "--env"),
    ("-env", "--env"),
    ("-mca", "--mca"),
    ("-wdir", "--wdir"),
    ("-usize", "--universe-size"),
    ("-oversubscribe", IGNORED),
    ("-allow-run-as-root", IGNORED),
    ("--nooversubscribe", IGNORED),
    ("--use-hwthread-cpus", IGNORED),
    ("-use-hwthread-cpus", IGNORED),
    ("--hetero-nodes", IGNORED),
    ("--display-map", IGNORED),
    ("-display-map", IGNORED),
    ("-genvall", IGNORED),
    ("-envall", IGNORED),
];

/// An option without a value that changes nothing.
const IGNORED: &str = "--oversubscribe";

/// The arguments of each program, with the options of `command` in our spelling.
pub fn translate(typed: &[OsString], command: &Command) -> Vec<Vec<OsString>> {
    typed.split(|word| word == ":").map(|typed| translate_one(typed, command)).collect()
}

fn translate_one(typed: &[OsString], command: &Command) -> Vec<OsString> {
    let mut translated = vec![OsString::from(command.get_name())];
    let mut words = typed.iter();
    while let Some(word) = words.next() {
        let ours = renamed::word(own_name(command), &spelled_our_way(word));
        if words.as_slice().first().is_some_and(|value| renamed::is_json_alone(&ours, value)) {
            words.next();
            translated.push("--json=-".into());
            continue;
        }
        if let Some(ranks) = per_node(&ours, words.as_slice().first()) {
            words.next();
            translated.push(format!("--ppn={ranks}").into());
            continue;
        }
        let is_option = ours.to_str().is_some_and(|text| text.starts_with('-') && text.len() > 1);
        translated.push(ours.clone());
        if !is_option {
            break;
        }
        for _ in 0..values_of(command, &ours) {
            translated.extend(words.next().cloned());
        }
    }
    // The words after the program are its own.
    translated.extend(words.cloned());
    translated
}

/// `check` of `mpirage check`.
fn own_name(command: &Command) -> &str {
    command.get_name().rsplit(' ').next().unwrap_or_default()
}

/// The ranks per node that Open MPI's `--map-by ppr:N:node` asks for.
fn per_node(option: &OsStr, value: Option<&OsString>) -> Option<u32> {
    let value = value.filter(|_| option == "--map-by")?.to_str()?;
    value.strip_prefix("ppr:")?.strip_suffix(":node")?.parse().ok()
}

/// The message about an unknown option.
pub fn unknown_option(word: &OsStr, command: &Command) -> String {
    let typed = word.to_string_lossy();
    let ours = command.get_arguments().filter(|arg| !arg.is_hide_set()).filter_map(Arg::get_long);
    let names: Vec<String> = ours.map(|name| format!("--{name}")).collect();
    let others = SPELLINGS.iter().map(|(other, _)| *other);
    let meant = words::did_you_mean(&typed, names.iter().map(String::as_str).chain(others));
    format!("unknown option {typed}{meant} (`{} --help-all` lists all options)", command.get_name())
}

fn spelled_our_way(word: &OsString) -> OsString {
    // A number without a space, as in -n4.
    let joined = word.to_str().and_then(|text| {
        let (name, number) = text.split_at(text.find(|letter: char| letter.is_ascii_digit())?);
        number.parse::<u32>().ok()?;
        match name {
            "-n" | "-np" | "-c" => Some(format!("--np={number}").into()),
            "-ppn" | "-npernode" | "-N" => Some(format!("--ppn={number}").into()),
            _ => None,
        }
    });
    if let Some(joined) = joined {
        return joined;
    }
    let known = SPELLINGS.iter().find(|(other, _)| word == other);
    known.map_or_else(|| word.clone(), |(_, ours)| OsString::from(ours))
}

/// The number of words that are values of this option.
fn values_of(command: &Command, option: &OsString) -> usize {
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
    use clap::{CommandFactory, Parser};

    use super::*;
    use crate::arguments::{EmulateArguments, RunArguments};

    fn parse(line: &str) -> RunArguments {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        RunArguments::try_parse_from(&translate(&words, &RunArguments::command())[0]).unwrap()
    }

    #[test]
    fn what_people_type_is_understood() {
        let run = parse("-np 4 -ppn 2 -genv A 1 -x B=2 --mca btl tcp -host a,b:2 ./prog -np 7 --json");
        assert_eq!((run.n, run.machine.ppn, run.results.json.is_wanted()), (Some(4), Some(2), false));
        assert_eq!((run.env, run.export), (vec!["A".to_owned(), "1".to_owned()], vec!["B=2".to_owned()]));
        assert_eq!(run.program, ["./prog", "-np", "7", "--json"]);
        assert_eq!(run.machine.host, ["a", "b:2"]);
    }

    #[test]
    fn options_of_scripts_for_other_launchers_are_understood() {
        let run = parse(
            "-genvall --oversubscribe -oversubscribe --use-hwthread-cpus -n 4 --map-by ppr:2:node ./prog -l",
        );
        assert_eq!((run.n, run.machine.ppn, run.program.len()), (Some(4), Some(2), 2));
        assert_eq!(parse("-pernode ./prog").machine.ppn, Some(1));
        assert_eq!(parse("-perhost 3 ./prog").machine.ppn, Some(3));
        assert_eq!(parse("-map-by socket ./prog").machine.map_by, "socket");
    }

    #[test]
    fn numbers_may_follow_without_a_space() {
        let run = parse("-n4 ./prog");
        assert_eq!((run.n, run.program.len()), (Some(4), 1));
        let run = parse("-np4 -ppn2 ./prog -np7");
        assert_eq!((run.n, run.machine.ppn, run.program.len()), (Some(4), Some(2), 2));
    }

    #[test]
    fn json_takes_a_file_only_with_an_equals_sign() {
        let run = parse("--json ./prog");
        assert_eq!((run.results.json.is_shown(), run.results.json.is_alone()), (true, false));
        assert_eq!(run.program, ["./prog"]);
        let run = parse("--json - ./prog --json -");
        assert_eq!((run.results.json.is_alone(), run.program.len()), (true, 3));
        let run = parse("--json=out.json ./prog");
        assert_eq!((run.results.json.file(), run.program.len()), (Some("out.json".as_ref()), 1));
    }

    #[test]
    fn mistyped_options_are_recognised() {
        let (run, emulate) = (RunArguments::command(), EmulateArguments::command());
        assert!(unknown_option(OsStr::new("--platfrom"), &run).contains("did you mean --platform?"));
        assert!(!unknown_option(OsStr::new("--zzz"), &run).contains("did you mean"));
        assert!(!unknown_option(OsStr::new("--time-facto"), &run).contains("--time-factor"));
        assert!(unknown_option(OsStr::new("--time-facto"), &emulate).contains("did you mean --time-factor?"));
    }

    #[test]
    fn arguments_of_the_program_are_its_own() {
        let run = parse("-n 2 ./prog -h --platform x");
        assert_eq!((run.machine.platform, run.program.len()), (None, 4));
    }

    #[test]
    fn emulate_has_the_options_of_run_and_its_own() {
        let words: Vec<OsString> =
            "-np 4 --time-factor 8 -ppn 2 ./prog --max-behind 1".split(' ').map(OsString::from).collect();
        let emulate =
            EmulateArguments::try_parse_from(&translate(&words, &EmulateArguments::command())[0]).unwrap();
        assert_eq!((emulate.time_factor.as_str(), emulate.max_behind), ("8", None));
        assert_eq!(
            (emulate.run.n, emulate.run.machine.ppn, emulate.run.program.len()),
            (Some(4), Some(2), 3)
        );
    }

    #[test]
    fn a_colon_starts_another_program() {
        let words: Vec<OsString> = "-n 2 a x : -np 3 b".split(' ').map(OsString::from).collect();
        let parts = translate(&words, &RunArguments::command());
        assert_eq!(parts.len(), 2);
        assert_eq!(RunArguments::try_parse_from(&parts[1]).unwrap().n, Some(3));
    }
}
