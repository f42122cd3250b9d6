//! The analytic models, call by call: `smp` by the equations of paper 3, `loggops` by those of LogGOPSim, `bus` by those of
//! Dimemas.

use mpirage_call::{
    Blocks, Call, Collective, CollectiveCall, Completing, Operator, Part, Payload, Peers, Reduction,
    RequestId, SendMode, WORLD, Work,
};
use mpirage_mpi::Ending;
use mpirage_platform::Platform;
use mpirage_units::Duration;

use crate::common::{Ran, recv, run, send};

/// So many hosts, and a `[model]` table.
fn platform(hosts: u32, model: &str) -> Platform {
    let text = format!(
        "[cluster]\nhosts = {hosts}\ncores = 64\nspeed = \"1Gf\"\nbandwidth = \"100MBps\"\nlatency = \"10us\"\n[model]\n{model}\n"
    );
    Platform::from_text("test.toml", &text).unwrap()
}

fn finished(platform: Platform, model: &str, choice: &str, scripts: &[Vec<Call<'_>>]) -> Ran {
    let ran = run(platform, model, choice, scripts);
    assert_eq!(ran.ending, Ending::Finished);
    ran
}

/// When each answered call of a rank returned, in nanoseconds.
fn nanos(ran: &Ran, rank: usize) -> Vec<u64> {
    ran.replies[rank].iter().map(|reply| (reply.now.as_secs_f64() * 1e9).round() as u64).collect()
}

fn moded(mode: SendMode, to: u32, bytes: u64, request: Option<u32>) -> Call<'static> {
    let (context, tag, payload, answer) = (WORLD, 0, Payload::Absent, true);
    Call::Send { mode, context, to, tag, bytes, payload, request: request.map(RequestId::new), answer }
}

fn wait() -> Call<'static> {
    Call::Wait { how: Completing::All, poll: false, requests: RequestId::slice(&[1]) }
}

fn sleep(micros: f64) -> Call<'static> {
    Call::Sleep { span: Duration::from_secs_f64(micros * 1e-6) }
}

fn compute(nanos: f64) -> Call<'static> {
    Call::Compute { work: Work::Flops(nanos), request: None }
}

mod smp {
    use super::*;

    /// L_net = 10 us, B_net = 10 ns/B, L_mem = 1 us, B_mem = 1 ns/B, δt = 2 us, O_a = 3 us.
    const TABLE: &str = "network-latency = \"10us\"\nnetwork-bandwidth = \"100MBps\"\nmemory-latency = \"1us\"\n\
         memory-bandwidth = \"1GBps\"\ncall-cost = \"2us\"\nbuffer-cost = \"3us\"\n";
    /// m: 1 us in memory, 10 us on the network.
    const M: u64 = 1000;

    /// When the send returns and is safe, and when the receive, begun after `late` microseconds, and its wait return.
    fn dates(hosts: u32, mode: SendMode, late: f64) -> [u64; 4] {
        let sender = vec![moded(mode, 1, M, Some(1)), Call::Now, wait()];
        let receiver = vec![sleep(late), recv(Some(0), Some(0), M, Some(1)), Call::Now, wait(), Call::Now];
        let ran =
            finished(platform(hosts, TABLE), "smp", "", &[[sender, vec![Call::Now]].concat(), receiver]);
        let (sent, received) = (nanos(&ran, 0), nanos(&ran, 1));
        [sent[0], sent[1], received[1], received[2]]
    }

    #[test]
    fn equations_1_to_3_buffered_send_to_another_node() {
        // return = δt + O_a, safe = that + m/B_mem, arrive = that + L_net + m/B_net.
        assert_eq!(dates(2, SendMode::Buffered, 0.0), [5_000, 6_000, 2_000, 25_000]);
    }

    #[test]
    fn equations_4_to_6_buffered_send_within_a_node() {
        // return = δt, safe = that + m/B_mem, arrive = that + L_mem + m/B_mem.
        assert_eq!(dates(1, SendMode::Buffered, 0.0), [2_000, 3_000, 2_000, 4_000]);
    }

    #[test]
    fn equations_7_to_10_synchronous_send_whose_receive_is_there() {
        // The answer comes at δt + 2 L (equation 8); safe = that + m/B_mem; arrive = that + L + m/B.
        assert_eq!(dates(2, SendMode::Synchronous, 0.0), [2_000, 23_000, 2_000, 42_000]);
        assert_eq!(dates(2, SendMode::Synchronous, 12.0)[1..], [23_000, 14_000, 42_000]);
        assert_eq!(dates(1, SendMode::Synchronous, 0.0), [2_000, 5_000, 2_000, 6_000]);
    }

    #[test]
    fn equations_7_to_10_synchronous_send_whose_receive_is_late() {
        // The answer comes at t_recv + L; safe = that + m/B_mem; arrive = that + L + m/B.
        assert_eq!(dates(2, SendMode::Synchronous, 100.0), [2_000, 111_000, 102_000, 130_000]);
        assert_eq!(dates(1, SendMode::Synchronous, 100.0), [2_000, 102_000, 102_000, 103_000]);
    }

    #[test]
    fn equation_11_a_receive_returns_after_a_call() {
        let ran = finished(
            platform(2, TABLE),
            "smp",
            "",
            &[
                vec![moded(SendMode::Buffered, 1, 0, None)],
                vec![sleep(1.0), recv(Some(0), Some(0), 0, Some(1)), Call::Now, wait()],
            ],
        );
        assert_eq!(nanos(&ran, 1)[1], 3_000);
    }

    #[test]
    fn equations_12_and_13_a_wait_returns_when_the_data_are_safe_but_not_before_it_began() {
        let waiting = |receive: f64, wait_after: f64, bytes: u64| {
            let ran = finished(
                platform(2, TABLE),
                "smp",
                "",
                &[
                    vec![moded(SendMode::Buffered, 1, bytes, None)],
                    vec![
                        sleep(receive),
                        recv(Some(0), Some(0), bytes, Some(1)),
                        sleep(wait_after),
                        wait(),
                        Call::Now,
                    ],
                ],
            );
            nanos(&ran, 1)[2]
        };
        // (a) both before the arrival at 25 us; (b) only the receive.
        assert_eq!(waiting(1.0, 1.0, M), 25_000);
        assert_eq!(waiting(1.0, 97.0, M), 100_000);
        // (c) the message of 5000 bytes has arrived at 65 us: one more copy.
        assert_eq!(waiting(100.0, 0.0, 5 * M), 105_000);
        assert_eq!(waiting(100.0, 20.0, 5 * M), 122_000);
    }

    #[test]
    fn table_1_blocking_calls_are_begun_and_waited_for() {
        let ran = finished(
            platform(2, TABLE),
            "smp",
            "",
            &[
                vec![
                    moded(SendMode::Buffered, 1, M, None),
                    Call::Now,
                    moded(SendMode::Synchronous, 1, M, None),
                    Call::Now,
                ],
                vec![recv(Some(0), Some(0), M, None), Call::Now, recv(Some(0), Some(0), M, None), Call::Now],
            ],
        );
        // Bsend: safe at 6 us. Ssend: asks at 8 us, is heard at 18 us but not before the first message is there, at 25 us.
        assert_eq!(nanos(&ran, 0)[..3], [6_000, 6_000, 36_000]);
        assert_eq!(nanos(&ran, 1)[..3], [25_000, 25_000, 55_000]);
        // A standard send is one or the other, by its size.
        let standard = |bytes| {
            let ran = finished(
                platform(2, &format!("{TABLE}eager-limit = 1000")),
                "smp",
                "",
                &[vec![send(1, 0, bytes, None), Call::Now], vec![recv(Some(0), Some(0), bytes, None)]],
            );
            nanos(&ran, 0)[0]
        };
        assert_eq!((standard(999), standard(1000)), (5_999, 23_000));
    }

    #[test]
    fn collectives_are_made_of_the_same() {
        let ran = finished(
            platform(2, TABLE),
            "smp",
            "barrier=dissemination",
            &vec![vec![barrier(), Call::Now]; 2],
        );
        // Irecv δt; then Isend δt + O_a, L_net.
        assert_eq!(nanos(&ran, 0), nanos(&ran, 1));
        assert_eq!(nanos(&ran, 0)[0], 2_000 + 5_000 + 10_000);
    }
}

mod loggops {
    use super::*;

    /// L 2500, o 1500, g 1000, G 6, O 0, S 65535, in nanoseconds.
    fn ends(scripts: &[Vec<Call<'static>>]) -> Vec<u64> {
        ends_with("", scripts)
    }

    fn ends_with(table: &str, scripts: &[Vec<Call<'static>>]) -> Vec<u64> {
        let ran = finished(platform(scripts.len() as u32, table), "loggops", "", scripts);
        ran.ends.iter().map(|end| (end * 1e9).round() as u64).collect()
    }

    fn receive() -> Call<'static> {
        recv(None, None, 1 << 30, None)
    }

    #[test]
    fn a_message_takes_two_overheads_a_latency_and_its_bytes() {
        assert_eq!(ends(&[vec![send(1, 0, 8, None)], vec![receive()]]), [1_500, 5_542]);
        assert_eq!(ends(&[vec![send(1, 0, 0, None)], vec![receive()]]), [1_500, 5_500]);
        assert_eq!(ends_with("O = 10e-9", &[vec![send(1, 0, 8, None)], vec![receive()]]), [1_570, 5_570]);
    }

    #[test]
    fn processors_do_one_thing_at_a_time() {
        // The second message is there at 5500, while the first is taken until 5542.
        let two = [vec![send(1, 0, 8, None), send(1, 0, 8, None)], vec![receive(), receive()]];
        assert_eq!(ends(&two), [3_000, 7_084]);
        // All three at 4000: one after the other.
        let incast = [
            vec![receive(); 3],
            vec![send(0, 0, 8, None)],
            vec![send(0, 0, 8, None)],
            vec![send(0, 0, 8, None)],
        ];
        assert_eq!(ends(&incast)[0], 4_000 + 3 * 1_542);
    }

    #[test]
    fn a_message_waits_for_a_computation_and_delays_the_next() {
        let busy = [vec![send(1, 0, 8, None)], vec![compute(10_000.0), receive()]];
        assert_eq!(ends(&busy)[1], 11_542);
        // It comes at 4000, is taken at 6000, and the third computation starts when that is done.
        let steps = [
            vec![send(1, 0, 8, None)],
            vec![compute(3_000.0), compute(3_000.0), compute(3_000.0), receive()],
        ];
        assert_eq!(ends(&steps)[1], 6_000 + 1_542 + 3_000);
        // A message that arrived before the receive costs nothing more.
        let late = [vec![send(1, 0, 8, None)], vec![sleep(50.0), receive()]];
        assert_eq!(ends(&late)[1], 50_000);
    }

    #[test]
    fn gaps_keep_messages_apart_but_not_computations() {
        let gap = "g = \"5us\"";
        // Sends start 5042 ns apart; so do the messages at the other side.
        let two = [vec![send(1, 0, 8, None), send(1, 0, 8, None)], vec![receive(), receive()]];
        assert_eq!(ends_with(gap, &two), [5_042 + 1_500, 5_042 + 5_542]);
        // Two messages that come at once are taken 5042 ns apart; a computation fits in between.
        let between = [
            vec![receive(), compute(2_000.0), Call::Now, receive()],
            vec![send(0, 0, 8, None)],
            vec![send(0, 0, 8, None)],
        ];
        let ran = finished(platform(3, gap), "loggops", "", &between);
        assert_eq!(nanos(&ran, 0)[1], 5_542 + 2_000);
        assert_eq!((ran.ends[0] * 1e9).round() as u64, 4_000 + 5_042 + 1_542);
    }

    #[test]
    fn senders_of_large_messages_wait_until_they_are_matched() {
        let large = 65_536;
        // There when the receive is: matched at 4000, before its bytes have been taken.
        let expected = [vec![send(1, 0, large, None), Call::Now], vec![receive()]];
        assert_eq!(ends(&expected), [4_000, 5_500 + 65_535 * 6]);
        let unexpected = [vec![send(1, 0, large, None), Call::Now], vec![sleep(1000.0), receive()]];
        assert_eq!(ends(&unexpected), [1_000_000, 1_000_000]);
        let eager = [vec![send(1, 0, large - 1, None), Call::Now], vec![sleep(1000.0), receive()]];
        assert_eq!(ends(&eager)[0], 1_500);
    }

    #[test]
    fn work_beside_a_rank_shares_its_processor() {
        let beside = |request| Call::Compute { work: Work::Flops(2_000.0), request: Some(request) };
        let both = Call::Wait { how: Completing::All, poll: false, requests: RequestId::slice(&[1, 2]) };
        assert_eq!(
            ends(&[vec![beside(RequestId::new(1)), beside(RequestId::new(2)), both, Call::Now]]),
            [4_000]
        );
        // A send behind it waits its turn.
        let script = vec![beside(RequestId::new(1)), send(1, 0, 8, None), Call::Now, wait()];
        let ran = finished(platform(2, ""), "loggops", "", &[script, vec![receive()]]);
        assert_eq!(nanos(&ran, 0)[0], 3_500);
    }

    #[test]
    fn dissemination_over_65536_ranks_takes_88672_nanoseconds() {
        let ranks = 1 << 16;
        let scripts = vec![vec![allreduce(8)]; ranks];
        let ran = crate::common::run_once(
            platform(ranks as u32, ""),
            "loggops",
            "allreduce=recursive-doubling",
            &scripts,
        );
        assert!(ran.ends.iter().all(|end| (end * 1e9).round() as u64 == 88_672), "{}", ran.ends[0]);
    }
}

mod bus {
    use super::*;

    const TABLE: &str =
        "latency = \"5us\"\nbandwidth = 1e9\nwithin-latency = \"1us\"\nwithin-bandwidth = 2e9\n";

    #[test]
    fn ranks_pay_the_latency_before_messages_leave_and_receives_look() {
        let ran = finished(
            platform(2, TABLE),
            "bus",
            "",
            &[
                vec![send(1, 0, 10_000, None), Call::Now],
                vec![recv(Some(0), Some(0), 10_000, None), Call::Now],
            ],
        );
        assert_eq!((nanos(&ran, 0)[0], nanos(&ran, 1)[0]), (5_000, 15_000));
        let within = finished(
            platform(1, TABLE),
            "bus",
            "",
            &[
                vec![send(1, 0, 10_000, None), Call::Now],
                vec![recv(Some(0), Some(0), 10_000, None), Call::Now],
            ],
        );
        assert_eq!((nanos(&within, 0)[0], nanos(&within, 1)[0]), (1_000, 6_000));
    }

    #[test]
    fn a_rendezvous_frees_its_sender_when_it_has_links_and_a_bus() {
        let large = |to| moded(SendMode::Synchronous, to, 10_000, None);
        let receive = |from| recv(Some(from), Some(0), 10_000, None);
        let ran = finished(
            platform(4, &format!("{TABLE}buses = 1")),
            "bus",
            "",
            &[
                vec![large(1), Call::Now],
                vec![receive(0), Call::Now],
                vec![large(3), Call::Now],
                vec![receive(2), Call::Now],
            ],
        );
        let firsts: Vec<u64> = (0..4).map(|rank| nanos(&ran, rank)[0]).collect();
        assert_eq!(firsts, [5_000, 15_000, 15_000, 25_000]);
    }

    #[test]
    fn collectives_take_as_long_as_the_formula_says_from_the_last_to_enter() {
        let script = |rank: u32| vec![sleep(f64::from(rank)), allreduce(1000), Call::Now];
        let ran = finished(platform(4, TABLE), "bus", "", &(0..4).map(script).collect::<Vec<_>>());
        // Table 3: LOG of twice the size in, LOG of the size out, over four nodes of one rank.
        let expected = 3_000 + 2 * (5_000 + 2_000) + 2 * (5_000 + 1_000);
        assert!((0..4).all(|rank| nanos(&ran, rank)[1] == expected), "{:?}", nanos(&ran, 0));
        // Two ranks to a node: one step within, one between.
        let ran = finished(platform(2, TABLE), "bus", "", &(0..4).map(script).collect::<Vec<_>>());
        let within = (1_000 + 1_000) + (1_000 + 500);
        assert_eq!(nanos(&ran, 0)[1], 3_000 + within + (5_000 + 2_000) + (5_000 + 1_000));
    }

    #[test]
    fn collectives_that_do_not_block_go_on_meanwhile() {
        let mut call = allreduce(1000);
        if let Call::Collective(collective) = &mut call {
            collective.request = Some(RequestId::new(1));
        }
        let script = vec![call, Call::Now, sleep(100.0), wait(), Call::Now];
        let ran = finished(platform(2, TABLE), "bus", "", &[script.clone(), script]);
        let time = (5_000 + 2_000) + (5_000 + 1_000);
        assert!(time < 100_000);
        assert_eq!(nanos(&ran, 0)[..3], [0, 100_000, 100_000]);
        let script = vec![call, wait(), Call::Now];
        let ran = finished(platform(2, TABLE), "bus", "", &[script.clone(), script]);
        assert_eq!(nanos(&ran, 1)[0], time);
    }
}

fn allreduce(bytes: u64) -> Call<'static> {
    let operator = Operator::Predefined { op: 2, basic: 0 };
    let sum = Reduction { operator, commutative: true, element: 8, elements: bytes / 8 };
    collective(Collective::Allreduce, Blocks::Whole(bytes), Some(sum))
}

fn barrier() -> Call<'static> {
    collective(Collective::Barrier, Blocks::Whole(0), None)
}

fn collective(kind: Collective, blocks: Blocks<'static>, reduction: Option<Reduction>) -> Call<'static> {
    let part = Part { payload: Payload::Absent, blocks };
    let (context, root, request, plan) = (WORLD, 0, None, 0);
    Call::Collective(CollectiveCall {
        kind,
        context,
        root,
        peers: Peers::All,
        send: part,
        recv: part,
        reduction,
        request,
        plan,
        input: Default::default(),
        on_mismatch: Default::default(),
    })
}
