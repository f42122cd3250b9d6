//! Addresses of hosts, derived from their numbers. All interfaces of a host have the same.
//!
//! Host 0 is 10.0.0.1 with the locally administered MAC 02:00:00:00:00:00. Above 16,777,213 hosts IPv4 addresses repeat; MAC
//! addresses do not.

use mpirage_platform::HostId;
use mpirage_units::scramble;

/// An end of a connection: a host and a port of its transport protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Station {
    /// The host.
    pub host: HostId,
    /// The number of its port.
    pub port: u16,
}

/// Addresses of 10.0.0.0/8 that a host can have: neither the network's nor the broadcast address.
const USABLE: u32 = (1 << 24) - 2;

impl Station {
    /// The MAC address of its host.
    pub(super) fn mac(self) -> [u8; 6] {
        let [a, b, c, d] = self.host.0.to_be_bytes();
        [0x02, 0, a, b, c, d]
    }

    /// The IPv4 address of its host.
    pub(super) fn ipv4(self) -> [u8; 4] {
        let [_, b, c, d] = (self.host.0 % USABLE + 1).to_be_bytes();
        [10, b, c, d]
    }

    /// A number that a connection from here to `target` begins to count with. It spreads over all 32 bits, so that captures
    /// show numbers that wrap, as real ones do.
    pub(super) fn initial_number(self, target: Station) -> u32 {
        let hosts = u64::from(self.host.0) << 32 | u64::from(target.host.0);
        let ports = u64::from(self.port) << 16 | u64::from(target.port);
        (scramble(scramble(hosts.wrapping_add(1)) ^ ports) >> 32) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn station(host: u32, port: u16) -> Station {
        Station { host: HostId(host), port }
    }

    #[test]
    fn hosts_have_addresses_of_a_private_network() {
        assert_eq!(station(0, 1).ipv4(), [10, 0, 0, 1]);
        assert_eq!(station(0x01_02_03, 1).ipv4(), [10, 1, 2, 4]);
        assert_eq!(station(USABLE - 1, 1).ipv4(), [10, 255, 255, 254]);
        assert_eq!(station(USABLE, 1).ipv4(), [10, 0, 0, 1]);
        assert_eq!(station(0xa1_b2_c3_d4, 1).mac(), [2, 0, 0xa1, 0xb2, 0xc3, 0xd4]);
    }

    #[test]
    fn initial_numbers_differ_between_directions_and_connections() {
        let (a, b, c) = (station(0, 1), station(1, 2), station(1, 3));
        let numbers = [a.initial_number(b), b.initial_number(a), a.initial_number(c), c.initial_number(a)];
        let mut distinct = numbers.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), numbers.len());
    }
}
