//! Storage: where the files of a program are, and how fast that is.
//!
//! A platform has one or more storages. The longest mount point that a path begins with says which of them holds a file. A
//! platform whose file describes none for `/` has a disk in each host ([`StorageSpec::local_default`]).

use std::collections::BTreeMap;

use crate::host::HostId;

/// A storage of a platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StorageId(pub u32);

/// The performance of one disk of a storage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DiskSpec {
    /// Bytes per second that it reads.
    pub read: f64,
    /// Bytes per second that it writes.
    pub write: f64,
    /// Seconds before the first byte of a piece.
    pub latency: f64,
    /// Seconds of an operation on a directory: open, close, delete, a change of size. They follow each other.
    pub metadata: f64,
}

/// How a file lies on several servers: pieces of `size` bytes go around `count` servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stripes {
    /// Bytes of a piece, at least one.
    pub size: u64,
    /// Servers, at least one.
    pub count: u32,
}

/// Where the disks of a storage are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Disks {
    /// One in each host, for the ranks of that host.
    Local,
    /// One in each of these hosts, at least one, for all ranks. Files are striped over them.
    Servers(Vec<HostId>, Stripes),
}

/// A storage, as a table `[storage.NAME]` describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct StorageSpec {
    /// Its name.
    pub name: String,
    /// The beginnings of the paths of its files: absolute, without a slash at the end.
    pub mounts: Vec<String>,
    /// Its disks.
    pub disks: Disks,
    /// The performance of each disk.
    pub disk: DiskSpec,
    /// Exceptions among local disks, by host.
    pub by_host: BTreeMap<HostId, DiskSpec>,
    /// Was it made up, since the platform's file describes none?
    pub is_default: bool,
}

/// The storages of a platform: at least one, and one of them holds any path.
#[derive(Clone, Debug, PartialEq)]
pub struct Storages(Vec<StorageSpec>);

impl StorageSpec {
    /// The disk of hosts about which nothing is said: a data-centre SSD on PCIe, in round numbers.
    pub fn local_default() -> StorageSpec {
        StorageSpec {
            name: "local".to_owned(),
            mounts: vec![String::new()],
            disks: Disks::Local,
            disk: DiskSpec { read: 3e9, write: 2e9, latency: 50e-6, metadata: 20e-6 },
            by_host: BTreeMap::new(),
            is_default: true,
        }
    }

    /// The performance of a disk; for a local storage, of the host with this number.
    pub fn disk_of(&self, unit: u32) -> DiskSpec {
        let own = matches!(self.disks, Disks::Local).then(|| self.by_host.get(&HostId(unit)));
        own.flatten().copied().unwrap_or(self.disk)
    }

    /// The host of a disk; none if each host has one.
    pub fn server(&self, unit: u32) -> Option<HostId> {
        match &self.disks {
            Disks::Local => None,
            Disks::Servers(hosts, _) => hosts.get(unit as usize).copied(),
        }
    }
}

impl Storages {
    /// These storages, and the default one if none of them has the mount point `/`.
    pub fn new(mut storages: Vec<StorageSpec>) -> Storages {
        if !storages.iter().any(|storage| storage.mounts.iter().any(String::is_empty)) {
            storages.push(StorageSpec::local_default());
        }
        Storages(storages)
    }

    /// The storage that holds the file at an absolute path.
    pub fn find(&self, path: &str) -> StorageId {
        let longest = |storage: &StorageSpec| {
            storage.mounts.iter().filter(|mount| holds(mount, path)).map(String::len).max()
        };
        let found =
            (0..self.0.len()).filter_map(|at| Some((longest(&self.0[at])?, at))).max_by_key(|key| key.0);
        StorageId(found.map_or(0, |(_, at)| at as u32))
    }

    /// A storage.
    ///
    /// # Panics
    /// If it is not one of these.
    pub fn get(&self, id: StorageId) -> &StorageSpec {
        &self.0[id.0 as usize]
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = &StorageSpec> {
        self.0.iter()
    }
}

impl Default for Storages {
    fn default() -> Storages {
        Storages::new(Vec::new())
    }
}

/// Does a path lie below a mount point? `/data` holds `/data/a` and not `/database`.
fn holds(mount: &str, path: &str) -> bool {
    path.strip_prefix(mount).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str, mount: &str) -> StorageSpec {
        StorageSpec {
            name: name.to_owned(),
            mounts: vec![mount.to_owned()],
            is_default: false,
            ..StorageSpec::local_default()
        }
    }

    #[test]
    fn the_longest_mount_point_holds_a_file() {
        let storages = Storages::new(vec![named("data", "/data"), named("fast", "/data/fast")]);
        let name = |path| storages.get(storages.find(path)).name.clone();
        assert_eq!(
            ["/data/a", "/data/fast/a", "/data/faster", "/database", "/home/a"].map(name),
            ["data", "fast", "data", "local", "local"]
        );
    }

    #[test]
    fn without_a_description_every_host_has_a_disk() {
        let storages = Storages::default();
        assert!(storages.get(storages.find("/tmp/a")).is_default);
        let own = Storages::new(vec![named("own", "")]);
        assert_eq!(own.iter().count(), 1);
    }
}
