//! The data of the page, made from what was gathered.

use mpirage_interpret::function::function;
use mpirage_units::Duration;
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use super::{BlockedCall, Ending, Report};
use crate::category::{CATEGORIES, Category, NAMES};
use crate::container::Container;
use crate::critical::{self, Critical};
use crate::drawing;
use crate::network::Network;
use crate::time::seconds;
use crate::waits::Names;

/// The version of the format, which the page knows too (`page/js/container.js`).
const VERSION: u32 = 3;

/// With more ranks than this, pages do not have the time of each rank in each function.
const MOST_RANKS_BY_FUNCTION: usize = 16_384;

impl Report {
    /// The data for a page about a run that goes on. What is gathered stays as it is.
    pub fn so_far(&self, ending: &Ending) -> Container {
        let mut copy = self.clone();
        for (rank, end) in copy.ends.iter_mut().enumerate() {
            end.at = end.at.max(self.aggregator.last_end(rank as u32));
        }
        copy.finish(ending)
    }

    /// The data for the page.
    pub fn finish(&mut self, ending: &Ending) -> Container {
        let end = self.ends.iter().map(|end| end.at).max().unwrap_or(0);
        self.aggregator.finish(end);
        let mut out = Container::default();
        out.set("version", VERSION);
        self.write_run(ending, &mut out);
        self.write_time(ending, &mut out);
        self.write_names(&mut out);
        self.write_timeline(&mut out);
        self.aggregator.traffic().write(&mut out);
        self.aggregator.write_events(&mut out);
        self.aggregator.write_messages(&mut out);
        self.write_network(ending, &mut out);
        self.write_blocked(ending, &mut out);
        out
    }

    fn write_run(&self, ending: &Ending, out: &mut Container) {
        let mut run = ending.figures.clone();
        if let Value::Object(run) = &mut run {
            run.insert("program".to_owned(), self.run.program.clone().into());
            run.insert("mpirage_version".to_owned(), env!("CARGO_PKG_VERSION").into());
        }
        out.set("run", run);
        out.set("outcome", &ending.outcome);
        let warning = |(text, severity): &(String, &str)| json!({"text": text, "severity": severity});
        let mut warnings: Vec<Value> = ending.warnings.iter().map(warning).collect();
        if self.aggregator.paths().is_thinned() {
            let text = "the run was too long to keep its critical path whole: parts of it are joined";
            warnings.push(json!({"text": text, "severity": "note"}));
        }
        out.set("warnings", warnings);
    }

    fn write_time(&self, ending: &Ending, out: &mut Container) {
        let shown = (1..CATEGORIES).map(|at| {
            let all: u64 = self.aggregator.times().iter().map(|rank| rank.spent[at]).sum();
            (NAMES[at].to_owned(), Value::from(seconds(all)))
        });
        out.set("time", shown.collect::<serde_json::Map<_, _>>());
        for (at, name) in NAMES.iter().enumerate().skip(1) {
            out.section(
                &format!("rank_{name}"),
                self.aggregator.times().iter().map(|rank| seconds(rank.spent[at])),
            );
        }
        self.write_functions_of_ranks(out);
        out.section("rank_end", self.ends.iter().map(|end| seconds(end.at)));
        out.set("efficiency", self.efficiency(ending));
    }

    /// The seconds of each rank in each function: all ranks of the first function, then those of the next.
    fn write_functions_of_ranks(&self, out: &mut Container) {
        let times = self.aggregator.times();
        let functions = times.iter().map(|rank| rank.in_functions.len()).max().unwrap_or(0);
        if times.len() > MOST_RANKS_BY_FUNCTION {
            return;
        }
        let of = |function: usize| {
            times
                .iter()
                .map(move |rank| rank.in_functions.get(function).map_or(0.0, |&picos| seconds(picos) as f32))
        };
        out.section("rank_functions", (0..functions).flat_map(of));
    }

    /// Parallel efficiency is load balance times communication efficiency; that is serialisation times transfer.
    fn efficiency(&self, ending: &Ending) -> Value {
        let computed =
            || self.aggregator.times().iter().map(|rank| seconds(rank.spent[Category::Compute as usize]));
        let (all, most) = (computed().sum::<f64>(), computed().fold(0.0, f64::max));
        let mean = all / self.ends.len().max(1) as f64;
        let took = ending.figures["simulated_seconds"].as_f64().unwrap_or(0.0);
        if took <= 0.0 || most <= 0.0 {
            return Value::Null;
        }
        let mut shown = json!({
            "parallel": mean / took,
            "load_balance": mean / most,
            "communication": most / took,
        });
        if let Some(ideal) = ending.ideal_seconds.filter(|&ideal| ideal > 0.0) {
            shown["serialisation"] = (most / ideal).into();
            shown["transfer"] = (ideal / took).into();
            shown["ideal_seconds"] = ideal.into();
        }
        shown
    }

    fn write_names(&mut self, out: &mut Container) {
        let (hosts, of_rank) = self.run.used_hosts();
        let name = |host: &_| self.run.platform.host(*host).name();
        out.set("hosts", hosts.iter().map(name).collect::<Vec<_>>());
        out.section("rank_host", of_rank);
        // A collective that no rank has left is not a call yet, but its function is in the table.
        for function in self.collectives.functions() {
            self.aggregator.calls_mut().functions().index(function);
        }
        let calls = self.aggregator.calls();
        let index = |of: u16| calls.function_index(of).map_or(0, usize::from);
        out.set("collectives_table", self.collectives.table(index, |context| self.contexts.index(context)));
        calls.write_tables(out);
        out.set("comms", self.contexts.shown());
        let region = |(number, name): (&i32, &String)| json!({"number": number, "name": name});
        out.set("regions", self.regions.iter().map(region).collect::<Vec<_>>());
    }

    fn write_timeline(&mut self, out: &mut Container) {
        let end = self.last();
        let (tiles, levels) = self.aggregator.levels(end);
        let about = levels.iter().enumerate().map(|(at, level)| {
            json!({"bins": level.columns, "section": format!("tiles_{at}"), "share": format!("shares_{at}")})
        });
        out.set(
            "timeline",
            json!({
                "rows": tiles.rows(),
                "ranks_per_row": tiles.ranks_per_row(),
                "seconds": seconds(end),
                "categories": NAMES,
                "levels": about.collect::<Vec<_>>(),
            }),
        );
        for (at, level) in levels.into_iter().enumerate() {
            out.numbers::<u8>(&format!("tiles_{at}"), level.dominant);
            out.numbers::<u8>(&format!("shares_{at}"), level.share);
        }
    }

    fn write_network(&self, ending: &Ending, out: &mut Container) {
        let network = Network::new(&self.run.platform, self.aggregator.links());
        network.write(out);
        if let Some(packets) = &self.packets {
            packets.write(out);
        }
        drawing::write(&self.run.platform, &network, out);
        // The path of a blocked rank ends where it blocked.
        let known = |rank: usize| {
            self.ends[rank].blocked.map_or(self.aggregator.last_end(rank as u32), |call| call.since)
        };
        let key = |&rank: &usize| (self.ends[rank].at, known(rank), std::cmp::Reverse(rank));
        let last = (0..self.ends.len()).max_by_key(key);
        let path = last.map_or_else(Critical::new, |rank| self.aggregator.path(rank as u32, known(rank)));
        let name =
            |of: u16| self.aggregator.calls().function_index(of).map(|index| (index, function(of).name));
        let gained = |ideal: f64| self.last().saturating_sub(Duration::from_secs_f64(ideal).as_picos());
        let names = Names { run: &self.run, calls: self.aggregator.calls(), network: &network };
        let all_time = self.aggregator.times().iter().map(|times| seconds(times.now)).sum();
        self.aggregator.waits().write(&names, all_time, out);
        critical::write(path, &self.run, &network, ending.ideal_seconds.map(gained), name, out);
    }

    fn write_blocked(&self, ending: &Ending, out: &mut Container) {
        let waits: FxHashMap<u32, &str> =
            ending.waits.iter().map(|(rank, text)| (*rank, text.as_str())).collect();
        let blocked = self.ends.iter().enumerate().filter_map(|(rank, end)| {
            let BlockedCall { since, function: of, site } = end.blocked?;
            let site = self.aggregator.calls().site_name(site);
            let detail = waits.get(&(rank as u32)).copied().unwrap_or("");
            Some(json!({
                "rank": rank,
                "function": function(of).name,
                "site": site,
                "since": seconds(since),
                "detail": detail,
            }))
        });
        out.set("blocked", blocked.collect::<Vec<_>>());
    }

    /// When the last rank ended.
    fn last(&self) -> u64 {
        self.ends
            .iter()
            .zip(self.aggregator.times())
            .map(|(end, times)| end.at.max(times.now))
            .max()
            .unwrap_or(0)
    }
}
