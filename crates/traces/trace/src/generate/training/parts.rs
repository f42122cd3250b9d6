//! The parts of a slot, in order: what a rank computes, and what it then exchanges with whom.
//!
//! ```text
//! forward    receive │ words │ layers: attention, exchange, feed-forward, exchange │ output │ send
//! backward   receive │ output │ layers from the last: (again forward,) backward, exchange, gradient │ words │ send
//! end        sends and gradients are complete │ shared words │ parameters
//! ```

use mpirage_call::Collective;

use super::layout::{Axis, Seat};
use super::schedule::{Slot, slot};
use super::spec::Spec;

/// The request of the last send forward, the one backward, and the first of gradients.
pub(super) const FORWARD: u32 = 1;
pub(super) const BACKWARD: u32 = 2;
pub(super) const GRADIENTS: u32 = 3;

/// Where a rank is: before iteration 1 it starts, after the last it ends.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Position {
    pub iteration: u32,
    pub slot: u32,
    pub part: u32,
}

/// What a rank does next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Action {
    /// This part does not concern the rank.
    Nothing,
    /// It computes so many operations.
    Compute(f64),
    /// It receives from the stage before or behind.
    Receive {
        from: u32,
        tag: i32,
        bytes: u64,
    },
    Send {
        to: u32,
        tag: i32,
        bytes: u64,
        request: u32,
    },
    /// It takes part in a collective; bytes are those of a vector, or of one block.
    Together {
        axis: Axis,
        kind: Collective,
        bytes: u64,
        request: Option<u32>,
    },
    /// It waits for so many requests from this one on.
    Wait {
        first: u32,
        count: u32,
    },
}

/// A part of a layer: operations, and the exchange behind them.
#[derive(Clone, Copy, Debug)]
struct Piece {
    flops: f64,
    exchange: Action,
}

/// The parts of the model that a rank has.
pub(super) struct Share<'a> {
    pub spec: &'a Spec,
    pub seat: Seat,
}

impl Share<'_> {
    /// What is to do there; none if the slot has no more parts.
    pub fn part(&self, Position { slot: number, part, .. }: Position) -> Option<Action> {
        match slot(number, (self.seat.stage, self.spec.layout.pp), self.spec.micro_batches) {
            Slot::Forward(batch) => self.forward(batch, part),
            Slot::Backward(batch) => self.backward(batch, part),
            Slot::End => self.end(part),
        }
    }

    fn is_first(&self) -> bool {
        self.seat.stage == 0
    }

    fn is_last(&self) -> bool {
        self.seat.stage + 1 == self.spec.layout.pp
    }

    /// Layers of the stage: the first stages have one more if there is a rest.
    pub fn layers(&self) -> u32 {
        let (layers, pp) = (self.spec.model.layers, self.spec.layout.pp);
        layers / pp + u32::from(self.seat.stage < layers % pp)
    }

    fn forward(&self, batch: u32, part: u32) -> Option<Action> {
        let units = self.units(false);
        let pieces = 2 * self.pieces() * units;
        Some(match part {
            0 => {
                if self.is_first() {
                    Action::Nothing
                } else {
                    self.receive(true)
                }
            }
            1 => {
                if self.is_first() {
                    self.combine_activations()
                } else {
                    Action::Nothing
                }
            }
            _ if part < 2 + pieces => self.piece(part - 2, 1.0, units),
            _ => match part - 2 - pieces {
                0 => self.output(1.0),
                1 => self.wait_for_send(FORWARD, batch, self.is_last()),
                2 => {
                    if self.is_last() {
                        Action::Nothing
                    } else {
                        self.send(true)
                    }
                }
                _ => return None,
            },
        })
    }

    fn backward(&self, batch: u32, part: u32) -> Option<Action> {
        let starts_gradients = self.spec.overlap && batch + 1 == self.spec.micro_batches;
        let units = self.units(starts_gradients);
        let each = self.parts_of_layer_backward();
        let behind = 4 + each * units;
        Some(match part {
            0 => {
                if self.is_last() {
                    Action::Nothing
                } else {
                    self.receive(false)
                }
            }
            1 => self.output(2.0),
            2 => {
                if self.is_last() {
                    self.combine_activations()
                } else {
                    Action::Nothing
                }
            }
            3 => {
                if starts_gradients {
                    self.gradient_of_output()
                } else {
                    Action::Nothing
                }
            }
            _ if part < behind => {
                self.layer_backward((part - 4) / each, (part - 4) % each, units, starts_gradients)
            }
            _ => match part - behind {
                0 => {
                    if starts_gradients {
                        self.gradient_of_words()
                    } else {
                        Action::Nothing
                    }
                }
                1 => self.wait_for_send(BACKWARD, batch, self.is_first()),
                2 => {
                    if self.is_first() {
                        Action::Nothing
                    } else {
                        self.send(false)
                    }
                }
                _ => return None,
            },
        })
    }

    /// What of a layer is computed again, then its pieces from the last, then its gradient: of dense matrices and of experts.
    fn parts_of_layer_backward(&self) -> u32 {
        let again = if self.spec.recompute { 2 * self.pieces() } else { 0 };
        again + 2 * self.pieces() + 2
    }

    fn layer_backward(&self, layer: u32, part: u32, units: u32, starts_gradients: bool) -> Action {
        let pieces = 2 * self.pieces();
        let again = if self.spec.recompute { pieces } else { 0 };
        if part < again {
            return self.piece(part, 1.0, units);
        }
        let part = part - again;
        if part < pieces {
            // From the last piece to the first, each time operations before their exchange.
            let (piece, half) = (part / 2, part % 2);
            return self.piece(2 * (self.pieces() - 1 - piece) + half, 2.0, units);
        }
        match starts_gradients {
            true => self.gradient_of_layer(layer, part - pieces),
            false => Action::Nothing,
        }
    }

    /// In how many units the layers of the stage are computed: in one, if nothing is exchanged between them.
    fn units(&self, starts_gradients: bool) -> u32 {
        let layout = &self.spec.layout;
        let exchanges = layout.tp > 1 || layout.ep > 1 || (starts_gradients && layout.dp > 1);
        if exchanges { self.layers() } else { 1 }
    }

    /// Pieces of a layer.
    fn pieces(&self) -> u32 {
        if self.spec.layout.ep > 1 { 4 } else { 2 }
    }

    /// Half a piece of a layer: its operations, or its exchange. If layers are computed in one unit, it is all of them.
    fn piece(&self, half: u32, factor: f64, units: u32) -> Action {
        let Piece { flops, exchange } = self.piece_of_layer(half / 2 % self.pieces());
        match half % 2 {
            0 if flops == 0.0 => Action::Nothing,
            0 => Action::Compute(factor * flops * f64::from(self.layers() / units)),
            _ => exchange,
        }
    }

    fn piece_of_layer(&self, piece: u32) -> Piece {
        let Spec { model, layout, micro_batch, .. } = self.spec;
        let (sequences, tp) = (f64::from(*micro_batch), f64::from(layout.tp));
        let (attention, ffn) = (model.attention_flops(sequences) / tp, model.ffn_flops(sequences) / tp);
        let (combine, spread) = (self.combine_activations(), self.spread_words());
        match (piece, layout.ep > 1) {
            (0, _) => Piece { flops: attention, exchange: combine },
            (1, false) => Piece { flops: ffn, exchange: combine },
            (1, true) => Piece { flops: 0.0, exchange: spread },
            (2, _) => Piece { flops: ffn, exchange: spread },
            _ => Piece { flops: 0.0, exchange: combine },
        }
    }

    /// Ranks that share layers add up their parts of the activations.
    fn combine_activations(&self) -> Action {
        self.together(Axis::Tensor, Collective::Allreduce, self.activation_bytes(), None)
    }

    /// Each word goes to the ranks that have its experts, or comes back.
    fn spread_words(&self) -> Action {
        let Spec { model, layout, .. } = self.spec;
        let all = self.activation_bytes() * u64::from(model.top_k);
        let block = all.div_ceil(u64::from(layout.tp) * u64::from(layout.ep));
        self.together(Axis::Expert, Collective::Alltoall, block, None)
    }

    fn activation_bytes(&self) -> u64 {
        let numbers = self.spec.model.activations(f64::from(self.spec.micro_batch));
        numbers as u64 * u64::from(self.spec.parameter_bytes)
    }

    fn output(&self, factor: f64) -> Action {
        if !self.is_last() {
            return Action::Nothing;
        }
        let flops = self.spec.model.output_flops(f64::from(self.spec.micro_batch));
        Action::Compute(factor * flops / f64::from(self.spec.layout.tp))
    }

    fn neighbour(&self, behind: bool) -> u32 {
        let stage = if behind { self.seat.stage + 1 } else { self.seat.stage - 1 };
        self.spec.layout.rank(Seat { stage, ..self.seat })
    }

    /// Activations go forward with tag 0, their gradients backward with tag 1.
    fn receive(&self, forward: bool) -> Action {
        Action::Receive {
            from: self.neighbour(!forward),
            tag: i32::from(!forward),
            bytes: self.activation_bytes(),
        }
    }

    fn send(&self, forward: bool) -> Action {
        let request = if forward { FORWARD } else { BACKWARD };
        Action::Send {
            to: self.neighbour(forward),
            tag: i32::from(!forward),
            bytes: self.activation_bytes(),
            request,
        }
    }

    /// A rank holds one micro-batch that is on its way; the next waits until it has gone.
    fn wait_for_send(&self, request: u32, batch: u32, sends_none: bool) -> Action {
        if sends_none || batch == 0 { Action::Nothing } else { Action::Wait { first: request, count: 1 } }
    }

    /// A collective, unless the rank is alone.
    fn together(&self, axis: Axis, kind: Collective, bytes: u64, request: Option<u32>) -> Action {
        match self.spec.layout.size(axis) {
            1 => Action::Nothing,
            _ => Action::Together { axis, kind, bytes, request },
        }
    }

    /// Adds up the gradient of so many parameters of a rank.
    fn gradient(&self, axis: Axis, parameters: f64, request: Option<u32>) -> Action {
        if parameters == 0.0 {
            return Action::Nothing;
        }
        let bytes = parameters.ceil() as u64 * u64::from(self.spec.gradient_bytes);
        match self.spec.zero {
            true => {
                let block = bytes.div_ceil(self.spec.layout.size(axis).into());
                self.together(axis, Collective::ReduceScatterBlock, block, request)
            }
            false => self.together(axis, Collective::Allreduce, bytes, request),
        }
    }

    fn tensor_share(&self, parameters: f64) -> f64 {
        parameters / f64::from(self.spec.layout.tp)
    }

    /// Parameters of the experts of a layer that a rank has.
    fn expert_share(&self) -> f64 {
        self.tensor_share(self.spec.model.expert_parameters()) / f64::from(self.spec.layout.ep)
    }

    /// Ranks with the same experts: all with the same data if experts are not spread.
    fn expert_axis(&self) -> Axis {
        if self.spec.layout.ep > 1 { Axis::Replica } else { Axis::Data }
    }

    fn gradient_of_layer(&self, layer: u32, part: u32) -> Action {
        let request = Some(GRADIENTS + 2 + 2 * layer + part);
        match part {
            0 => self.gradient(Axis::Data, self.tensor_share(self.spec.model.dense_parameters()), request),
            _ => self.gradient(self.expert_axis(), self.expert_share(), request),
        }
    }

    fn gradient_of_output(&self) -> Action {
        self.gradient(Axis::Data, self.tensor_share(self.output_matrix()), Some(GRADIENTS))
    }

    fn gradient_of_words(&self) -> Action {
        self.gradient(Axis::Data, self.tensor_share(self.word_matrix()), Some(GRADIENTS + 1))
    }

    /// Parameters of the matrix behind the last layer, where it is one of its own.
    fn output_matrix(&self) -> f64 {
        let own = self.is_last() && (!self.spec.model.tied || !self.is_first());
        if own { self.spec.model.output_parameters() } else { 0.0 }
    }

    fn word_matrix(&self) -> f64 {
        if self.is_first() { self.spec.model.embedding_parameters() } else { 0.0 }
    }

    /// Parameters of a rank outside of experts.
    fn dense(&self) -> f64 {
        let layers = f64::from(self.layers()) * self.spec.model.dense_parameters();
        self.tensor_share(layers + self.output_matrix() + self.word_matrix())
    }

    fn experts(&self) -> f64 {
        f64::from(self.layers()) * self.expert_share()
    }

    /// Is this request one of a gradient that the rank adds up beside its computation?
    pub fn requests_of_gradients(&self) -> impl Iterator<Item = u32> {
        let layers = (0..self.layers()).flat_map(|layer| [(layer, 0), (layer, 1)]);
        let of_layers: Vec<Action> =
            layers.map(|(layer, part)| self.gradient_of_layer(layer, part)).collect();
        let all = [self.gradient_of_output(), self.gradient_of_words()].into_iter().chain(of_layers);
        all.filter_map(|action| if let Action::Together { request, .. } = action { request } else { None })
    }

    fn end(&self, part: u32) -> Option<Action> {
        let Spec { overlap, zero, .. } = *self.spec;
        Some(match part {
            0 if !self.is_last() => Action::Wait { first: FORWARD, count: 1 },
            1 if !self.is_first() => Action::Wait { first: BACKWARD, count: 1 },
            2 if overlap => Action::Wait { first: GRADIENTS, count: 2 * self.layers() + 2 },
            2 => self.gradient(Axis::Data, self.dense(), None),
            3 if !overlap => self.gradient(self.expert_axis(), self.experts(), None),
            4 if self.spec.layout.shares_embedding && (self.is_first() || self.is_last()) => {
                let bytes = self.tensor_share(self.spec.model.output_parameters()).ceil() as u64;
                self.together(
                    Axis::Embedding,
                    Collective::Allreduce,
                    bytes * u64::from(self.spec.gradient_bytes),
                    None,
                )
            }
            5 if zero => self.parameters(Axis::Data, self.dense()),
            6 if zero => self.parameters(self.expert_axis(), self.experts()),
            0..=6 => Action::Nothing,
            _ => return None,
        })
    }

    /// Each rank has updated its part of the parameters, and gives it to the others.
    fn parameters(&self, axis: Axis, parameters: f64) -> Action {
        if parameters == 0.0 {
            return Action::Nothing;
        }
        let bytes = parameters.ceil() as u64 * u64::from(self.spec.parameter_bytes);
        self.together(axis, Collective::Allgather, bytes.div_ceil(self.spec.layout.size(axis).into()), None)
    }
}
