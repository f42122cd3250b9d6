//! `<disk>` of a host: storages for files, by mount point.
//!
//! SimGrid's MPI-IO finds the disk of a file among those of the rank's host, by the longest mount point, and takes the first disk for a
//! name without a path.

use std::collections::BTreeMap;

use super::element::Element;
use super::{Reader, property, unsupported};
use crate::error::PlatformError;
use crate::host::HostId;
use crate::storage::{DiskSpec, Disks, StorageSpec, Storages};

/// The disks of all hosts for one mount point.
pub(super) struct Mount {
    name: String,
    path: String,
    by_host: BTreeMap<HostId, DiskSpec>,
    /// The disk of the first host that has one.
    first: DiskSpec,
}

impl Reader {
    /// Reads the children of a host: its properties and its disks.
    pub(super) fn inside_host(&mut self, host: &Element<'_>, id: HostId) -> Result<(), PlatformError> {
        for child in host.children()? {
            match child.tag() {
                "prop" if child.get("id") == Some("remote_disk") => {
                    property(&child)?;
                    let message = "`remote_disk` is left aside: files of this host are on disks of its own";
                    child.source.doubt(child.node.range(), message.to_owned());
                }
                "prop" => property(&child)?,
                "disk" => self.disk(&child, id)?,
                _ => return Err(unsupported(&child, "<host>", &["prop", "disk"])),
            }
        }
        Ok(())
    }

    fn disk(&mut self, disk: &Element<'_>, host: HostId) -> Result<(), PlatformError> {
        disk.check_attributes(&["id", "read_bw", "write_bw"])?;
        let (read, write) = (disk.bandwidth("read_bw")?, disk.bandwidth("write_bw")?);
        let spec = DiskSpec { read, write, latency: 0.0, metadata: 0.0 };
        let path = mount_point(disk)?;
        let name = disk.get("id").unwrap_or("disk");
        match self.mounts.iter_mut().find(|mount| mount.path == path) {
            None => self.mounts.push(Mount {
                name: name.to_owned(),
                path,
                by_host: BTreeMap::from([(host, spec)]),
                first: spec,
            }),
            Some(mount) => {
                if mount.by_host.contains_key(&host) {
                    let message =
                        "another disk of this host has the same mount point; this one is never used";
                    disk.source.doubt(disk.node.range(), message.to_owned());
                }
                mount.by_host.entry(host).or_insert(spec);
            }
        }
        Ok(())
    }

    /// The storages of all disks; none if there are no disks. `hosts` is the number of hosts.
    pub(super) fn storages(&mut self, root: &Element<'_>, hosts: u32) -> Option<Storages> {
        let holds_all = self.mounts.iter().any(|mount| mount.path.is_empty());
        let mut storages = Vec::new();
        for (number, Mount { name, path, by_host, first }) in self.mounts.drain(..).enumerate() {
            if by_host.len() < hosts as usize {
                let without = hosts as usize - by_host.len();
                let message = format!(
                    "{without} of {hosts} hosts have no disk at `{path}/`: they are taken to have one like the first ({name}), if a \
                     program opens a file there; SimGrid ends such a program"
                );
                root.source.doubt(root.node.range(), message);
            }
            // Where no disk holds every path, the first one holds what is on none.
            let rest = (number == 0 && !holds_all && !path.is_empty()).then(String::new);
            let mounts = [Some(path), rest].into_iter().flatten().collect();
            storages.push(StorageSpec {
                name,
                mounts,
                disks: Disks::Local,
                disk: first,
                by_host,
                is_default: false,
            });
        }
        (!storages.is_empty()).then(|| Storages::new(storages))
    }
}

/// The mount point, without a slash at the end. Reads the other properties and forgets them.
fn mount_point(disk: &Element<'_>) -> Result<String, PlatformError> {
    let mut mount = "/";
    for child in disk.children()? {
        match child.tag() {
            "prop" => property(&child)?,
            _ => return Err(unsupported(&child, "<disk>", &["prop"])),
        }
        if child.get("id") == Some("mount") {
            mount = child.text("value")?;
            if !mount.starts_with('/') {
                return Err(child.wrong("value", format!("mount point `{mount}` is not an absolute path")));
            }
        }
    }
    Ok(mount.trim_end_matches('/').to_owned())
}

#[cfg(test)]
mod tests {
    use crate::{HostId, Platform};

    #[test]
    fn hosts_have_disks_of_their_own_by_mount_point() {
        let disk = |read: u32, mount: &str| {
            format!(
                "<disk id=\"d{read}\" read_bw=\"{read}MBps\" write_bw=\"1MBps\"><prop id=\"mount\" value=\"{mount}\"/></disk>"
            )
        };
        let text = format!(
            "<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\">\
             <host id=\"a\" speed=\"1Gf\">{}{}</host><host id=\"b\" speed=\"1Gf\">{}{}</host>\
             <link id=\"l\" bandwidth=\"1GBps\"/><route src=\"a\" dst=\"b\"><link_ctn id=\"l\"/></route></zone></platform>",
            disk(100, "/scratch"),
            disk(10, "/scratch/fast/"),
            disk(200, "/scratch"),
            disk(300, "/scratch"),
        );
        let platform = Platform::from_text("p.xml", &text).unwrap();
        let storages = platform.storages();
        let read = |path: &str, host: HostId| storages.get(storages.find(path)).disk_of(host.0).read;
        let [a, b] = ["a", "b"].map(|name| platform.find_host(name).unwrap());
        assert_eq!([read("/scratch/x", a), read("/scratch/x", b)], [100e6, 200e6]);
        assert_eq!([read("/scratch/fast/x", a), read("/home/x", b)], [10e6, 200e6]);
        let doubts = platform.doubts().join("\n");
        assert!(
            doubts.contains("never used") && doubts.contains("1 of 2 hosts have no disk at `/scratch/fast/`"),
            "{doubts}"
        );
    }
}
