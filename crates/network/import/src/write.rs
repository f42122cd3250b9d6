//! A platform file from what was found.

use std::fmt::Write as _;

use super::names::{Names, formula};
use super::network::{Cables, Device, DeviceKind, Network};
use super::shape::{Shape, Tree};

/// Everything that a file says.
pub(super) struct Draft<'d> {
    pub name: &'d str,
    /// Lines of the comment at the top.
    pub comments: Vec<String>,
    /// As written: `30Gf`.
    pub speed: &'d str,
    pub network: &'d Network,
    pub shape: Shape,
    /// In the order of the shape.
    pub hosts: Vec<Device>,
    /// Cores of each host, in the same order.
    pub cores: Vec<u32>,
    /// A network by name, for its parameters of models.
    pub net: Option<&'d str>,
    /// Seconds of a cable.
    pub latency: f64,
    /// Bytes per second of the cables for which the file has none.
    pub bandwidth: Option<f64>,
    /// Bandwidth of all hosts below a switch divided by that of its uplinks, where the file does not count the cables.
    pub oversubscription: Option<f64>,
}

impl Draft<'_> {
    /// The text of the file, or what is missing.
    pub fn text(&self) -> Result<String, String> {
        let mut text = String::new();
        for comment in &self.comments {
            let _ = writeln!(text, "# {comment}");
        }
        let _ = writeln!(text, "name = {:?}", self.name);
        let net = self.net.map_or_else(String::new, |net| format!("net = {net:?}\n"));
        let _ = writeln!(text, "{net}");
        let names: Vec<&str> = self.hosts.iter().map(|host| self.network.name(*host)).collect();
        let alike = self.cores.iter().all(|cores| *cores == self.cores[0]);
        match (&self.shape, formula(&names).filter(|_| alike)) {
            (Shape::OneSwitch, Some(names)) => self.one_switch(&names, &mut text)?,
            (Shape::FatTree(tree), Some(names)) => match self.fat_tree(tree, &names)? {
                Some(table) => text += &table,
                None => self.graph(&mut text)?,
            },
            _ => self.graph(&mut text)?,
        }
        Ok(text)
    }

    fn one_switch(&self, names: &Names, text: &mut String) -> Result<(), String> {
        let bandwidth = self.rate(self.network.cables().first().and_then(|cable| cable.bandwidth))?;
        let _ = writeln!(text, "[cluster]\nhosts = {}", self.hosts.len());
        text.push_str(&self.common(names, bandwidth));
        Ok(())
    }

    /// A fat tree; nothing if the oversubscription does not come out even.
    fn fat_tree(&self, tree: &Tree, names: &Names) -> Result<Option<String>, String> {
        let Some(up) = self.parents(tree)? else { return Ok(None) };
        if tree.bandwidths[1..].windows(2).any(|pair| pair[0] != pair[1]) {
            return Ok(None);
        }
        let host = self.rate(tree.bandwidths[0])?;
        let mut text =
            format!("[fat-tree]\ndown = {:?}\nup = {up:?}\nparallel = {:?}\n", tree.down, tree.parallel);
        text.push_str(&self.common(names, host));
        if let Some(uplink) = tree.bandwidths.get(1) {
            let _ = writeln!(
                text,
                "uplink = {{ bandwidth = {}, latency = {} }}",
                bytes(self.rate(*uplink)?),
                seconds(self.latency)
            );
        }
        Ok(Some(text))
    }

    /// Parents of a device per level: counted, or as many as the oversubscription leaves.
    fn parents(&self, tree: &Tree) -> Result<Option<Vec<u32>>, String> {
        if tree.counted {
            return Ok(Some(tree.up.clone()));
        }
        let first = f64::from(tree.down[0]) / self.oversubscription()?;
        if first.fract() != 0.0 || first < 1.0 {
            return Ok(None);
        }
        let mut up = vec![1, first as u32];
        up.extend(tree.down[1..].iter().take(tree.down.len().saturating_sub(2)));
        Ok(Some(up))
    }

    fn common(&self, names: &Names, bandwidth: f64) -> String {
        let mut text = format!("speed = {:?}\ncores = {}\n", self.speed, self.cores[0]);
        let _ = writeln!(text, "bandwidth = {}\nlatency = {}", bytes(bandwidth), seconds(self.latency));
        let _ = writeln!(text, "prefix = {:?}\nnumbers = {:?}", names.prefix, names.numbers);
        if names.digits > 0 {
            let _ = writeln!(text, "digits = {}", names.digits);
        }
        if !names.suffix.is_empty() {
            let _ = writeln!(text, "suffix = {:?}", names.suffix);
        }
        text
    }

    fn graph(&self, text: &mut String) -> Result<(), String> {
        text.push_str("routing = \"shortest\"\n");
        for (host, cores) in self.hosts.iter().zip(&self.cores) {
            let name = self.network.name(*host);
            let _ = writeln!(text, "\n[[host]]\nname = {name:?}\nspeed = {:?}\ncores = {cores}", self.speed);
        }
        for switch in self.network.all(DeviceKind::Switch) {
            let _ = writeln!(text, "\n[[router]]\nname = {:?}", self.network.name(switch));
        }
        let hosts_below = self.hosts_below();
        let mut used = std::collections::BTreeMap::new();
        for cable in self.network.cables() {
            let [one, other] = cable.ends.map(|end| self.network.name(end));
            let bandwidth = self.bundle(cable, &hosts_below)?;
            let plain = format!("{one}--{other}");
            let again: &mut u32 = used.entry(plain.clone()).or_default();
            *again += 1;
            let name = if *again == 1 { plain } else { format!("{plain}-{again}") };
            let _ = writeln!(
                text,
                "\n[[link]]\nname = {name:?}\nbandwidth = {}\nlatency = {}",
                bytes(bandwidth),
                seconds(self.latency)
            );
            if *again == 1 {
                let up = format!("{name}:up");
                let _ = writeln!(text, "\n[[route]]\nfrom = {one:?}\nto = {other:?}\nlinks = [{up:?}]");
            }
        }
        Ok(())
    }

    /// Bytes per second of all equal cables between two devices.
    fn bundle(&self, cable: &Cables, hosts_below: &[u32]) -> Result<f64, String> {
        let one = self.rate(cable.bandwidth)?;
        match cable.count {
            Some(count) => Ok(one * f64::from(count)),
            None => Ok(one * f64::from(hosts_below[cable.ends[0].0]) / self.oversubscription()?),
        }
    }

    /// For a tree whose cables are not counted: hosts below each device. A cable's first end is the lower one.
    fn hosts_below(&self) -> Vec<u32> {
        let cables = self.network.by_device();
        let mut below = vec![0; cables.len()];
        for host in &self.hosts {
            let mut at = *host;
            below[at.0] += 1;
            while let Some(up) = cables[at.0].iter().find(|cable| cable.ends[0] == at) {
                at = up.ends[1];
                below[at.0] += 1;
            }
        }
        below
    }

    fn rate(&self, found: Option<f64>) -> Result<f64, String> {
        found
            .or(self.bandwidth)
            .ok_or_else(|| "these files have no rates; give --net, or --bandwidth and --latency".to_owned())
    }

    fn oversubscription(&self) -> Result<f64, String> {
        self.oversubscription.ok_or_else(|| {
            "topology.conf does not say how many cables lead up from a switch; give --oversubscription, \
             1 if they carry as much as the hosts below can send"
                .to_owned()
        })
    }
}

/// A bandwidth as a platform file writes it.
fn bytes(bandwidth: f64) -> String {
    format!("\"{}GBps\"", decimal(bandwidth * 1e-9))
}

/// A latency as a platform file writes it.
fn seconds(latency: f64) -> String {
    format!("\"{}ns\"", decimal(latency * 1e9))
}

/// A number with up to six digits behind the point.
fn decimal(number: f64) -> String {
    let digits = format!("{number:.6}");
    digits.trim_end_matches('0').trim_end_matches('.').to_owned()
}
