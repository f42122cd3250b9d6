//! Transformers by their published sizes, and what they compute, by the formulas that are published with them.
//!
//! Operations: Narayanan et al., *Efficient Large-Scale Language Model Training on GPU Clusters Using Megatron-LM* (SC 2021), appendix: a
//! multiply-add counts twice, a layer of GPT takes 24 b s h² + 4 b s² h forward, and twice as much backward; what turns the last layer into
//! words takes 2 b s h V. Here the same is counted matrix by matrix, so that layers with grouped queries, gates and experts are counted too.
//! Attention counts all pairs of words, as there.

/// A transformer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Transformer {
    pub layers: u32,
    pub hidden: u32,
    pub heads: u32,
    /// Heads of keys and values: fewer than `heads` if queries are grouped.
    pub kv_heads: u32,
    /// The width inside the feed-forward network.
    pub ffn: u32,
    /// Does the feed-forward network have a gate, and so three matrices?
    pub gated: bool,
    pub vocabulary: u32,
    pub sequence: u32,
    /// Do the first and the last layer share the matrix of words?
    pub tied: bool,
    /// Feed-forward networks of a layer, and how many of them a word goes through; 1 and 1 if there are no experts.
    pub experts: u32,
    pub top_k: u32,
}

const fn gpt(layers: u32, hidden: u32, heads: u32, vocabulary: u32, sequence: u32) -> Transformer {
    let (ffn, kv_heads) = (4 * hidden, heads);
    let (gated, tied, experts, top_k) = (false, true, 1, 1);
    Transformer { layers, hidden, heads, kv_heads, ffn, gated, vocabulary, sequence, tied, experts, top_k }
}

const fn llama(
    sizes: (u32, u32),
    heads: (u32, u32),
    ffn: u32,
    vocabulary: u32,
    sequence: u32,
) -> Transformer {
    let ((layers, hidden), (heads, kv_heads)) = (sizes, heads);
    let (gated, tied, experts, top_k) = (true, false, 1, 1);
    Transformer { layers, hidden, heads, kv_heads, ffn, gated, vocabulary, sequence, tied, experts, top_k }
}

/// Published models: their names, their sizes, and where these are published.
pub(super) const MODELS: &[(&str, Transformer, &str)] = &[
    ("gpt2-1.5b", gpt(48, 1600, 25, 50257, 1024), "Radford et al. 2019"),
    ("gpt3-175b", gpt(96, 12288, 96, 50257, 2048), "Brown et al. 2020"),
    ("megatron-1.7b", gpt(24, 2304, 24, 51200, 2048), MEGATRON),
    ("megatron-3.6b", gpt(30, 3072, 32, 51200, 2048), MEGATRON),
    ("megatron-7.5b", gpt(36, 4096, 32, 51200, 2048), MEGATRON),
    ("megatron-18b", gpt(40, 6144, 48, 51200, 2048), MEGATRON),
    ("megatron-39b", gpt(48, 8192, 64, 51200, 2048), MEGATRON),
    ("megatron-76b", gpt(60, 10240, 80, 51200, 2048), MEGATRON),
    ("megatron-145b", gpt(80, 12288, 96, 51200, 2048), MEGATRON),
    ("megatron-310b", gpt(96, 16384, 128, 51200, 2048), MEGATRON),
    ("megatron-530b", gpt(105, 20480, 128, 51200, 2048), MEGATRON),
    ("megatron-1t", gpt(128, 25600, 160, 51200, 2048), MEGATRON),
    ("llama2-7b", llama((32, 4096), (32, 32), 11008, 32000, 4096), "Touvron et al. 2023"),
    ("llama2-70b", llama((80, 8192), (64, 8), 28672, 32000, 4096), "Touvron et al. 2023"),
    ("llama3-8b", llama((32, 4096), (32, 8), 14336, 128256, 8192), LLAMA3),
    ("llama3-70b", llama((80, 8192), (64, 8), 28672, 128256, 8192), LLAMA3),
    ("llama3-405b", llama((126, 16384), (128, 8), 53248, 128256, 8192), LLAMA3),
    (
        "mixtral-8x7b",
        Transformer { experts: 8, top_k: 2, ..llama((32, 4096), (32, 8), 14336, 32000, 4096) },
        "Jiang et al. 2024",
    ),
];

const MEGATRON: &str = "Narayanan et al. 2021, table 1";
const LLAMA3: &str = "Grattafiori et al. 2024, table 3";

impl Transformer {
    /// Width of keys, and of values.
    fn kv_width(&self) -> f64 {
        f64::from(self.hidden) / f64::from(self.heads) * f64::from(self.kv_heads)
    }

    /// Parameters of the matrices of attention: queries, keys and values, output.
    fn attention_matrices(&self) -> f64 {
        let hidden = f64::from(self.hidden);
        2.0 * hidden * hidden + 2.0 * hidden * self.kv_width()
    }

    /// Parameters of the matrices of one feed-forward network.
    fn ffn_matrices(&self) -> f64 {
        let matrices = if self.gated { 3.0 } else { 2.0 };
        matrices * f64::from(self.hidden) * f64::from(self.ffn)
    }

    /// Parameters of the matrix that chooses experts; none if there is no choice.
    fn router(&self) -> f64 {
        if self.experts > 1 { f64::from(self.hidden) * f64::from(self.experts) } else { 0.0 }
    }

    /// Parameters of a layer outside of its experts, if it has several. GPT has biases and two norms with biases, the others two norms.
    pub fn dense_parameters(&self) -> f64 {
        let hidden = f64::from(self.hidden);
        let vectors = if self.gated { 2.0 * hidden } else { 9.0 * hidden + f64::from(self.ffn) };
        let ffn = if self.experts > 1 { self.router() } else { self.ffn_matrices() };
        self.attention_matrices() + vectors + ffn
    }

    /// Parameters of all experts of a layer; zero if it has none.
    pub fn expert_parameters(&self) -> f64 {
        if self.experts > 1 { f64::from(self.experts) * self.ffn_matrices() } else { 0.0 }
    }

    /// Parameters of the matrix of words. GPT's positions are as many more rows.
    pub fn embedding_parameters(&self) -> f64 {
        let positions = if self.gated { 0.0 } else { f64::from(self.sequence) };
        (f64::from(self.vocabulary) + positions) * f64::from(self.hidden)
    }

    /// Parameters of the matrix behind the last layer.
    pub fn output_parameters(&self) -> f64 {
        f64::from(self.vocabulary) * f64::from(self.hidden)
    }

    /// All parameters.
    pub fn parameters(&self) -> f64 {
        let output = if self.tied { 0.0 } else { self.output_parameters() };
        let layers = f64::from(self.layers) * (self.dense_parameters() + self.expert_parameters());
        layers + self.embedding_parameters() + output
    }

    /// Operations of attention, forward, for so many sequences.
    pub fn attention_flops(&self, sequences: f64) -> f64 {
        let (hidden, words) = (f64::from(self.hidden), f64::from(self.sequence));
        sequences * words * (2.0 * self.attention_matrices() + 4.0 * words * hidden)
    }

    /// Operations of the feed-forward networks, forward.
    pub fn ffn_flops(&self, sequences: f64) -> f64 {
        let words = sequences * f64::from(self.sequence);
        words * 2.0 * (f64::from(self.top_k) * self.ffn_matrices() + self.router())
    }

    /// Operations that turn the last layer into words, forward.
    pub fn output_flops(&self, sequences: f64) -> f64 {
        2.0 * sequences * f64::from(self.sequence) * self.output_parameters()
    }

    /// Words, or what stands for them between layers, of so many sequences: numbers, not bytes.
    pub fn activations(&self, sequences: f64) -> f64 {
        sequences * f64::from(self.sequence) * f64::from(self.hidden)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Transformer {
        MODELS.iter().find(|(other, ..)| *other == name).unwrap().1
    }

    /// Parameters in billions as they are published. GPT-3's table says 175.0, with weights of sparse layers counted as dense ones.
    #[test]
    fn parameters_are_those_that_are_published() {
        for (name, billions, tolerance) in [
            ("gpt2-1.5b", 1.558, 0.002),
            ("gpt3-175b", 174.6, 0.002),
            ("megatron-1.7b", 1.7, 0.03),
            ("megatron-3.6b", 3.6, 0.02),
            ("megatron-7.5b", 7.5, 0.02),
            ("megatron-18b", 18.4, 0.01),
            ("megatron-39b", 39.1, 0.01),
            ("megatron-76b", 76.1, 0.01),
            ("megatron-145b", 145.6, 0.005),
            ("megatron-310b", 310.1, 0.005),
            ("megatron-530b", 529.6, 0.005),
            ("megatron-1t", 1008.0, 0.005),
            ("llama2-7b", 6.738, 0.001),
            ("llama2-70b", 68.98, 0.001),
            ("llama3-8b", 8.030, 0.001),
            ("llama3-70b", 70.55, 0.001),
            ("llama3-405b", 405.85, 0.001),
            ("mixtral-8x7b", 46.70, 0.001),
        ] {
            let found = named(name).parameters() / 1e9;
            assert!((found / billions - 1.0).abs() < tolerance, "{name}: {found}");
        }
    }

    /// Narayanan et al., equation 3: 96 B s l h² (1 + s / 6h + V / 16lh) with everything computed twice forward, else 72 and so on.
    #[test]
    fn operations_are_those_of_the_formula() {
        let (model, batch) = (named("megatron-145b"), 3.0);
        let (layers, hidden, words) =
            (f64::from(model.layers), f64::from(model.hidden), f64::from(model.sequence));
        let vocabulary = f64::from(model.vocabulary);
        let formula = 96.0
            * batch
            * words
            * layers
            * hidden
            * hidden
            * (1.0 + words / (6.0 * hidden) + vocabulary / (16.0 * layers * hidden));
        let layer = model.attention_flops(batch) + model.ffn_flops(batch);
        // The formula counts the last matrix once forward and twice backward, layers twice forward and twice backward.
        let counted = layers * 4.0 * layer + 3.0 * model.output_flops(batch);
        assert!((counted / formula - 1.0).abs() < 1e-12, "{counted} {formula}");
    }

    /// Kaplan et al. 2020: 6 operations per parameter and word, if attention is short beside the width.
    #[test]
    fn six_operations_per_parameter_and_word() {
        let model = Transformer { sequence: 128, ..named("llama2-70b") };
        let layer = model.attention_flops(1.0) + model.ffn_flops(1.0);
        let all = 3.0 * (f64::from(model.layers) * layer + model.output_flops(1.0));
        let rule = 6.0 * model.parameters() * 128.0;
        assert!((all / rule - 1.0).abs() < 0.01, "{}", all / rule);
    }
}
