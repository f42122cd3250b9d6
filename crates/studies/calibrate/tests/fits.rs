//! Fits to synthetic measurements whose parameters are known, and to those of Taurus if they are there.

use mpirage_calibrate::{
    Criterion, FitError, FitKind, FitRequest, Measurements, ModelFile, Prediction, ReadOptions, Route, fit,
    page, plot, read, write_model,
};
use mpirage_units::draw;

const ROUTE: Route = Route { latency: 20e-6, bandwidth: 1e9, header: 16 };

fn request(measurements: &Measurements) -> FitRequest<'_> {
    FitRequest {
        measurements,
        route: ROUTE,
        kind: FitKind::Factors,
        criterion: Criterion::Bic,
        segments: None,
        breakpoints: Vec::new(),
        eager_limit: None,
        base_eager_limit: 65536,
        hold_out: None,
        units_known: false,
        seed: 1,
    }
}

fn table(rows: impl Iterator<Item = (&'static str, u64, f64)>) -> Measurements {
    let mut text = "op,bytes,seconds\n".to_owned();
    rows.for_each(|(op, bytes, seconds)| text.push_str(&format!("{op},{bytes},{seconds:e}\n")));
    read("table", text.as_bytes(), &ReadOptions::default()).unwrap()
}

fn sizes() -> impl Iterator<Item = u64> {
    (0..22).flat_map(|power| [1 << power, 3 << power, 5 << power])
}

/// The network alone: a rendezvous from 64 KiB on.
fn network(bytes: u64) -> f64 {
    if bytes < 65536 { 15e-6 + 1.25e-9 * bytes as f64 } else { 50e-6 + 1e-9 * bytes as f64 }
}

fn recv(bytes: u64) -> f64 {
    2e-6 + 0.2e-9 * bytes as f64
}

/// Between 0.98 and 1.02.
fn noise(bytes: u64, stream: u64) -> f64 {
    0.98 + 0.04 * draw(7, [bytes, stream])
}

#[test]
fn overheads_are_not_counted_twice() {
    let messages = sizes().map(|bytes| {
        let overhead = if bytes < 65536 { recv(bytes) } else { 0.0 };
        ("pingpong", bytes, (network(bytes) + overhead) * noise(bytes, 0))
    });
    // From 64 KiB on, a receive waits for the data.
    let receives =
        sizes().map(|bytes| ("recv", bytes, if bytes < 65536 { recv(bytes) } else { 0.9 * network(bytes) }));
    let sends = sizes().map(|bytes| ("isend", bytes, 1e-6));
    let measurements = table(messages.chain(receives).chain(sends));
    let result = fit(&request(&measurements)).unwrap();
    assert_eq!(result.segments.len(), 2, "{:?}", result.segments);
    let [(latency, interval), (bandwidth, _)] = result.factors(&result.segments[0]);
    // 15 µs are those of a message without bytes; its header takes 16 × 1.25 ns.
    assert!((latency - (15e-6 - 16.0 * 1.25e-9) / 20e-6).abs() < 0.02, "{latency}");
    assert!(
        interval.low < latency && latency < interval.high && interval.high - interval.low < 0.05,
        "{interval:?}"
    );
    assert!((bandwidth - 0.8).abs() < 0.02, "{bandwidth}");
    assert!(result.limits.push.is_some_and(|limit| (49152..=65536).contains(&limit)), "{:?}", result.limits);
    assert!((result.recv_overhead.as_ref().unwrap().at(1000) - recv(1000)).abs() < 1e-8);
    assert!((result.isend_overhead.as_ref().unwrap().at(1000) - 1e-6).abs() < 1e-9);
    assert!(result.scores()[0].fitted.mean() < 0.015, "{:?}", result.scores());
}

#[test]
fn a_model_that_predicts_gets_only_what_is_missing() {
    let measurements =
        table(sizes().map(|bytes| ("pingpong", bytes, (network(bytes) + 5e-6) * noise(bytes, 1))));
    let predicted = sizes().map(|bytes| Prediction { bytes, seconds: network(bytes) }).collect();
    let result = fit(&FitRequest { kind: FitKind::Overheads(predicted), ..request(&measurements) }).unwrap();
    assert!(result.segments.is_empty());
    let overhead = result.recv_overhead.as_ref().unwrap();
    assert!((overhead.at(8) - 5e-6).abs() < 2e-7, "{overhead:?}");
    assert!((result.predict(8) / (network(8) + 5e-6) - 1.0).abs() < 0.02);
    let missing = fit(&FitRequest { kind: FitKind::Overheads(Vec::new()), ..request(&measurements) });
    assert_eq!(missing.unwrap_err(), FitError::NotPredicted(1));
    // A route without latency is no obstacle here.
    let none = Route { latency: 0.0, ..ROUTE };
    assert_eq!(fit(&FitRequest { route: none, ..request(&measurements) }).unwrap_err(), FitError::NoLatency);
}

#[test]
fn the_gap_is_that_of_small_messages() {
    let messages = sizes().map(|bytes| ("pingpong", bytes, network(bytes)));
    let rates =
        sizes().map(|bytes| ("gap", bytes, 0.4e-6 + (bytes as f64 * 1e-9).max(0.1e-6) * noise(bytes, 3)));
    let measurements = table(messages.chain(rates));
    let result = fit(&request(&measurements)).unwrap();
    let gap = result.interface.gap.unwrap();
    let interval = gap.interval.unwrap();
    assert!(
        (gap.value - 0.5e-6).abs() < 0.05e-6 && interval.low <= gap.value && gap.value <= interval.high,
        "{gap:?}"
    );
}

#[test]
fn results_depend_on_the_seed_alone() {
    let measurements = table(sizes().map(|bytes| ("pingpong", bytes, network(bytes) * noise(bytes, 4))));
    let text = |seed| {
        let result = fit(&FitRequest { seed, ..request(&measurements) }).unwrap();
        write_model(&result, &ModelFile { base: "flow", profile: None, origin: &[], has_gap: false })
    };
    assert_eq!(text(1), text(1));
    assert_ne!(text(1), text(2), "intervals are drawn");
}

#[test]
fn what_cannot_be_fitted_is_refused() {
    let of = |rows: &[(&'static str, u64, f64)]| {
        let measurements = table(rows.iter().copied());
        fit(&request(&measurements)).map(|_| ()).unwrap_err().to_string()
    };
    assert!(of(&[("pingpong", 8, 1e-6), ("pingpong", 8, 2e-6)]).contains("all ping-pongs have 8 bytes"));
    assert!(
        of(&[("pingpong", 8, 1e-6), ("pingpong", 9, 2e-6)]).contains("2 sizes; a model needs at least 4")
    );
    assert!(of(&[("isend", 8, 1e-6)]).contains("no ping-pong; they hold MPI_Isend"));
    let mixed = [("pingpong", 8, 1.0), ("pingpong", 16, 1.1), ("pingpong", 32, 1e-3), ("pingpong", 64, 1e-3)];
    assert!(of(&mixed).contains("mixed units"));
    let same_size: Vec<_> =
        (0..8).map(|at| ("pingpong", 8 << (at / 4), if at % 2 == 0 { 1.0 } else { 1e-3 })).collect();
    assert!(
        of(&[&same_size[..], &[("pingpong", 99, 1.0), ("pingpong", 100, 1.0)]].concat())
            .contains("mixed units")
    );
}

#[test]
fn files_hold_the_result() {
    let measurements = table(sizes().map(|bytes| ("pingpong", bytes, network(bytes) * noise(bytes, 5))));
    let result = fit(&FitRequest { hold_out: Some(5), ..request(&measurements) }).unwrap();
    let all = result.points.len() + result.held_out.len();
    assert_eq!(result.held_out.len(), (all - 1) / 5 - usize::from((all - 1).is_multiple_of(5)));
    let file = write_model(
        &result,
        &ModelFile { base: "flow", profile: None, origin: &["from <here>".to_owned()], has_gap: true },
    );
    assert!(file.starts_with("# from <here>\n") && file.contains("recv-overhead = []"), "{file}");
    let page = page(&result, "a <title>", &file);
    assert!(
        page.contains("a &lt;title&gt;") && page.contains("# from &lt;here&gt;") && page.contains("<svg"),
        "{page}"
    );
    let drawn = plot(&result, "ping-pong");
    assert_eq!(drawn.matches("<circle").count(), result.points.len() + result.held_out.len());
    assert_eq!(drawn.matches("<polyline").count(), 3);
}
