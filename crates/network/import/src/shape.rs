//! Finds out whether a network is a regular tree, which a formula describes, or must be written cable by cable.
//!
//! Switches get levels by their distance from hosts. A fat tree (XGFT) has cables between neighbouring levels only, and the
//! cables between two levels fall into components in which every lower device has the same number of cables to every upper one.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::network::{Cables, Device, DeviceKind, Network, natural};

/// How a network is written down.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    /// All hosts on one switch.
    OneSwitch,
    /// A fat tree.
    FatTree(Tree),
    /// Anything else, and why it is no fat tree.
    Graph(String),
}

/// The parameters of a fat tree, as in a platform file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Tree {
    pub down: Vec<u32>,
    pub up: Vec<u32>,
    pub parallel: Vec<u32>,
    /// Whether the file says how many cables join two switches.
    pub counted: bool,
    /// Bytes per second of the cables of each level, if the file has rates.
    pub bandwidths: Vec<Option<f64>>,
}

/// The devices of two neighbouring levels that reach each other by cables between these levels.
#[derive(Debug, Default)]
struct Component {
    lower: Vec<Device>,
    upper: Vec<Device>,
    cables: Vec<Cables>,
}

/// The shape of a network, and its hosts in the order in which the shape numbers them. Fails if a host reaches no other.
pub(super) fn recognise(network: &Network) -> Result<(Shape, Vec<Device>), String> {
    let mut hosts: Vec<Device> = network.all(DeviceKind::Host).collect();
    hosts.sort_by_cached_key(|host| natural(network.name(*host)));
    let levels = levels(network, &hosts)?;
    Ok(match tree(network, &hosts, &levels) {
        Ok((tree, hosts)) if tree.down.len() == 1 && tree.parallel == [1] => (Shape::OneSwitch, hosts),
        Ok((tree, hosts)) => (Shape::FatTree(tree), hosts),
        Err(reason) => (Shape::Graph(reason), hosts),
    })
}

/// The distance of every device from the nearest host. Fails if the network has two parts.
pub(super) fn levels(network: &Network, hosts: &[Device]) -> Result<Vec<usize>, String> {
    let cables = network.by_device();
    let near = distances(&cables, hosts);
    let first = hosts.first().ok_or("there is no host")?;
    let from_first = distances(&cables, &[*first]);
    match hosts.iter().find(|host| from_first[host.0].is_none()) {
        Some(lost) => {
            Err(format!("there is no way from `{}` to `{}`", network.name(*first), network.name(*lost)))
        }
        // Switches that no host reaches carry nothing.
        None => Ok(near.into_iter().map(|distance| distance.unwrap_or(usize::MAX)).collect()),
    }
}

fn distances(cables: &[Vec<Cables>], from: &[Device]) -> Vec<Option<usize>> {
    let mut distance = vec![None; cables.len()];
    let mut queue: VecDeque<Device> = from.iter().copied().collect();
    from.iter().for_each(|device| distance[device.0] = Some(0));
    while let Some(device) = queue.pop_front() {
        for cable in &cables[device.0] {
            let other = cable.other(device);
            if distance[other.0].is_none() {
                distance[other.0] = distance[device.0].map(|distance| distance + 1);
                queue.push_back(other);
            }
        }
    }
    distance
}

fn tree(network: &Network, hosts: &[Device], levels: &[usize]) -> Result<(Tree, Vec<Device>), String> {
    let top = levels.iter().copied().filter(|level| *level < usize::MAX).max().unwrap_or(0);
    let mut tree = Tree { counted: true, ..Tree::default() };
    let mut of_level = Vec::new();
    for level in 0..top {
        let components = components(network, levels, level);
        add_level(network, &components, &mut tree)?;
        of_level.push(components);
    }
    check_counts(&tree, levels)?;
    check_crossing(&of_level)?;
    Ok((tree, ordered(hosts, &of_level)))
}

/// The components between a level and the one above, in the order of their first hosts.
fn components(network: &Network, levels: &[usize], level: usize) -> Vec<Component> {
    let between = |cable: &&Cables| {
        let [one, other] = cable.ends.map(|end| levels[end.0]);
        one.min(other) == level && one.max(other) == level + 1
    };
    let cables: Vec<Cables> = network.cables().iter().filter(between).copied().collect();
    let mut root: Vec<usize> = (0..levels.len()).collect();
    for cable in &cables {
        let [one, other] = cable.ends.map(|end| find(&mut root, end.0));
        root[one.max(other)] = one.min(other);
    }
    let mut all: BTreeMap<usize, Component> = BTreeMap::new();
    let ends: BTreeSet<Device> = cables.iter().flat_map(|cable| cable.ends).collect();
    for device in ends {
        let component = all.entry(find(&mut root, device.0)).or_default();
        let side = if levels[device.0] == level { &mut component.lower } else { &mut component.upper };
        side.push(device);
    }
    for cable in cables {
        let place = find(&mut root, cable.ends[0].0);
        all.entry(place).or_default().cables.push(cable);
    }
    all.into_values().collect()
}

fn find(root: &mut [usize], device: usize) -> usize {
    let mut at = device;
    while root[at] != at {
        root[at] = root[root[at]];
        at = root[at];
    }
    at
}

/// Adds the parameters of a level, if all its components are alike and complete.
fn add_level(network: &Network, components: &[Component], tree: &mut Tree) -> Result<(), String> {
    let first = components.first().ok_or("a level has no cables")?;
    let (down, up) = (first.lower.len(), first.upper.len());
    let cable = first.cables[0];
    for component in components {
        let whole = component.cables.len() == down * up;
        let alike = component
            .cables
            .iter()
            .all(|other| other.count == cable.count && other.bandwidth == cable.bandwidth);
        if (component.lower.len(), component.upper.len()) != (down, up) || !whole || !alike {
            let (one, other) = (network.name(first.upper[0]), network.name(component.upper[0]));
            return Err(if one == other {
                format!("the cables below `{one}` are not all alike")
            } else {
                format!("what is below `{one}` and below `{other}` differs")
            });
        }
    }
    tree.down.push(down as u32);
    tree.up.push(up as u32);
    tree.parallel.push(cable.count.unwrap_or(1));
    tree.counted &= cable.count.is_some();
    tree.bandwidths.push(cable.bandwidth);
    Ok(())
}

/// The number of devices of every level must be that of the formula.
fn check_counts(tree: &Tree, levels: &[usize]) -> Result<(), String> {
    for level in 0..=tree.down.len() {
        let factors = tree.up[..level].iter().chain(&tree.down[level..]);
        let expected: u64 = factors.map(|factor| u64::from(*factor)).product();
        let found = levels.iter().filter(|at| **at == level).count() as u64;
        if found != expected {
            return Err(format!("level {level} has {found} devices; a regular tree would have {expected}"));
        }
    }
    Ok(())
}

/// Above the second level, the children of a component must be of different components below: one of each.
fn check_crossing(of_level: &[Vec<Component>]) -> Result<(), String> {
    for pair in of_level.windows(2) {
        let mut below: BTreeMap<Device, usize> = BTreeMap::new();
        for (number, component) in pair[0].iter().enumerate() {
            below.extend(component.upper.iter().map(|device| (*device, number)));
        }
        for component in &pair[1] {
            let mut met: Vec<_> = component.lower.iter().filter_map(|device| below.get(device)).collect();
            met.sort_unstable();
            met.dedup();
            if met.len() != component.lower.len() {
                return Err("switches of one group meet again above".to_owned());
            }
        }
    }
    Ok(())
}

/// Hosts switch by switch and group by group, as the formula numbers them: sorted by the first host of the largest group that
/// they are in, then of the next smaller one, down to the host itself.
fn ordered(hosts: &[Device], of_level: &[Vec<Component>]) -> Vec<Device> {
    let mut keys: BTreeMap<Device, Vec<usize>> =
        hosts.iter().enumerate().map(|(at, host)| (*host, vec![at])).collect();
    let mut below: BTreeMap<Device, Vec<Device>> = hosts.iter().map(|host| (*host, vec![*host])).collect();
    for components in of_level {
        let mut next = BTreeMap::new();
        for component in components {
            let all = component.lower.iter().filter_map(|device| below.remove(device));
            let all: Vec<Device> = all.flatten().collect();
            let first = all.iter().map(|host| keys[host][0]).min().unwrap_or(0);
            for host in &all {
                keys.entry(*host).or_default().push(first);
            }
            // All upper devices reach the same hosts; one of them passes them on.
            if let Some(device) = component.upper.first() {
                next.insert(*device, all);
            }
        }
        below = next;
    }
    let mut hosts = hosts.to_vec();
    hosts.sort_by_cached_key(|host| keys[host].iter().rev().copied().collect::<Vec<_>>());
    hosts
}
