//! From measurements to the parameters of a model, step by step.
//!
//! 1. Medians of each size; checks that they can be times of messages.
//! 2. Overheads: the times of calls that do not wait for the other side, piece-wise linear.
//! 3. Segments: what ping-pongs take besides the overheads, piece-wise linear; or, if a model predicts ping-pongs already, the
//!    overhead that is missing in its predictions.
//! 4. Protocol limits, parameters of the interface, intervals, and errors beside those of two affine models.
//!
//! A simulated ping-pong takes the time of the network and the overhead of the receive: a send pays its overhead while its message is
//! already on its way, and a send that waits pays none. So only the receive's overhead is taken out of the ping-pong.

use thiserror::Error;

use crate::affine;
use crate::bootstrap::{Interval, PieceIntervals, intervals};
use crate::interface::{Fitted, InterfaceFit};
use crate::line::{Bounds, Datum, Line};
use crate::measurement::{Measurements, Point, SampleKind};
use crate::protocol::{self, Limits, time_at};
use crate::segments::{Criterion, MOST_PIECES, Piece, Search, piece_of};
use crate::windows;

/// The fewest sizes from which a model is fitted.
const LEAST_SIZES: usize = 4;
/// Sections of an overhead: calls have fewer protocols than messages.
const MOST_SECTIONS: usize = 6;
/// The largest factor on a bandwidth: a wire is hardly ten times as fast as its description.
const LARGEST_FACTOR: f64 = 10.0;
/// The part of a ping-pong that a receive's overhead may take; more would leave nothing for the network.
const LARGEST_SHARE: f64 = 0.9;
/// A message that is so much faster than all smaller ones is in another unit; likewise quartiles of one size.
const ANOTHER_UNIT: f64 = 200.0;

/// The network between the two hosts that were measured, as the platform and the base model describe it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Route {
    /// Seconds.
    pub latency: f64,
    /// Bytes per second that a single message can use.
    pub bandwidth: f64,
    /// Bytes that the model adds to each message.
    pub header: u64,
}

/// The time of a ping-pong that a model predicts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// Message size.
    pub bytes: u64,
    /// Half a round trip.
    pub seconds: f64,
}

/// The seconds of a message by its size.
pub type TimeModel<'c> = Box<dyn Fn(u64) -> f64 + 'c>;

/// The parameters that are fitted.
#[derive(Clone, Debug, PartialEq)]
pub enum FitKind {
    /// Factors on latency and bandwidth, by size.
    Factors,
    /// The overhead of a receive or the delay of interfaces, on top of a model that predicts these ping-pongs. There is one prediction for each
    /// measured size.
    Overheads(Vec<Prediction>),
}

/// A request to fit parameters to measurements.
#[derive(Clone, Debug)]
pub struct FitRequest<'m> {
    /// The measurements.
    pub measurements: &'m Measurements,
    /// The network they were made on.
    pub route: Route,
    /// The parameters that are fitted.
    pub kind: FitKind,
    /// How borders of segments are chosen.
    pub criterion: Criterion,
    /// How many segments; found if not given.
    pub segments: Option<usize>,
    /// Where segments begin; found if empty.
    pub breakpoints: Vec<u64>,
    /// The limit of eager sends; found if not given.
    pub eager_limit: Option<u64>,
    /// The limit of eager sends in the model to begin with.
    pub base_eager_limit: u64,
    /// Every so-manieth size is left out of the fit, and predicted.
    pub hold_out: Option<usize>,
    /// Are units known for sure? Otherwise times that jump are refused.
    pub units_known: bool,
    /// The seed of random numbers.
    pub seed: u64,
}

/// Why nothing can be fitted.
#[derive(Debug, Error, PartialEq)]
pub enum FitError {
    /// There is no ping-pong.
    #[error("the measurements hold no ping-pong; they hold {0}")]
    NoPingPong(String),
    /// All have one size.
    #[error("all ping-pongs have {}; a model needs several sizes", mpirage_units::counted(*.0, "byte"))]
    OneSize(u64),
    /// There are too few sizes.
    #[error("the ping-pongs have {sizes} sizes; a model needs at least {least}")]
    TooFew {
        /// Sizes that there are.
        sizes: usize,
        /// Sizes that are needed.
        least: usize,
    },
    /// Times jump.
    #[error("{what}: are they in mixed units?")]
    MixedUnits {
        /// The times that jump.
        what: String,
    },
    /// A factor cannot change a latency of zero.
    #[error(
        "the route between the two hosts has no latency, so that no factor gives the measured one; fit overheads instead (--fit overheads), or give the links a latency"
    )]
    NoLatency,
    /// There is no prediction for a size.
    #[error("there is no predicted time for {0} bytes")]
    NotPredicted(u64),
}

/// A line of a fit, with its intervals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PieceFit {
    /// Sizes from here on belong to it.
    pub from: u64,
    /// Where its beginning lies, if it was found.
    pub from_interval: Option<Interval>,
    /// Seconds of a message without bytes on the wire.
    pub latency: f64,
    /// Where nine of ten such values lie.
    pub latency_interval: Interval,
    /// Seconds of a byte.
    pub per_byte: f64,
    /// Where nine of ten such values lie.
    pub per_byte_interval: Interval,
    /// How many sizes it was fitted to; none if it continues another one where the network hides the cost.
    pub sizes: usize,
}

impl PieceFit {
    /// A cost that does not depend on the size, from a size on at which no measurement shows it.
    fn constant(from: u64, seconds: f64) -> PieceFit {
        let always = |value| Interval { low: value, high: value };
        PieceFit {
            from,
            from_interval: None,
            latency: seconds,
            latency_interval: always(seconds),
            per_byte: 0.0,
            per_byte_interval: always(0.0),
            sizes: 0,
        }
    }
}

/// The cost of a call by size.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OverheadFit {
    /// By size; a last section may cost nothing, where calls wait for the other side.
    pub sections: Vec<PieceFit>,
    /// From this size on calls wait, so that their own cost is not known and counts nothing.
    pub unknown_from: Option<u64>,
}

impl OverheadFit {
    /// The cost of a call.
    pub fn at(&self, bytes: u64) -> f64 {
        if self.unknown_from.is_some_and(|from| bytes >= from) {
            return 0.0;
        }
        let after = self.sections.partition_point(|section| section.from <= bytes);
        let section = after.checked_sub(1).map(|at| &self.sections[at]);
        section.map_or(0.0, |section| section.latency + section.per_byte * bytes as f64)
    }
}

/// A fitted model.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// The parameters that were fitted.
    pub kind: FitKind,
    /// The network of the measurements.
    pub route: Route,
    /// The ping-pongs that were fitted.
    pub points: Vec<Point>,
    /// The ping-pongs that were left out, to be predicted.
    pub held_out: Vec<Point>,
    /// The segments; none if overheads were fitted.
    pub segments: Vec<PieceFit>,
    /// The overhead of a blocking send, if it was measured.
    pub send_overhead: Option<OverheadFit>,
    /// The overhead of a non-blocking send, if it was measured.
    pub isend_overhead: Option<OverheadFit>,
    /// The overhead of a receive, if it was measured or fitted.
    pub recv_overhead: Option<OverheadFit>,
    /// Where the protocol changes, as far as that was found or given.
    pub limits: Limits,
    /// The delay of messages in interfaces, which keeps no processor busy; fitted on top of a model if windows show what processors need.
    pub interface_delay: Option<OverheadFit>,
    /// Parameters of the interface, if windows or message rates were measured.
    pub interface: InterfaceFit,
    /// Notes for the user.
    pub notes: Vec<String>,
    affine: Line,
    best_affine: Line,
    network: Vec<Piece>,
}

/// Fits a model.
pub fn fit(request: &FitRequest<'_>) -> Result<Calibration, FitError> {
    let mut notes = Vec::new();
    let all = ping_pongs(request.measurements, &mut notes)?;
    if !request.units_known {
        check_units(&all)?;
    }
    if request.kind == FitKind::Factors && request.route.latency <= 0.0 {
        return Err(FitError::NoLatency);
    }
    let (points, held_out) = split(&all, request.hold_out);
    if points.len() < LEAST_SIZES {
        return Err(FitError::TooFew { sizes: points.len(), least: LEAST_SIZES });
    }
    let overheads = Overheads::of(request, &points, &mut notes);
    let affine = affine::default_line(&points, request.route.bandwidth);
    let mut result = Calibration {
        kind: request.kind.clone(),
        route: request.route,
        best_affine: affine::best_line(&points, affine),
        affine,
        interface_delay: None,
        interface: InterfaceFit::of(request.measurements, gap(request)),
        points,
        held_out,
        segments: Vec::new(),
        send_overhead: overheads.send,
        isend_overhead: overheads.isend,
        recv_overhead: overheads.recv,
        limits: overheads.limits,
        notes,
        network: Vec::new(),
    };
    match &request.kind {
        FitKind::Factors => result.fit_segments(request),
        FitKind::Overheads(predicted) => result.fit_missing(request, predicted)?,
    }
    Ok(result)
}

/// The ping-pongs by size, if they can be such.
fn ping_pongs(measurements: &Measurements, notes: &mut Vec<String>) -> Result<Vec<Point>, FitError> {
    let mut points = measurements.points(SampleKind::PingPong);
    if points.is_empty() {
        points = measurements.points(SampleKind::Exchange);
        if !points.is_empty() {
            notes.push("there is no ping-pong; exchanges of two messages stand for it".to_owned());
        }
    }
    match points[..] {
        [] => {
            let names: Vec<String> = measurements.kinds().into_iter().map(SampleKind::name).collect();
            Err(FitError::NoPingPong(if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }))
        }
        [only] => Err(FitError::OneSize(only.bytes)),
        _ if points.len() < LEAST_SIZES => Err(FitError::TooFew { sizes: points.len(), least: LEAST_SIZES }),
        _ => Ok(points),
    }
}

fn check_units(points: &[Point]) -> Result<(), FitError> {
    // A single slow size is noise; all sizes up to one are not.
    let mut fastest = points[0];
    for pair in points.windows(2).skip(1) {
        let (one, other) = (pair[0], pair[1]);
        fastest = if one.seconds < fastest.seconds { one } else { fastest };
        if fastest.seconds > ANOTHER_UNIT * other.seconds {
            let what = format!(
                "up to {} bytes all take {:e} s or more, {} bytes {:e} s",
                one.bytes, fastest.seconds, other.bytes, other.seconds
            );
            return Err(FitError::MixedUnits { what });
        }
    }
    let is_split = |point: &&Point| point.quartiles.1 > ANOTHER_UNIT * point.quartiles.0;
    // On a busy machine a few sizes are split, too.
    let many = 4 * points.iter().filter(is_split).count() >= points.len();
    match points.iter().find(is_split).filter(|_| many) {
        Some(Point { bytes, quartiles: (low, high), .. }) => {
            let what = format!(
                "a quarter of the times of {bytes} bytes is below {low:e} s, a quarter above {high:e} s"
            );
            Err(FitError::MixedUnits { what })
        }
        None => Ok(()),
    }
}

/// The points to fit, and those to predict: every so-manieth, but not the first and the last.
fn split(points: &[Point], every: Option<usize>) -> (Vec<Point>, Vec<Point>) {
    let last = points.len() - 1;
    let is_out = |at: usize| every.is_some_and(|every| at > 0 && at < last && at.is_multiple_of(every));
    let (held_out, kept): (Vec<_>, Vec<_>) =
        points.iter().copied().enumerate().partition(|(at, _)| is_out(*at));
    let points = |list: Vec<(usize, Point)>| list.into_iter().map(|(_, point)| point).collect();
    (points(kept), points(held_out))
}

/// The overheads of calls, and the sizes from which calls wait.
struct Overheads {
    send: Option<OverheadFit>,
    isend: Option<OverheadFit>,
    recv: Option<OverheadFit>,
    limits: Limits,
}

impl Overheads {
    fn of(request: &FitRequest<'_>, messages: &[Point], notes: &mut Vec<String>) -> Overheads {
        let calls = |kind| request.measurements.points(kind);
        let (sends, isends, recvs) =
            (calls(SampleKind::Send), calls(SampleKind::Isend), calls(SampleKind::Recv));
        let border = |limit: u64| protocol::at_border(limit, request.breakpoints.iter().copied());
        let (isends, full) = match isends.is_empty() {
            true => windows::sends(request.measurements, messages),
            false => (isends, None),
        };
        let eager = protocol::waits_from(&sends, messages).map(border);
        let push = protocol::waits_from(&recvs, messages).map(border);
        let limits = Limits { eager: request.eager_limit.or(eager), push };
        let mut recv = overhead(request, &recvs, limits.push);
        if let Some(fitted) = &recv
            && let Some(point) =
                messages.iter().find(|point| fitted.at(point.bytes) > LARGEST_SHARE * point.seconds)
        {
            notes.push(format!(
                "calls of MPI_Recv take as long as the whole ping-pong at {} bytes; they are not taken for overheads",
                point.bytes
            ));
            recv = None;
        }
        Overheads {
            send: overhead(request, &sends, limits.eager),
            isend: isend_overhead(request, &isends, full),
            recv,
            limits,
        }
    }
}

/// The cost of non-blocking sends. Where the network hides it, nothing is copied, as for the shortest message.
fn isend_overhead(
    request: &FitRequest<'_>,
    isends: &[Point],
    hidden_from: Option<u64>,
) -> Option<OverheadFit> {
    let mut fitted = overhead(request, isends, None)?;
    let shortest = fitted.at(isends.first()?.bytes);
    fitted.sections.extend(hidden_from.map(|from| PieceFit::constant(from, shortest)));
    Some(fitted)
}

/// The cost of receives that windows in both directions show, up to the rendezvous, where interfaces move the bytes.
fn receives(request: &FitRequest<'_>) -> Option<OverheadFit> {
    let (points, hidden_from) = windows::receives(request.measurements);
    let mut fitted = overhead(request, &points, None)?;
    let longest = fitted.at(points.last()?.bytes);
    let eager = request.eager_limit.unwrap_or(request.base_eager_limit);
    let hidden_from = hidden_from.filter(|from| *from < eager);
    fitted.sections.extend(hidden_from.map(|from| PieceFit::constant(from, longest)));
    fitted.unknown_from = Some(eager);
    Some(fitted)
}

/// The cost of calls below a limit.
fn overhead(request: &FitRequest<'_>, calls: &[Point], unknown_from: Option<u64>) -> Option<OverheadFit> {
    let data: Vec<Datum> = calls
        .iter()
        .filter(|call| unknown_from.is_none_or(|from| call.bytes < from))
        .map(|call| Datum::of(call, 0.0))
        .collect();
    if data.len() < LEAST_SIZES {
        return None;
    }
    let search = Search {
        criterion: Criterion::Bic,
        pieces: None,
        most: MOST_SECTIONS,
        breakpoints: &request.breakpoints,
        bounds: Bounds { slope: 0.0, header: 0.0 },
    };
    let pieces = search.pieces(&data);
    let spread = intervals(&search, &data, &pieces, request.seed);
    Some(OverheadFit { sections: piece_fits(&pieces, &spread, 0.0), unknown_from })
}

/// The time from one message of an interface to the next, if it was measured by itself: that of small messages, which do not fill the wire.
fn gap(request: &FitRequest<'_>) -> Option<Fitted> {
    let rates = request.measurements.points(SampleKind::Gap);
    let fitted = overhead(&FitRequest { breakpoints: Vec::new(), ..request.clone() }, &rates, None)?;
    let first = fitted.sections.first()?;
    Some(Fitted {
        value: first.latency,
        interval: Some(first.latency_interval),
        from: SampleKind::Gap.name(),
    })
}

fn piece_fits(pieces: &[Piece], spread: &[PieceIntervals], header: f64) -> Vec<PieceFit> {
    let piece_fit = |(piece, spread): (&Piece, &PieceIntervals)| PieceFit {
        from: piece.from,
        from_interval: spread.from,
        latency: piece.line.intercept - header * piece.line.slope,
        latency_interval: spread.latency,
        per_byte: piece.line.slope,
        per_byte_interval: spread.slope,
        sizes: piece.range.len(),
    };
    pieces.iter().zip(spread).map(piece_fit).collect()
}

impl Calibration {
    /// Fits segments to the time of ping-pongs besides the overheads of calls.
    fn fit_segments(&mut self, request: &FitRequest<'_>) {
        let header = request.route.header as f64;
        let data: Vec<Datum> =
            self.points.iter().map(|point| Datum::of(point, self.overheads_at(point.bytes))).collect();
        let search = Search {
            criterion: request.criterion,
            pieces: request.segments,
            most: MOST_PIECES,
            breakpoints: &request.breakpoints,
            bounds: Bounds { slope: 1.0 / (LARGEST_FACTOR * request.route.bandwidth), header },
        };
        let pieces = search.pieces(&data);
        let spread = intervals(&search, &data, &pieces, request.seed);
        self.segments = piece_fits(&pieces, &spread, header);
        if pieces.last().is_some_and(|last| last.line.slope <= search.bounds.slope) {
            self.notes.push(format!(
                "large messages are over {LARGEST_FACTOR} times as fast as the platform's links: is it the network that was measured?"
            ));
        }
        self.find_limits(request, &pieces);
        self.network = pieces;
    }

    /// Limits that no call showed, and limits at borders of segments.
    fn find_limits(&mut self, request: &FitRequest<'_>, pieces: &[Piece]) {
        let at_border = |limit| protocol::at_border(limit, pieces.iter().map(|piece| piece.from));
        if request.eager_limit.is_none() {
            // Sends that were measured show where they wait, or that they never do.
            let step = || self.send_overhead.is_none().then(|| protocol::step(pieces)).flatten();
            self.limits.eager = self.limits.eager.map(at_border).or_else(step);
        }
        self.limits.push = self.limits.push.map(at_border).or(self.limits.eager);
        // A message that waits for its receiver does not leave before.
        if let (Some(eager), Some(push)) = (self.limits.eager, self.limits.push) {
            self.limits.push = Some(push.min(eager));
        }
    }

    /// Fits the time of ping-pongs besides the prediction: the delay of interfaces if windows show the cost of receives, otherwise that cost.
    fn fit_missing(&mut self, request: &FitRequest<'_>, predicted: &[Prediction]) -> Result<(), FitError> {
        let has_windows = request.measurements.has_windows();
        self.recv_overhead = has_windows.then(|| receives(request)).flatten();
        let prediction = |bytes| {
            let found = predicted.iter().find(|prediction| prediction.bytes == bytes);
            found.map(|prediction| prediction.seconds).ok_or(FitError::NotPredicted(bytes))
        };
        let mut data = Vec::new();
        for point in &self.points {
            data.push(Datum::of(point, prediction(point.bytes)? + self.overheads_at(point.bytes)));
        }
        let faster = data.iter().filter(|datum| datum.explained > datum.total).count();
        if 4 * faster > data.len() {
            self.notes.push(format!(
                "the model predicts more than the measured time at {faster} of {} sizes, where no overhead can help: it is too slow",
                data.len()
            ));
        }
        let search = Search {
            criterion: request.criterion,
            pieces: request.segments,
            most: MOST_PIECES,
            breakpoints: &request.breakpoints,
            bounds: Bounds { slope: 0.0, header: 0.0 },
        };
        let pieces = search.pieces(&data);
        let spread = intervals(&search, &data, &pieces, request.seed);
        let sections = piece_fits(&pieces, &spread, 0.0);
        let missing = Some(OverheadFit { sections, unknown_from: None });
        *(if has_windows { &mut self.interface_delay } else { &mut self.recv_overhead }) = missing;
        // The base model knows its protocol.
        self.limits = Limits { eager: request.eager_limit, push: None };
        Ok(())
    }

    /// The factors of a segment on latency and bandwidth, with their intervals.
    pub fn factors(&self, segment: &PieceFit) -> [(f64, Interval); 2] {
        let Route { latency, bandwidth, .. } = self.route;
        let on_latency = |seconds: f64| (seconds / latency).max(0.0);
        let on_bandwidth = |per_byte: f64| 1.0 / (per_byte * bandwidth);
        [
            (on_latency(segment.latency), segment.latency_interval.map(on_latency)),
            (on_bandwidth(segment.per_byte), segment.per_byte_interval.map(on_bandwidth)),
        ]
    }

    /// The time of a ping-pong, half a round trip, that the fitted model predicts.
    pub fn predict(&self, bytes: u64) -> f64 {
        let network = match &self.kind {
            FitKind::Factors => piece_of(&self.network, bytes).line.at(bytes),
            FitKind::Overheads(predicted) => {
                let point = |one: &Prediction| Point {
                    bytes: one.bytes,
                    seconds: one.seconds,
                    quartiles: (one.seconds, one.seconds),
                    samples: 1,
                };
                time_at(&predicted.iter().map(point).collect::<Vec<_>>(), bytes)
            }
        };
        self.overheads_at(bytes) + network
    }

    /// The cost of a ping-pong's calls: the message leaves after the cost of its send, and its receive costs time after the message
    /// has arrived.
    fn overheads_at(&self, bytes: u64) -> f64 {
        [&self.send_overhead, &self.interface_delay, &self.recv_overhead]
            .into_iter()
            .flatten()
            .map(|overhead| overhead.at(bytes))
            .sum()
    }

    /// The models to compare: their names, and the time that each predicts.
    pub fn models(&self) -> [(&'static str, TimeModel<'_>); 3] {
        let fitted = if self.kind == FitKind::Factors { "piece-wise linear" } else { "model with overheads" };
        [
            (fitted, Box::new(|bytes| self.predict(bytes))),
            ("best-fit affine", Box::new(|bytes| self.best_affine.at(bytes))),
            ("affine", Box::new(|bytes| self.affine.at(bytes))),
        ]
    }
}
