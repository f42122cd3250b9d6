//! Names of ports that ranks have published (`MPI_Publish_name`).

use std::collections::HashMap;

use mpirage_call::{Reply, pack_text};

/// The published names.
#[derive(Debug, Default)]
pub(super) struct Names {
    ports: HashMap<Box<str>, Box<str>>,
}

impl Names {
    /// Publishes a service under which a port can be found; takes it back if the port is empty. The reply has a number if the service was
    /// free before, or was there to be taken back.
    pub(super) fn publish(&mut self, service: &str, port: &str, reply: &mut Reply) {
        let done = match port {
            "" => self.ports.remove(service).is_some(),
            _ if self.ports.contains_key(service) => false,
            _ => self.ports.insert(service.into(), port.into()).is_none(),
        };
        reply.number = done.then_some(1);
    }

    /// Puts the port of a service into the reply, if there is one.
    pub(super) fn look_up(&self, service: &str, reply: &mut Reply) {
        if let Some(port) = self.ports.get(service) {
            reply.number = Some(port.len() as u64);
            reply.members = pack_text(port);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mpirage_call::unpack_text;

    #[test]
    fn a_service_has_one_port_until_it_is_taken_back() {
        let (mut names, mut reply) = (Names::default(), Reply::new());
        let mut publish = |names: &mut Names, service, port| {
            reply.clear();
            names.publish(service, port, &mut reply);
            reply.number.is_some()
        };
        assert!(publish(&mut names, "ocean", "port 1"));
        assert!(!publish(&mut names, "ocean", "port 2"));
        let mut found = Reply::new();
        names.look_up("ocean", &mut found);
        assert_eq!(unpack_text(&found.members, found.number.unwrap() as usize), b"port 1");
        assert!(publish(&mut names, "ocean", ""));
        assert!(!publish(&mut names, "ocean", ""));
        found.clear();
        names.look_up("ocean", &mut found);
        assert_eq!(found.number, None);
    }
}
