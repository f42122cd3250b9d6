//! Writes captures and says what is in them: capture FOLDER.
//!
//! `tests/packet/test_captures.py` lets Wireshark's `tshark` read them, and compares what it finds with the lines that this prints:
//!
//! ```text
//! clean.pcapng      a scripted transfer without losses, at the sender
//! lossy.pcapng      a scripted one with losses that duplicate acknowledgements and timeouts repair, with a closed window
//! two-ends.pcapng   the same at both ends, whole frames
//! tcp.pcapng        two ends of TCP on a path with losses, whole frames, at the sender
//! syn.pcapng        the same where the first two frames are lost
//! sctp.pcapng       two ends of SCTP on a path with losses, whole frames, at the sender
//! roce.pcapng       packets of RoCEv2: writes of many lengths, a loss, a notification of congestion
//! ```

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

#[path = "../../tests/pair/mod.rs"]
#[allow(dead_code)] // tests use the rest
mod pair;
mod protocols;
mod roce;
mod scripted;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args_os().nth(1).ok_or("usage: capture FOLDER")?);
    scripted::write(&folder)?;
    protocols::write(&folder)?;
    roce::write(&folder)
}

fn output(folder: &Path, name: &str) -> std::io::Result<BufWriter<File>> {
    Ok(BufWriter::new(File::create(folder.join(name))?))
}
