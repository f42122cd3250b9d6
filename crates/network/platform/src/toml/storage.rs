//! The tables `[storage.NAME]`: where files are.

use std::collections::BTreeMap;

use super::table::{Entry, Table};
use crate::error::PlatformError;
use crate::platform::Platform;
use crate::storage::{DiskSpec, Disks, StorageSpec, Storages, Stripes};
use crate::suggest::did_you_mean;

const KEYS: [&str; 9] = [
    "kind",
    "mount",
    "servers",
    "read-bandwidth",
    "write-bandwidth",
    "latency",
    "metadata-latency",
    "stripe-size",
    "stripe-count",
];
const KINDS: [&str; 3] = ["local", "nfs", "parallel"];
/// Lustre's default.
const STRIPE_SIZE: u64 = 1 << 20;

/// Reads all tables; servers are hosts of `platform`.
pub(super) fn read(entry: Entry<'_>, platform: &Platform) -> Result<Storages, PlatformError> {
    let table = entry.value.get_ref().as_table();
    let table = table.ok_or_else(|| {
        entry.error("`storage` is not a table").help("write for example `[storage.scratch]`")
    })?;
    let mut storages: Vec<StorageSpec> = Vec::new();
    for (key, value) in table {
        let one = Entry { source: entry.source, key: key.get_ref().as_ref(), value };
        let storage = read_one(one, platform)?;
        let taken = |mount: &&String| storages.iter().any(|other| other.mounts.contains(mount));
        if let Some(mount) = storage.mounts.iter().find(taken) {
            let mount = if mount.is_empty() { "/" } else { mount };
            return Err(one.error(format!("another storage has the mount point `{mount}` already")));
        }
        storages.push(storage);
    }
    Ok(Storages::new(storages))
}

fn read_one(entry: Entry<'_>, platform: &Platform) -> Result<StorageSpec, PlatformError> {
    let table = entry.table(&KEYS)?;
    let write = table.need("write-bandwidth")?.bandwidth()?;
    let disk = DiskSpec {
        read: table.or("read-bandwidth", write, Entry::bandwidth)?,
        write,
        latency: table.or("latency", 0.0, Entry::latency)?,
        metadata: table.or("metadata-latency", 0.0, Entry::latency)?,
    };
    Ok(StorageSpec {
        name: entry.key.to_owned(),
        mounts: mounts(&table)?,
        disks: disks(&table, platform)?,
        disk,
        by_host: BTreeMap::new(),
        is_default: false,
    })
}

/// Absolute paths without a slash at the end; `/` becomes nothing.
fn mounts(table: &Table<'_>) -> Result<Vec<String>, PlatformError> {
    let Some(entry) = table.get("mount") else { return Ok(vec![String::new()]) };
    let entries = if entry.value.get_ref().as_str().is_some() { vec![entry] } else { entry.list()? };
    let mount = |entry: Entry<'_>| match entry.text()? {
        path if path.starts_with('/') => Ok(path.trim_end_matches('/').to_owned()),
        path => Err(entry.error(format!("`mount` is `{path}`, which is not an absolute path"))),
    };
    entries.into_iter().map(mount).collect()
}

fn disks(table: &Table<'_>, platform: &Platform) -> Result<Disks, PlatformError> {
    let kind = table.or("kind", "local", |entry| {
        let kind = entry.text()?;
        KINDS.into_iter().find(|known| *known == kind).ok_or_else(|| {
            let help = did_you_mean(kind, KINDS);
            entry
                .error(format!("`kind` cannot be `{kind}`; it is one of {}", KINDS.join(", ")))
                .maybe_help(help)
        })
    })?;
    let refused = |keys: &[&'static str]| keys.iter().find_map(|key| table.get(key));
    if kind == "local" {
        return match refused(&["servers", "stripe-size", "stripe-count"]) {
            None => Ok(Disks::Local),
            Some(entry) => Err(entry.error(format!("a local storage has no `{}`", entry.key))),
        };
    }
    let entry = table.need("servers")?;
    let hosts = servers(entry, platform)?;
    if kind == "nfs" {
        if hosts.len() > 1 {
            return Err(entry.error("an `nfs` storage has one server").help("use `kind = \"parallel\"`"));
        }
        if let Some(entry) = refused(&["stripe-size", "stripe-count"]) {
            return Err(entry.error(format!("an `nfs` storage has no `{}`", entry.key)));
        }
        return Ok(Disks::Servers(hosts, Stripes { size: STRIPE_SIZE, count: 1 }));
    }
    let size = table.or("stripe-size", STRIPE_SIZE, Entry::bytes)?;
    let count = table.or("stripe-count", hosts.len() as u32, Entry::count)?;
    if size == 0 {
        return Err(table.error("a stripe has at least 1 byte"));
    }
    if count as usize > hosts.len() {
        let message = format!("`stripe-count` is {count}, but there are {} servers", hosts.len());
        return Err(table.get("stripe-count").unwrap_or(entry).error(message));
    }
    Ok(Disks::Servers(hosts, Stripes { size, count }))
}

/// Hosts by name, or the last so many hosts.
fn servers(entry: Entry<'_>, platform: &Platform) -> Result<Vec<crate::HostId>, PlatformError> {
    if entry.value.get_ref().as_integer().is_some() {
        let (count, hosts) = (entry.count()?, platform.host_count());
        if count > hosts {
            return Err(entry.error(format!("`servers` is {count}, but there are {hosts} hosts")));
        }
        return Ok((hosts - count..hosts).map(crate::HostId).collect());
    }
    let names = if entry.value.get_ref().as_str().is_some() { vec![entry] } else { entry.list()? };
    if names.is_empty() {
        return Err(entry.error("`servers` is empty"));
    }
    let host = |entry: Entry<'_>| {
        let name = entry.name()?;
        platform.find_host(name).ok_or_else(|| entry.error(format!("there is no host `{name}`")))
    };
    names.into_iter().map(host).collect()
}
