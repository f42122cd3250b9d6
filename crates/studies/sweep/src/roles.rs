//! Parameters of the machine that Dimemas' users vary: bandwidth, latency, buses, CPU ratio.
//!
//! A parameter is recognised by its name, or by what stands before it where it is used: `bandwidth={x}`, `latency = "{x}us"`.

use crate::study::Study;

/// Words for how much work a case does, without their separators.
const SIZES: [&str; 12] = [
    "size",
    "sizes",
    "bytes",
    "cells",
    "count",
    "elements",
    "length",
    "grid",
    "iterations",
    "steps",
    "class",
    "problem",
];

/// The property of the machine that a parameter sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Bandwidth,
    Latency,
    Buses,
    CpuRatio,
}

/// Words that stand for a role, without their separators.
const WORDS: [(Role, &[&str]); 4] = [
    (Role::Bandwidth, &["bandwidth", "bw"]),
    (Role::Latency, &["latency"]),
    (Role::Buses, &["buses", "bus"]),
    (Role::CpuRatio, &["cpuratio", "cpuspeed", "speedratio", "relativespeed", "hostspeed", "speed"]),
];

impl Role {
    /// The role of a parameter of a study, if it has one.
    pub fn of(study: &Study, parameter: usize) -> Option<Role> {
        names(study, parameter)
            .find_map(|name| WORDS.iter().find(|(_, words)| words.contains(&name.as_str())))
            .map(|(role, _)| *role)
    }

    /// Its name in headings.
    pub fn name(self) -> &'static str {
        match self {
            Role::Bandwidth => "bandwidth",
            Role::Latency => "latency",
            Role::Buses => "buses",
            Role::CpuRatio => "CPU ratio",
        }
    }

    /// True if a smaller value makes a better machine.
    pub fn less_is_better(self) -> bool {
        self == Role::Latency
    }
}

/// True if a parameter says how much work a case does.
pub(crate) fn is_size(study: &Study, parameter: usize) -> bool {
    names(study, parameter).any(|name| SIZES.contains(&name.as_str()))
}

/// What a parameter is called: by its name, and by the keys before the places where it is used; without separators.
fn names(study: &Study, parameter: usize) -> impl Iterator<Item = String> {
    let name = study.parameters[parameter].name();
    let templates = study.command.iter().chain(study.files.iter().map(|(_, template)| template));
    let before = templates.flat_map(|template| template.text_before(name));
    let all = std::iter::once(name).chain(before.filter_map(key_before));
    all.map(|name| name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase())
}

/// The key of `… key=` or `… key = "`.
fn key_before(text: &str) -> Option<&str> {
    let text = text.trim_end_matches(['"', '\'', ' ']).strip_suffix('=')?.trim_end();
    let start = text.rfind(|letter: char| !(letter.is_ascii_alphanumeric() || "_-".contains(letter)));
    Some(start.map_or(text, |start| &text[start + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::tests::study;

    #[test]
    fn roles_are_found_by_name_and_by_use() {
        let study = study(
            "command = \"replay t -p cluster:16,latency={x} --cpu={cpu-ratio} {y} {case}\"\n[parameters]\nx = [1]\n\
             cpu-ratio = [1]\ny = [1]\nz = [1]\n[files]\n\"m.toml\" = \"\"\"\n[model]\nbuses = \"{z}\"\n\"\"\"\n",
        )
        .unwrap();
        let roles: Vec<_> = (0..4).map(|at| Role::of(&study, at)).collect();
        assert_eq!(roles, [Some(Role::Latency), Some(Role::CpuRatio), None, Some(Role::Buses)]);
    }
}
