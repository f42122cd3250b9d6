//! The network that the readers find: hosts and switches, and the cables between them.

use std::collections::HashMap;

/// A host or a switch, by its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Device(pub usize);

/// The kind of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DeviceKind {
    Host,
    Switch,
}

/// Equal cables between two devices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cables {
    pub ends: [Device; 2],
    /// How many; none if the file does not say.
    pub count: Option<u32>,
    /// Bytes per second of one; none if the file does not say.
    pub bandwidth: Option<f64>,
}

impl Cables {
    /// The device at the other end.
    pub fn other(&self, end: Device) -> Device {
        if self.ends[0] == end { self.ends[1] } else { self.ends[0] }
    }
}

/// Hosts, switches and cables of a site.
#[derive(Clone, Debug, Default)]
pub(super) struct Network {
    devices: Vec<(String, DeviceKind)>,
    cables: Vec<Cables>,
    by_name: HashMap<String, Device>,
    /// Position of the cables between two devices of a bandwidth, in bits.
    by_ends: HashMap<([Device; 2], Option<u64>), usize>,
}

impl Network {
    /// The device of that name.
    pub fn find(&self, name: &str) -> Option<Device> {
        self.by_name.get(name).copied()
    }

    /// All hosts on one switch.
    pub fn star(hosts: &[String]) -> Network {
        let mut network = Network::default();
        let switch = network.add("switch", DeviceKind::Switch);
        for host in hosts {
            let host = network.add(host, DeviceKind::Host);
            network.connect(Cables { ends: [host, switch], count: Some(1), bandwidth: None });
        }
        network
    }

    /// The same with other names: devices of one name become one, those without a name are left out.
    pub fn renamed(&self, name: impl Fn(Device) -> Option<String>) -> Network {
        let mut network = Network::default();
        let all = (0..self.devices.len()).map(Device);
        let new: Vec<Option<Device>> =
            all.map(|device| Some(network.add(&name(device)?, self.kind(device)))).collect();
        for cable in &self.cables {
            if let [Some(one), Some(other)] = cable.ends.map(|end| new[end.0]) {
                network.connect(Cables { ends: [one, other], ..*cable });
            }
        }
        network
    }

    fn add(&mut self, name: &str, kind: DeviceKind) -> Device {
        let next = Device(self.devices.len());
        let device = *self.by_name.entry(name.to_owned()).or_insert(next);
        if device == next {
            self.devices.push((name.to_owned(), kind));
        }
        device
    }

    /// The device of that name, added if it is new; `None` if it is of another kind.
    pub fn device(&mut self, name: &str, kind: DeviceKind) -> Option<Device> {
        let device = self.add(name, kind);
        (self.devices[device.0].1 == kind).then_some(device)
    }

    /// Adds a cable to those between two devices.
    pub fn connect(&mut self, cable: Cables) {
        let next = self.cables.len();
        let key = (cable.ends, cable.bandwidth.map(f64::to_bits));
        match *self.by_ends.entry(key).or_insert(next) {
            position if position == next => self.cables.push(cable),
            known => {
                let count = &mut self.cables[known].count;
                *count = count.zip(cable.count).map(|(a, b)| a + b);
            }
        }
    }

    pub fn name(&self, device: Device) -> &str {
        &self.devices[device.0].0
    }

    pub fn kind(&self, device: Device) -> DeviceKind {
        self.devices[device.0].1
    }

    pub fn cables(&self) -> &[Cables] {
        &self.cables
    }

    /// All devices of a kind, in the order of the file.
    pub fn all(&self, kind: DeviceKind) -> impl Iterator<Item = Device> + '_ {
        (0..self.devices.len()).map(Device).filter(move |device| self.kind(*device) == kind)
    }

    /// The cables of every device.
    pub fn by_device(&self) -> Vec<Vec<Cables>> {
        let mut all = vec![Vec::new(); self.devices.len()];
        for cable in &self.cables {
            cable.ends.iter().for_each(|end| all[end.0].push(*cable));
        }
        all
    }
}

/// A key that sorts `n2` before `n10`: runs of digits count as numbers.
pub(super) fn natural(name: &str) -> Vec<(String, u64)> {
    let mut parts = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let digits_at = rest.find(|letter: char| letter.is_ascii_digit()).unwrap_or(rest.len());
        let (text, behind) = rest.split_at(digits_at);
        let digits = behind.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(behind.len());
        parts.push((text.to_owned(), behind[..digits].parse().unwrap_or(0)));
        rest = &behind[digits..];
    }
    parts
}
