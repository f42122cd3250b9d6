//! Schedules as a graph for Graphviz: a column of steps for each rank, and an arrow for each message.

use mpirage_collectives::Step;

use super::{Call, ScheduledMessage, Schedules, step_text};

/// The graph, line by line.
pub fn lines(call: &Call, schedules: &Schedules) -> Vec<String> {
    let mut lines = vec![
        "digraph schedule {".to_owned(),
        format!("  label={};", quoted(&call.describe())),
        "  labelloc=t; node [shape=box, fontname=\"sans-serif\", fontsize=10]; edge [fontsize=9];".to_owned(),
    ];
    for (rank, schedule) in schedules.ranks.iter().enumerate() {
        lines.push(format!("  subgraph cluster_{rank} {{"));
        lines.push(format!("    label={}; color=gray;", quoted(&format!("rank {rank}"))));
        // A rank without steps is there all the same.
        lines.push(format!("    {} [shape=point];", name(rank, None)));
        for (at, step) in schedule.steps.iter().enumerate() {
            let label = quoted(&format!("{}. {}", at + 1, step_text(step)));
            lines.push(format!("    {} [label={label}{}];", name(rank, Some(at)), style(step)));
            lines.push(format!(
                "    {} -> {} [style=dotted, arrowhead=none];",
                name(rank, at.checked_sub(1)),
                name(rank, Some(at))
            ));
        }
        lines.push("  }".to_owned());
    }
    for &ScheduledMessage { send, receive } in &schedules.messages {
        let pieces: Vec<String> =
            schedules.ranks[send.rank].carried(send.step).iter().map(ToString::to_string).collect();
        let label = if pieces.len() > 2 {
            format!("{}, … ({} pieces)", pieces[0], pieces.len())
        } else {
            pieces.join(", ")
        };
        lines.push(format!(
            "  {} -> {} [label={}, color=blue, constraint=false];",
            name(send.rank, Some(send.step)),
            name(receive.rank, Some(receive.step)),
            quoted(&label)
        ));
    }
    lines.push("}".to_owned());
    lines
}

/// The node of a step; without a step, the one where its rank starts.
fn name(rank: usize, step: Option<usize>) -> String {
    match step {
        Some(step) => format!("rank{rank}_{}", step + 1),
        None => format!("rank{rank}"),
    }
}

fn style(step: &Step) -> &'static str {
    match step {
        Step::WaitAll | Step::Wait { .. } => ", style=rounded",
        Step::Reduce { .. } | Step::Combine { .. } | Step::Delay { .. } | Step::Copy { .. } => {
            ", style=filled, fillcolor=lightgray"
        }
        _ => "",
    }
}

/// A string of Graphviz.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::io::Write;
    use std::process::{Command, Stdio};

    use mpirage_call::Collective;
    use mpirage_collectives::Nodes;

    use super::*;

    fn drawn(collective: Collective, method: &str, ranks: u32) -> (Schedules, Vec<String>) {
        let nodes = Nodes::new(0..ranks);
        let call = Call {
            collective,
            method: mpirage_collectives::read_method(method).unwrap(),
            ranks,
            bytes: 100,
            root: 0,
            nodes,
        };
        let schedules = Schedules::new(&call);
        let lines = lines(&call, &schedules);
        (schedules, lines)
    }

    /// The part of Graphviz's grammar that we use: nodes are defined before edges name them, braces and quotes are balanced.
    #[test]
    fn graphs_are_well_formed() {
        for (collective, method) in
            [(Collective::Allreduce, "ring"), (Collective::Bcast, "linear"), (Collective::Alltoall, "bruck")]
        {
            let (schedules, lines) = drawn(collective, method, 5);
            let mut known = HashSet::new();
            let mut depth = 0;
            let mut messages = 0;
            for line in &lines {
                assert_eq!(line.matches('"').count() % 2, 0, "{line}");
                depth += line.matches('{').count() as i32 - line.matches('}').count() as i32;
                let words: Vec<&str> = line.split_whitespace().collect();
                match words[..] {
                    [from, "->", to, ..] => {
                        assert!(known.contains(from) && known.contains(to), "{line}");
                        messages += usize::from(line.contains("color=blue"));
                    }
                    [node, attributes, ..] if attributes.starts_with('[') && node != "node" => {
                        assert!(known.insert(node), "{line}");
                        assert!(line.ends_with("];"), "{line}");
                    }
                    _ => {}
                }
            }
            assert_eq!((depth, messages), (0, schedules.messages.len()), "{collective}");
        }
    }

    /// Graphviz itself, where it is installed.
    #[test]
    fn graphviz_draws_them() {
        let dot = Command::new("dot").arg("-Tsvg").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let Ok(mut dot) = dot else { return };
        let (_, lines) = drawn(Collective::Allreduce, "ring", 4);
        dot.stdin.take().unwrap().write_all(lines.join("\n").as_bytes()).unwrap();
        let drawn = dot.wait_with_output().unwrap();
        assert!(drawn.status.success() && String::from_utf8_lossy(&drawn.stdout).contains("</svg>"));
    }
}
