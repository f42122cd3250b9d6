//! Compares three networks with one workload to see which is enough: a program that uses mpirage as a library.
//!
//! `cargo run --release -p mpirage-simulation --example networks`

use std::error::Error;

use mpirage_simulation::{Charged, Machine, MachineRequest, Simulation, Unwatched, open_workload};

const RANKS: u32 = 64;

fn main() -> Result<(), Box<dyn Error>> {
    for network in ["edr", "hdr100", "hdr200"] {
        let machine = Machine::new(
            &MachineRequest {
                platform: Some("fat-tree:8x8".to_owned()),
                net: Some(network.to_owned()),
                ..MachineRequest::default()
            },
            RANKS,
        )?;
        let mut halo = open_workload(&format!("gen:halo2d,ranks={RANKS},bytes=256KiB,compute=50us"))?;
        let ended = Simulation::new(&machine)
            .computation(Charged::ALL, machine.first_speed())
            .replay(halo.as_mut(), &mut Unwatched)?;
        println!("{network:8} {:.6} s", ended.seconds());
    }
    Ok(())
}
