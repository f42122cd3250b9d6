//! The `[packet]` table: keys are set, refused and shown.

use mpirage_packet::{SctpSettings, TcpSettings};
use mpirage_platform::Value;

use super::keys::{PACKET_KEYS, PacketKey};
use super::{Packet, Transport};

impl PacketKey {
    /// Does the transport have it? The error says what to do.
    fn check(&self, transport: Transport) -> Result<(), String> {
        if self.of.contains(&transport) {
            return Ok(());
        }
        let others: Vec<String> =
            self.of.iter().map(|other| format!("`transport = \"{}\"`", other.name())).collect();
        Err(format!(
            "the transport \"{}\" has no such parameter; remove the line, or use {}",
            transport.name(),
            others.join(" or ")
        ))
    }
}

impl Packet {
    /// Sets a parameter of the `[packet]` table. The transport is set before all others.
    pub(crate) fn set(&mut self, key: &str, value: &Value) -> Result<(), String> {
        match PACKET_KEYS.iter().find(|known| known.name == key) {
            Some(known) => {
                known.check(self.transport)?;
                (known.set)(self, value)
            }
            None => {
                let names: Vec<&str> = PACKET_KEYS.iter().map(|known| known.name).collect();
                Err(format!("there is no such parameter; there are {}", names.join(", ")))
            }
        }
    }

    /// Does its transport have a parameter of that name?
    pub(crate) fn has(&self, key: &str) -> bool {
        self.keys().any(|known| known.name == key)
    }

    /// Its parameters, one per line, as in the `[packet]` table.
    pub fn describe(&self) -> Vec<String> {
        self.keys().map(|key| format!("{} = {}", key.name, (key.get)(self))).collect()
    }

    /// The same with what each means.
    pub fn explain(&self) -> Vec<String> {
        let line = |key: &PacketKey| {
            format!("{:50} # {}", format!("{} = {}", key.name, (key.get)(self)), key.meaning)
        };
        self.keys().map(line).collect()
    }

    /// The keys that its transport has.
    fn keys(&self) -> impl Iterator<Item = &'static PacketKey> {
        PACKET_KEYS.iter().filter(|key| key.of.contains(&self.transport))
    }

    /// A setting of the sockets of its transport.
    pub(super) fn either<T>(&self, tcp: fn(&TcpSettings) -> T, sctp: fn(&SctpSettings) -> T) -> T {
        if self.transport == Transport::Sctp { sctp(&self.sctp) } else { tcp(&self.tcp) }
    }
}
