//! Processes that meet during a run (chapter 11 of the standard): ports and sockets.
//!
//! A port is a rank and a number. Who connects sends its rank to the one that opened the port, under a tag of the port; then both are the leaders of the
//! two sides of an inter-communicator.

use core::ffi::{c_char, c_int};
use core::sync::atomic::{AtomicU32, Ordering};

use mpirage_call::{Call, FIRST_MEETING_TAG, SendMode, unpack_text};
use mpirage_data::Basic;
use mpirage_units::Duration;

use super::communicators::about;
use super::intercomms::{Leader, group_of, intra, join, told_by};
use crate::constants::*;
use crate::frame;
use crate::ground::arguments::{not_null, put, put_string, string};
use crate::ground::error::{Result, fail};
use crate::objects::comm::Comm;
use crate::operations::message::{Incoming, Outgoing};
use crate::operations::operation::{Operation, Step, Steps};
use crate::operations::perform;
use crate::operations::region::Region;
use crate::rank::{self, try_with, with};
use crate::types::*;

/// The beginning of port names.
const PREFIX: &str = "mpirage-port:";
/// The first tag of ports, and of sockets.
const PORT_TAGS: c_int = 1 << 28;
/// How long a rank sleeps before it looks at a socket again, in simulated time.
const LOOK: Duration = Duration::from_picos(10_000_000);

/// Where ranks meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Port {
    /// The rank in the run that opened it.
    pub rank: u32,
    pub number: u32,
}

impl Port {
    /// The next port of this rank.
    pub(super) fn open() -> Port {
        // Folded ranks share the counter, which only has to differ between ports of one rank.
        static NEXT: AtomicU32 = AtomicU32::new(0);
        Port { rank: rank::this().connection().rank().get(), number: NEXT.fetch_add(1, Ordering::Relaxed) }
    }

    fn name(self) -> String {
        format!("{PREFIX}{}:{}", self.rank, self.number)
    }

    fn parse(name: &str) -> Result<Port> {
        let parts = name.strip_prefix(PREFIX).and_then(|rest| rest.split_once(':'));
        let numbers = parts.and_then(|(rank, number)| Some((rank.parse().ok()?, number.parse().ok()?)));
        match numbers {
            Some((rank, number)) if rank < rank::this().connection().briefing().world.universe => {
                Ok(Port { rank, number })
            }
            _ => fail!(MPI_ERR_PORT, "`{name}` is no port; MPI_Open_port gives the names of ports"),
        }
    }

    /// Tags of ports are higher than those that programs give to leaders, as a rule, and far from those of partitioned messages.
    fn tag(self) -> c_int {
        PORT_TAGS + (self.number % (1 << 20)) as c_int
    }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Open_port(info: MPI_Info, port_name: *mut c_char) -> c_int {
    frame::outcome(None, || {
        try_with(|objects| objects.infos.hints(info).map(drop))?;
        let name = Port::open().name();
        // SAFETY: the program hands over a string of MPI_MAX_PORT_NAME characters.
        unsafe { put_string("port_name", port_name, MPI_MAX_PORT_NAME as usize, name.as_bytes()) }.map(drop)
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Close_port(port_name: *const c_char) -> c_int {
    // SAFETY: the program hands over a string.
    frame::outcome(None, || unsafe { port(port_name) }.map(drop))
}

pub(crate) unsafe extern "C-unwind" fn MPI_Publish_name(
    service_name: *const c_char,
    _info: MPI_Info,
    port_name: *const c_char,
) -> c_int {
    frame::outcome(None, || {
        // SAFETY: the program hands over strings.
        let (service, port) = unsafe { (text("service_name", service_name)?, text("port_name", port_name)?) };
        if port.is_empty() {
            fail!(MPI_ERR_PORT, "port_name is empty");
        }
        match rank::ask(&Call::Publish { service: &service, port: &port }).number {
            Some(_) => Ok(()),
            None => fail!(MPI_ERR_SERVICE, "the service `{service}` has been published already"),
        }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Unpublish_name(
    service_name: *const c_char,
    _info: MPI_Info,
    _port_name: *const c_char,
) -> c_int {
    frame::outcome(None, || {
        // SAFETY: the program hands over a string.
        let service = unsafe { text("service_name", service_name) }?;
        match rank::ask(&Call::Publish { service: &service, port: "" }).number {
            Some(_) => Ok(()),
            None => fail!(MPI_ERR_SERVICE, "there is no service `{service}`"),
        }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Lookup_name(
    service_name: *const c_char,
    _info: MPI_Info,
    port_name: *mut c_char,
) -> c_int {
    frame::outcome(None, || {
        // SAFETY: the program hands over a string.
        let service = unsafe { text("service_name", service_name) }?;
        let found = rank::ask(&Call::LookUp { service: &service });
        let Some(length) = found.number else {
            fail!(
                MPI_ERR_NAME,
                "there is no service `{service}`: MPI_Publish_name has not been called with it"
            );
        };
        let port = unpack_text(&found.members, length as usize);
        // SAFETY: the program hands over a string of MPI_MAX_PORT_NAME characters.
        unsafe { put_string("port_name", port_name, MPI_MAX_PORT_NAME as usize, &port) }.map(drop)
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Comm_accept(
    port_name: *const c_char,
    _info: MPI_Info,
    root: c_int,
    comm: MPI_Comm,
    newcomm: *mut MPI_Comm,
) -> c_int {
    frame::outcome(comm, || {
        not_null("newcomm", newcomm)?;
        // SAFETY: the root hands over a string.
        let meet = || unsafe { port(port_name) }.and_then(accept_one);
        // SAFETY: the program hands over a place for a communicator.
        unsafe { put("newcomm", newcomm, meet_other_side(comm, root, meet)?) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Comm_connect(
    port_name: *const c_char,
    _info: MPI_Info,
    root: c_int,
    comm: MPI_Comm,
    newcomm: *mut MPI_Comm,
) -> c_int {
    frame::outcome(comm, || {
        not_null("newcomm", newcomm)?;
        // SAFETY: the root hands over a string.
        let meet = || unsafe { port(port_name) }.and_then(announce);
        // SAFETY: the program hands over a place for a communicator.
        unsafe { put("newcomm", newcomm, meet_other_side(comm, root, meet)?) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Comm_join(fd: c_int, intercomm: *mut MPI_Comm) -> c_int {
    frame::outcome(None, || {
        not_null("intercomm", intercomm)?;
        let me = rank::this().connection().rank().get();
        let other = u32::from_ne_bytes(swap_words(fd, me.to_ne_bytes())?);
        let made = join(&group_of(vec![me])?, &group_of(vec![other])?, fd_tag(me, other))?;
        // SAFETY: the program hands over a place for a communicator.
        unsafe { put("intercomm", intercomm, with(|objects| objects.comms.insert(made))) }
    })
}

/// The roots meet, and both sides make an inter-communicator. `meet` gives the rank in the run of the other root, and the port. If that fails, it fails for
/// all ranks of this side.
pub(super) fn meet_other_side(
    comm: MPI_Comm,
    root: c_int,
    meet: impl FnOnce() -> Result<(u32, Port)>,
) -> Result<MPI_Comm> {
    let (group, me, errhandler) = about(comm, intra)??;
    let leader = try_with(|objects| objects.comms.get(comm)?.member("root", root))?;
    let met = if leader == me { Some(meet()) } else { None };
    let words = match &met {
        Some(Ok((other, port))) => {
            let context = rank::this().connection().universe();
            let tag = port.tag();
            let mut words = Leader { comm: MPI_COMM_WORLD, context, rank: *other, tag }.exchange(&group)?;
            words.extend([tag as u32, MPI_SUCCESS as u32]);
            words
        }
        Some(Err(error)) => error.text.bytes().map(u32::from).chain([0, error.class as u32]).collect(),
        None => Vec::new(),
    };
    let mut words = told_by(comm, root, words)?;
    let (class, tag) = (words.pop().unwrap_or_default() as c_int, words.pop().unwrap_or_default() as c_int);
    if let Some(Err(error)) = met {
        return Err(error);
    }
    if class != MPI_SUCCESS {
        let why: Vec<u8> = words.iter().map(|&byte| byte as u8).collect();
        fail!(class, "the root {root} could not meet the other side: {}", String::from_utf8_lossy(&why));
    }
    let remote = group_of(words)?;
    if group.intersection(&remote).size() > 0 {
        fail!(MPI_ERR_COMM, "the two sides have ranks in common");
    }
    let made = join(&group, &remote, tag)?;
    Ok(with(|objects| objects.comms.insert(Comm { errhandler, ..made })))
}

/// Waits for one that connects.
fn accept_one(port: Port) -> Result<(u32, Port)> {
    let mut other = [0_u32];
    let region = Region::new(other.as_mut_ptr().addr(), 4, &Basic::Byte.into())?;
    let tag = Some(FIRST_MEETING_TAG + port.tag());
    let context = rank::this().connection().universe();
    let receive = Incoming { context, from: None, tag, region, matched: None, bridge: None };
    run(Step::Receive(receive))?;
    Ok((other[0], port))
}

/// Sends this rank to the one that opened the port.
fn announce(port: Port) -> Result<(u32, Port)> {
    let me = [rank::this().connection().rank().get()];
    let region = Region::new(me.as_ptr().addr(), 4, &Basic::Byte.into())?;
    let (to, tag) = (port.rank, FIRST_MEETING_TAG + port.tag());
    let context = rank::this().connection().universe();
    let send = Outgoing { mode: SendMode::Standard, context, to, tag, region, copy: None };
    run(Step::Send(send))?;
    Ok((port.rank, port))
}

fn run(step: Step) -> Result<()> {
    let steps = Steps::from_vec(vec![step]);
    perform::run(Operation { comm: MPI_COMM_WORLD, steps, collective: false }).map(drop)
}

/// # Safety
/// Unless it is null, it is a string.
unsafe fn port(name: *const c_char) -> Result<Port> {
    // SAFETY: the caller vouches for it.
    Port::parse(&unsafe { text("port_name", name) }?)
}

/// # Safety
/// Unless it is null, it is a string.
pub(super) unsafe fn text(what: &'static str, name: *const c_char) -> Result<String> {
    // SAFETY: the caller vouches for it.
    Ok(unsafe { string(what, name) }?.to_string_lossy().into_owned())
}

/// The tag under which two ranks with a socket between them make a communicator: the same on both sides.
fn fd_tag(me: u32, other: u32) -> c_int {
    PORT_TAGS + (1 << 20) + (me ^ other) as c_int
}

/// Sends four bytes through a socket and receives as many. The other rank may not have run yet, so simulated time passes meanwhile.
fn swap_words(fd: c_int, own: [u8; 4]) -> Result<[u8; 4]> {
    // SAFETY: four bytes are read from memory that holds them.
    if unsafe { libc::write(fd, own.as_ptr().cast(), own.len()) } != own.len() as isize {
        fail!(MPI_ERR_ARG, "the socket {fd} does not take data: {}", std::io::Error::last_os_error());
    }
    let mut other = [0; 4];
    loop {
        // SAFETY: a place for four bytes.
        let got = unsafe {
            libc::recv(fd, other.as_mut_ptr().cast(), other.len(), libc::MSG_DONTWAIT | libc::MSG_WAITALL)
        };
        match got {
            4 => return Ok(other),
            -1 if std::io::Error::last_os_error().kind() == std::io::ErrorKind::WouldBlock => {
                rank::ask(&Call::Sleep { span: LOOK });
            }
            _ => fail!(MPI_ERR_ARG, "the socket {fd} gives no data; is it connected to another rank?"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Port;

    #[test]
    fn a_name_says_where_a_port_is() {
        let port = Port { rank: 0, number: 7 };
        assert_eq!(port.name(), "mpirage-port:0:7");
        assert_eq!(Port::parse(&port.name()).unwrap(), port);
        for wrong in
            ["", "mpirage-port:", "mpirage-port:0", "mpirage-port:x:7", "mpirage-port:9:7", "tcp://somewhere"]
        {
            assert!(Port::parse(wrong).is_err(), "{wrong}");
        }
    }
}
