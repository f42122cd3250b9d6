//! `gen:training,key=value,…`: the keys, and what a user has typed.

use mpirage_units::SPEED;

use super::super::typed::{KeyInfo, PatternInfo, Typed, key};
use super::layout::Layout;
use super::model::{MODELS, Transformer};
use crate::TraceError;

/// More ranks than this are refused.
const MOST_RANKS: u64 = 1 << 24;

/// Training, as it is listed for users.
pub const TRAINING: PatternInfo =
    PatternInfo { name: "training", meaning: "iterations of the training of a transformer", keys: &[] };

/// The keys of training.
pub const TRAINING_KEYS: &[KeyInfo] = &[
    key("model", "gpt3-175b", "a transformer of a published size; the keys from layers to top-k change it"),
    key("layers", "", "layers"),
    key("hidden", "", "width of a layer"),
    key("heads", "", "heads of attention"),
    key("kv-heads", "", "heads of keys and values, if queries are grouped"),
    key("ffn", "", "width inside the feed-forward network"),
    key("gated", "", "yes: the feed-forward network has a gate (SwiGLU), and so three matrices; no: two"),
    key("vocabulary", "", "words of the vocabulary"),
    key("sequence", "", "words of a sequence"),
    key("tied", "", "yes: the matrix of words is used in front of the first layer and behind the last"),
    key("experts", "", "feed-forward networks per layer"),
    key("top-k", "", "experts that a word goes through"),
    key("dp", "1", "data parallelism: replicas of the model"),
    key("tp", "1", "tensor parallelism: ranks that share each layer"),
    key("pp", "1", "pipeline parallelism: stages"),
    key("ep", "1", "expert parallelism: ranks of `dp` among which experts are spread"),
    key("ranks", "", "dp × tp × pp; without dp, it follows"),
    key("batch", "", "sequences per iteration, of all replicas [dp × pp × micro-batch]"),
    key("micro-batch", "1", "sequences that a stage takes at a time"),
    key("iterations", "1", "iterations"),
    key(
        "overlap",
        "yes",
        "yes: gradients are added up beside the backward pass of the last micro-batch; no: after it",
    ),
    key(
        "zero",
        "0",
        "0: an allreduce of gradients; 1: reduce-scatter of gradients, allgather of parameters (ZeRO stage 1)",
    ),
    key("recompute", "no", "yes: layers are computed forward once more before they are computed backward"),
    key("parameter-bytes", "2", "bytes of a parameter and of a number between layers"),
    key("gradient-bytes", "2", "bytes of a number of a gradient"),
    key("flops", "", "operations per second of a device [the speed of its host]"),
    key("efficiency", "0.5", "the part of these that matrices reach"),
];

/// A training, checked.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Spec {
    pub model: Transformer,
    pub layout: Layout,
    pub micro_batch: u32,
    /// Micro-batches of a replica in an iteration.
    pub micro_batches: u32,
    pub iterations: u32,
    pub overlap: bool,
    pub zero: bool,
    pub recompute: bool,
    pub parameter_bytes: u32,
    pub gradient_bytes: u32,
    /// Operations per second of a device; none if those of the platform count.
    pub speed: Option<f64>,
    pub efficiency: f64,
}

impl Spec {
    /// Reads `gen:training,key=value,…`.
    pub fn parse(text: &str) -> Result<Spec, TraceError> {
        let typed = Typed::split(text, TRAINING.name, (TRAINING_KEYS.iter().collect(), TRAINING_KEYS))?;
        let model = typed.model()?;
        let layout = typed.layout(&model)?;
        let micro_batch = typed.whole("micro-batch", 1..=1 << 16)?;
        let efficiency = typed.real("efficiency")?;
        if !(efficiency > 0.0 && efficiency <= 1.0) {
            return Err(
                typed.bad(format!("`efficiency={efficiency}`: a part of the speed is above 0 and at most 1"))
            );
        }
        let speed = typed.is_given("flops").then(|| typed.quantity(&SPEED, "flops")).transpose()?;
        Ok(Spec {
            micro_batches: typed.micro_batches(&layout, micro_batch)?,
            model,
            layout,
            micro_batch,
            iterations: typed.whole("iterations", 0..=1 << 20)?,
            overlap: typed.yes_or_no("overlap")?,
            zero: typed.whole("zero", 0..=1)? == 1,
            recompute: typed.yes_or_no("recompute")?,
            parameter_bytes: typed.whole("parameter-bytes", 1..=8)?,
            gradient_bytes: typed.whole("gradient-bytes", 1..=8)?,
            speed,
            efficiency,
        })
    }
}

/// What training reads.
impl Typed<'_> {
    fn model(&self) -> Result<Transformer, TraceError> {
        let name = self.value("model");
        let Some((_, mut model, _)) = MODELS.iter().find(|(known, ..)| *known == name).copied() else {
            let names: Vec<_> = MODELS.iter().map(|(name, ..)| *name).collect();
            let meant = mpirage_units::did_you_mean(name, names.iter().copied());
            return Err(
                self.bad(format!("there is no model `{name}`; there are {}{meant}", names.join(", ")))
            );
        };
        let size =
            |key, published| if self.is_given(key) { self.whole(key, 1..=1 << 24) } else { Ok(published) };
        let flag = |key, published| if self.is_given(key) { self.yes_or_no(key) } else { Ok(published) };
        // Widths and heads that follow from others follow from those that are given.
        let (hidden, heads) = (size("hidden", model.hidden)?, size("heads", model.heads)?);
        let ffn = (u64::from(model.ffn) * u64::from(hidden)).div_ceil(model.hidden.into());
        let kv_heads = (model.kv_heads * heads / model.heads).max(1);
        model = Transformer {
            layers: size("layers", model.layers)?,
            hidden,
            heads,
            kv_heads: size("kv-heads", kv_heads)?,
            ffn: size("ffn", ffn as u32)?,
            gated: flag("gated", model.gated)?,
            vocabulary: size("vocabulary", model.vocabulary)?,
            sequence: size("sequence", model.sequence)?,
            tied: flag("tied", model.tied)?,
            experts: size("experts", model.experts)?,
            top_k: size("top-k", model.top_k)?,
        };
        self.check_model(&model).map_err(|problem| self.bad(problem))?;
        Ok(model)
    }

    fn check_model(&self, model: &Transformer) -> Result<(), String> {
        let Transformer { heads, kv_heads, hidden, experts, top_k, .. } = *model;
        if !heads.is_multiple_of(kv_heads) {
            return Err(format!("`kv-heads={kv_heads}`: it must divide heads, which is {heads}"));
        }
        if !hidden.is_multiple_of(heads) {
            return Err(format!("`heads={heads}`: it must divide hidden, which is {hidden}"));
        }
        if top_k > experts {
            return Err(format!("`top-k={top_k}`: there are {experts} experts only; say experts="));
        }
        match model.parameters() < 1e15 {
            true => Ok(()),
            false => Err("a model of more than 10^15 parameters".into()),
        }
    }

    fn layout(&self, model: &Transformer) -> Result<Layout, TraceError> {
        let degree = |key| self.whole(key, 1..=MOST_RANKS as u32);
        let (tp, pp, ep) = (degree("tp")?, degree("pp")?, degree("ep")?);
        let replica = u64::from(tp) * u64::from(pp);
        let mut dp = degree("dp")?;
        if self.is_given("ranks") {
            let ranks = u64::from(degree("ranks")?);
            if !self.is_given("dp") && ranks.is_multiple_of(replica) {
                dp = (ranks / replica) as u32;
            }
            if u64::from(dp) * replica != ranks {
                return Err(self.bad(format!(
                    "`ranks={ranks}`: dp × tp × pp is {dp} × {tp} × {pp} = {}",
                    u64::from(dp) * replica
                )));
            }
        }
        let layout = Layout { dp, tp, pp, ep, shares_embedding: model.tied && pp > 1 };
        self.check_layout(&layout, model).map_err(|problem| self.bad(problem))?;
        Ok(layout)
    }

    fn check_layout(&self, layout: &Layout, model: &Transformer) -> Result<(), String> {
        let Layout { dp, tp, pp, ep, .. } = *layout;
        if layout.ranks() > MOST_RANKS {
            return Err(format!("dp × tp × pp are {} ranks, more than {MOST_RANKS}", layout.ranks()));
        }
        if !model.heads.is_multiple_of(tp) {
            return Err(format!(
                "`tp={tp}`: it must divide the heads of attention, which are {}",
                model.heads
            ));
        }
        if pp > model.layers {
            return Err(format!("`pp={pp}`: there are {} layers only", model.layers));
        }
        if !dp.is_multiple_of(ep) {
            return Err(format!("`ep={ep}`: it must divide dp, which is {dp}"));
        }
        if !model.experts.is_multiple_of(ep) {
            return Err(format!("`ep={ep}`: it must divide experts, which is {}", model.experts));
        }
        Ok(())
    }

    fn micro_batches(&self, layout: &Layout, micro_batch: u32) -> Result<u32, TraceError> {
        if !self.is_given("batch") {
            return Ok(layout.pp);
        }
        let (batch, step) =
            (self.whole("batch", 1..=u32::MAX)?, u64::from(layout.dp) * u64::from(micro_batch));
        if !u64::from(batch).is_multiple_of(step) {
            let problem =
                format!("`batch={batch}`: it must be a multiple of dp × micro-batch, which is {step}");
            return Err(self.bad(problem));
        }
        let number = u64::from(batch) / step;
        u32::try_from(number)
            .ok()
            .filter(|&number| number < 1 << 30)
            .ok_or_else(|| self.bad(format!("`batch={batch}`: {number} micro-batches are too many")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_tells_every_key_with_its_default() {
        let page = include_str!("../../../../../../docs/reference/generated.md");
        for key in TRAINING_KEYS {
            let row = format!("| `{}` | {}", key.name, key.default);
            assert!(page.contains(row.trim()), "{row}");
        }
        let guide = include_str!("../../../../../../docs/howto/ai-training.md");
        for (name, ..) in MODELS {
            assert!(guide.contains(&format!("`{name}`")), "{name}");
        }
    }

    #[test]
    fn sizes_that_follow_from_others_follow() {
        let spec = Spec::parse("gen:training,model=llama3-8b,hidden=2048,heads=16").unwrap();
        let Transformer { ffn, kv_heads, .. } = spec.model;
        assert_eq!((ffn, kv_heads), (7168, 4));
        let spec = Spec::parse("gen:training,ranks=64,tp=8,pp=2,batch=24,micro-batch=2").unwrap();
        assert_eq!((spec.layout.dp, spec.micro_batches, spec.speed), (4, 3, None));
    }
}
