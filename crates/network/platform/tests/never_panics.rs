//! Whatever a file contains, the answer is a platform or an error.

use mpirage_platform::{HostId, Platform};
use proptest::prelude::*;

const SEEDS: [&str; 12] = [
    include_str!("../../../../platforms/griffon.toml"),
    include_str!("../../../../platforms/two-racks.toml"),
    include_str!("../../../../platforms/dragonfly.toml"),
    include_str!("../../../../platforms/fat-tree.toml"),
    include_str!("../../../../platforms/torus.xml"),
    include_str!("simgrid/cluster-all-links.xml"),
    include_str!("simgrid/fat-tree-2.xml"),
    include_str!("simgrid/dragonfly-2.xml"),
    include_str!("simgrid/torus-1.xml"),
    include_str!("simgrid/star.xml"),
    include_str!("simgrid/zones-floyd.xml"),
    include_str!("simgrid/dijkstra.xml"),
];

/// Pieces that files are made of, put where they do not belong.
const PIECES: [&str; 26] = [
    "0",
    "-1",
    "4294967295",
    "99999999999999999999",
    "1e999",
    "nan",
    "\"",
    "'",
    "<",
    ">",
    "/>",
    "=",
    "[",
    "]",
    "{ }",
    ";",
    ",",
    "é",
    "\u{0}",
    "\n",
    "&amp;",
    "&x;",
    "[[host]]",
    "0-4294967294",
    "<zone id='q' routing='Floyd'>",
    "</zone>",
];

/// One of the seeds with a few spans replaced.
fn mutated() -> impl Strategy<Value = String> {
    let edit = (any::<prop::sample::Index>(), 0usize..12, prop::sample::select(&PIECES[..]));
    (prop::sample::select(&SEEDS[..]), prop::collection::vec(edit, 1..6)).prop_map(|(seed, edits)| {
        let mut text: Vec<char> = seed.chars().collect();
        for (at, length, piece) in edits {
            let at = at.index(text.len() + 1);
            let end = (at + length).min(text.len());
            text.splice(at..end, piece.chars());
        }
        text.into_iter().collect()
    })
}

/// Loads it and, if that works, looks at everything.
fn exercise(text: &str) {
    match Platform::from_text("fuzz", text) {
        Err(error) => assert!(!error.render().is_empty()),
        Ok(platform) => {
            let mut links = Vec::new();
            let last = platform.host_count() - 1;
            for (src, dst) in [(0, last), (last, 0), (last, last), (last / 2, last / 3)] {
                assert!(platform.route(HostId(src), HostId(dst), &mut links).is_finite());
                links.iter().for_each(|link| drop(platform.link(*link).name()));
            }
            platform.describe();
            if platform.host_count() <= 300 && platform.link_count() < 100_000 {
                platform.doubtful_routes();
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn on_mutated_files(text in mutated()) {
        exercise(&text);
    }

    #[test]
    fn on_any_text(text in "\\PC{0,200}") {
        exercise(&text);
    }

    #[test]
    fn on_any_name(spec in "(cluster|fat-tree|torus|dragonfly|dragonfly-plus|dgx-h100|full)(:[0-9x]{0,12})?") {
        if let Ok(platform) = Platform::load(&spec, 3) {
            platform.route(HostId(0), HostId(platform.host_count() - 1), &mut Vec::new());
            platform.describe();
        }
    }
}

#[test]
fn on_deep_nesting() {
    let deep = "<zone id='z' routing='Full'>".repeat(20_000);
    exercise(&format!("<platform version='4.1'>{deep}"));
    let closed = format!("{deep}{}", "</zone>".repeat(20_000));
    exercise(&format!("<platform version='4.1'>{closed}</platform>"));
    exercise(&format!("[model]\na = {}", "[".repeat(20_000)));
    exercise(&format!("[model]\n{} = 1", vec!["a"; 20_000].join(".")));
}

#[test]
fn on_entities_that_explode() {
    let text = "<!DOCTYPE p [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'><!ENTITY c '&b;&b;&b;&b;&b;'>\
                <!ENTITY d '&c;&c;&c;&c;&c;&c;'><!ENTITY e '&d;&d;&d;&d;&d;&d;&d;'><!ENTITY f '&e;&e;&e;&e;&e;&e;&e;'>]>\
                <platform version='4.1'>&f;&f;&f;&f;&f;</platform>";
    exercise(text);
}
