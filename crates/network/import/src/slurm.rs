//! Slurm's `slurm.conf` (nodes) and `topology.conf` (switches of the tree plugin).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::hostlist::expand;
use super::lines::{self, Field, Line};
use super::network::{Cables, DeviceKind, Network};
use mpirage_platform::{PlatformError, Source};

/// Files that include each other deeper than this include themselves.
const DEEPEST: usize = 8;

/// The entries of `slurm.conf` for one node, as far as they are given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NodeConfig {
    pub cpus: Option<u32>,
    pub boards: Option<u32>,
    pub sockets: Option<u32>,
    pub cores_per_socket: Option<u32>,
    pub threads_per_core: Option<u32>,
    pub memory_mib: Option<u32>,
}

impl NodeConfig {
    /// Cores without hyper-threads.
    pub fn cores(&self) -> Option<u32> {
        let threads = self.threads_per_core.unwrap_or(1);
        match (self.sockets, self.cores_per_socket) {
            (None, None) => Some(self.cpus? / threads).filter(|cores| *cores > 0),
            (sockets, cores) => sockets.unwrap_or(1).checked_mul(cores.unwrap_or(1)),
        }
    }

    fn set(&mut self, field: &Field<'_>) -> Result<(), String> {
        let key = field.key.to_ascii_lowercase();
        let target = match key.as_str() {
            "cpus" | "procs" => &mut self.cpus,
            "boards" => &mut self.boards,
            "sockets" | "socketsperboard" => &mut self.sockets,
            "corespersocket" => &mut self.cores_per_socket,
            "threadspercore" => &mut self.threads_per_core,
            "realmemory" => &mut self.memory_mib,
            _ => return Ok(()),
        };
        let number = field.value.parse().ok().filter(|number| *number > 0);
        *target = Some(number.ok_or_else(|| format!("`{}` is not a positive number", field.value))?);
        Ok(())
    }
}

/// The nodes of a `slurm.conf`, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Nodes {
    defaults: NodeConfig,
    pub nodes: BTreeMap<String, NodeConfig>,
    pub order: Vec<String>,
}

impl Nodes {
    /// Reads the nodes of a file and of those that it includes; `open` reads a file.
    pub fn read(
        source: &Source<'_>,
        open: &dyn Fn(&Path) -> Result<String, String>,
    ) -> Result<Nodes, PlatformError> {
        let mut nodes = Nodes::default();
        nodes.read_file(source, open, DEEPEST)?;
        Ok(nodes)
    }

    fn read_file(
        &mut self,
        source: &Source<'_>,
        open: &dyn Fn(&Path) -> Result<String, String>,
        deeper: usize,
    ) -> Result<(), PlatformError> {
        for line in lines::read(source)? {
            if let Some(include) = line.get("include") {
                let path = beside(source.file(), include.value);
                let wrong = |problem: String| source.error(include.span.clone(), problem);
                if deeper == 0 {
                    return Err(wrong("these files include each other".to_owned()));
                }
                let text = open(&path).map_err(wrong)?;
                self.read_file(&Source::new(&path.to_string_lossy(), &text), open, deeper - 1)?;
            } else if let Some(name) = line.fields.first().filter(|field| is(field, "NodeName")) {
                self.add(source, &line, name)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, source: &Source<'_>, line: &Line<'_>, name: &Field<'_>) -> Result<(), PlatformError> {
        let mut config = self.defaults;
        for field in &line.fields {
            config.set(field).map_err(|problem| source.error(field.span.clone(), problem))?;
        }
        if name.value.eq_ignore_ascii_case("DEFAULT") {
            self.defaults = config;
            return Ok(());
        }
        let wrong = |problem: String| source.error(name.span.clone(), problem);
        for node in expand(name.value).map_err(wrong)? {
            if self.nodes.insert(node.clone(), config).is_some() {
                return Err(wrong(format!("node `{node}` is described twice")));
            }
            self.order.push(node);
        }
        Ok(())
    }
}

fn is(field: &Field<'_>, key: &str) -> bool {
    field.key.eq_ignore_ascii_case(key)
}

/// The path of an included file, which may be relative to the one that includes it.
fn beside(file: &str, included: &str) -> PathBuf {
    Path::new(file).parent().unwrap_or(Path::new("")).join(included)
}

/// Reads the tree of switches of a `topology.conf`. It has no rates, and does not say how many cables join two switches.
pub(super) fn topology(source: &Source<'_>) -> Result<Network, PlatformError> {
    let mut network = Network::default();
    let lines = lines::read(source)?;
    for line in &lines {
        let first = &line.fields[0];
        if is(first, "BlockName") || is(first, "BlockSizes") {
            return Err(source
                .error(
                    first.span.clone(),
                    "the block plugin says which nodes are near, not how they are joined",
                )
                .help("import `ibnetdiscover` output instead, or a topology.conf of the tree plugin"));
        }
        if is(first, "SwitchName") {
            let wrong = |problem: String| source.error(first.span.clone(), problem);
            if network.find(first.value).is_some() {
                return Err(wrong(format!("switch `{}` is described twice", first.value)));
            }
            network.device(first.value, DeviceKind::Switch);
        } else {
            return Err(
                source.error(first.span.clone(), format!("a topology.conf has no `{}` here", first.key))
            );
        }
    }
    let mut parents = BTreeMap::new();
    for line in &lines {
        connect_children(source, line, &mut network, &mut parents)?;
    }
    check_tree(source, &lines, &parents)?;
    Ok(network)
}

/// Connects a switch with the switches or nodes below it.
fn connect_children(
    source: &Source<'_>,
    line: &Line<'_>,
    network: &mut Network,
    parents: &mut BTreeMap<String, String>,
) -> Result<(), PlatformError> {
    let switch = &line.fields[0];
    let (field, kind) = match (line.get("Switches"), line.get("Nodes")) {
        (Some(_), Some(nodes)) => {
            return Err(source.error(nodes.span.clone(), "a switch has `Switches` or `Nodes`, not both"));
        }
        (Some(field), None) => (field, DeviceKind::Switch),
        (None, Some(field)) => (field, DeviceKind::Host),
        (None, None) => {
            return Err(source.error(switch.span.clone(), "this switch has neither `Switches` nor `Nodes`"));
        }
    };
    let wrong = |problem: String| source.error(field.span.clone(), problem);
    let parent = network.device(switch.value, DeviceKind::Switch).expect("all switches have been added");
    for name in expand(field.value).map_err(wrong)? {
        if kind == DeviceKind::Switch && network.find(&name).is_none() {
            return Err(wrong(format!("there is no switch called `{name}`")));
        }
        let child =
            network.device(&name, kind).ok_or_else(|| wrong(format!("`{name}` is a switch and a node")))?;
        if let Some(other) = parents.insert(name.clone(), switch.value.to_owned()) {
            return Err(wrong(format!("`{name}` is below `{other}` already")));
        }
        let count = (kind == DeviceKind::Host).then_some(1);
        network.connect(Cables { ends: [child, parent], count, bandwidth: None });
    }
    Ok(())
}

/// All switches must be below one.
fn check_tree(
    source: &Source<'_>,
    lines: &[Line<'_>],
    parents: &BTreeMap<String, String>,
) -> Result<(), PlatformError> {
    let roots: Vec<_> = lines.iter().map(|line| &line.fields[0]).collect();
    let roots: Vec<_> = roots.into_iter().filter(|field| !parents.contains_key(field.value)).collect();
    match roots.as_slice() {
        [_] => Ok(()),
        [] => Err(PlatformError::new(format!("{}: the switches form a circle", source.file()))),
        [first, second, ..] => Err(source.error(
            second.span.clone(),
            format!(
                "no switch joins `{}` and `{}`; nodes below them could not reach each other",
                first.value, second.value
            ),
        )),
    }
}
