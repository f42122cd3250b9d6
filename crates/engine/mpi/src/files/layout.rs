//! Maps the parts of a file to disks.

use mpirage_call::FileHints;
use mpirage_kernel::Disk;
use mpirage_platform::{Disks, HostId, StorageId, StorageSpec, Stripes};

/// A stretch of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stretch {
    pub offset: u64,
    pub length: u64,
}

impl Stretch {
    pub(crate) fn end(self) -> u64 {
        self.offset.saturating_add(self.length)
    }

    /// The intersection with another.
    pub(crate) fn within(self, other: Stretch) -> Stretch {
        let (start, end) = (self.offset.max(other.offset), self.end().min(other.end()));
        Stretch { offset: start, length: end.saturating_sub(start) }
    }
}

/// Where a file lies: the servers that hold it, from the first one on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileLayout {
    pub storage: StorageId,
    /// The server of the first stripe.
    first: u32,
    /// None on disks of hosts.
    stripes: Option<Stripes>,
}

impl FileLayout {
    /// The layout of the `number`-th file of a storage: files begin at one server after the other.
    pub(crate) fn new(storage: StorageId, spec: &StorageSpec, hints: &FileHints, number: u32) -> FileLayout {
        match &spec.disks {
            Disks::Local => FileLayout { storage, first: 0, stripes: None },
            Disks::Servers(hosts, usual) => {
                let servers = hosts.len() as u32;
                let count =
                    if hints.stripe_count == 0 { usual.count } else { hints.stripe_count.min(servers) };
                let size = if hints.stripe_size == 0 { usual.size } else { hints.stripe_size };
                FileLayout { storage, first: number % servers, stripes: Some(Stripes { size, count }) }
            }
        }
    }

    /// The disk for operations on directories: the first server's, for all files.
    pub(crate) fn metadata_disk(&self, client: HostId) -> Disk {
        Disk { storage: self.storage, unit: if self.stripes.is_some() { 0 } else { client.0 } }
    }

    /// The bytes of a stretch on each disk that has some, for a client on this host.
    pub(crate) fn shares(&self, spec: &StorageSpec, stretch: Stretch, client: HostId) -> Vec<(Disk, u64)> {
        let storage = self.storage;
        let (Some(stripes), Disks::Servers(hosts, _)) = (self.stripes, &spec.disks) else {
            return vec![(Disk { storage, unit: client.0 }, stretch.length)];
        };
        let bytes = |stripe| below(stripes, stretch.end(), stripe) - below(stripes, stretch.offset, stripe);
        let unit = |stripe| (self.first + stripe) % hosts.len() as u32;
        let shares = (0..stripes.count).map(|stripe| (Disk { storage, unit: unit(stripe) }, bytes(stripe)));
        shares.filter(|(_, bytes)| *bytes > 0).collect()
    }
}

/// The bytes before `end` that lie in the `stripe`-th of the stripes.
fn below(stripes: Stripes, end: u64, stripe: u32) -> u64 {
    let Stripes { size, count } = stripes;
    let around = size.saturating_mul(u64::from(count));
    let rest = (end % around).saturating_sub(size.saturating_mul(stripe.into())).min(size);
    end / around * size + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use mpirage_platform::DiskSpec;
    use proptest::prelude::*;

    fn servers(count: u32, stripes: Stripes) -> StorageSpec {
        StorageSpec {
            name: "parallel".to_owned(),
            mounts: vec![String::new()],
            disks: Disks::Servers((0..count).map(HostId).collect(), stripes),
            disk: DiskSpec { read: 1e9, write: 1e9, latency: 0.0, metadata: 0.0 },
            by_host: Default::default(),
            is_default: false,
        }
    }

    proptest! {
        /// The naive definition: byte by byte.
        #[test]
        fn every_byte_lies_on_the_disk_of_its_stripe(
            (size, count, more) in (1..9u64, 1..5u32, 0..3u32), first in 0..5u32, offset in 0..60u64, length in 0..60u64
        ) {
            let spec = servers(count + more, Stripes { size, count });
            let layout = FileLayout::new(StorageId(0), &spec, &FileHints::default(), first);
            let mut naive = vec![0; (count + more) as usize];
            for byte in offset..offset + length {
                let stripe = (byte / size % u64::from(count)) as u32;
                naive[((first + stripe) % (count + more)) as usize] += 1;
            }
            let mut found = vec![0; naive.len()];
            for (disk, bytes) in layout.shares(&spec, Stretch { offset, length }, HostId(0)) {
                found[disk.unit as usize] += bytes;
            }
            prop_assert_eq!(found, naive);
        }
    }

    #[test]
    fn hints_choose_the_stripes() {
        let spec = servers(4, Stripes { size: 10, count: 4 });
        let hints = FileHints { stripe_count: 2, stripe_size: 5, ..FileHints::default() };
        let layout = FileLayout::new(StorageId(0), &spec, &hints, 1);
        let shares = layout.shares(&spec, Stretch { offset: 0, length: 20 }, HostId(0));
        let units: Vec<_> = shares.iter().map(|(disk, bytes)| (disk.unit, *bytes)).collect();
        assert_eq!(units, [(1, 10), (2, 10)]);
    }
}
