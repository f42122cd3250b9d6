"""gen:training against closed formulas: operations, volumes of collectives, the bubble of a pipeline, time per iteration. Published throughputs are
in docs/howto/ai-training.md; `megatron_table.py` runs them."""

import json

from harness import MPIRAGE

from test_chakra import machine, message, ring

SMALL = "gen:training,model=megatron-1.7b,layers=8,hidden=1024,heads=16,vocabulary=1,sequence=128,efficiency=1"
LAYERS, HIDDEN, WORDS = 8, 1024, 128
PARAMETERS = LAYERS * (12 * HIDDEN**2 + 13 * HIDDEN) + (1 + WORDS) * HIDDEN


def layer_flops(sequences):
    """Narayanan et al. 2021: 24 b s h² + 4 b s² h of a layer forward."""
    return 24 * sequences * WORDS * HIDDEN**2 + 4 * sequences * WORDS**2 * HIDDEN


def forward(sequences):
    return LAYERS * layer_flops(sequences) + 2 * sequences * WORDS * HIDDEN


def info(suite, *keys):
    return json.loads(suite.run([MPIRAGE, "trace", "info", "--json", ",".join((SMALL, *keys))]).out)


def seconds(suite, *keys, words=()):
    command = [MPIRAGE, "replay", "-p", machine(suite), "--quiet", "--json", "--coll",
               "allreduce=ring,reduce-scatter-block=ring,allgather=ring", *words, ",".join((SMALL, *keys))]
    done = suite.run(command, timeout=120)
    if done.code:
        raise RuntimeError(done.err)
    return max(json.loads(done.out.splitlines()[-1])["per_rank_seconds"])


def near(suite, what, found, expected, tolerance):
    suite.check(what, abs(found / expected - 1) < tolerance, f"found {found}, expected {expected}")


def test_operations(suite):
    near(suite, "three times forward", info(suite, "dp=2", "batch=8")["flops"], 3 * forward(8), 1e-9)
    near(suite, "split differently", info(suite, "dp=2", "tp=4", "pp=2", "batch=8")["flops"], 3 * forward(8), 1e-9)
    near(suite, "layers again", info(suite, "batch=8", "recompute=yes")["flops"], 3 * forward(8) + LAYERS * layer_flops(8), 1e-9)
    near(suite, "iterations", info(suite, "batch=8", "iterations=3")["flops"], 9 * forward(8), 1e-9)
    moe = info(suite, "batch=8", "experts=4", "top-k=2")["flops"]
    words = 8 * WORDS
    near(suite, "experts", moe, 3 * (forward(8) + LAYERS * words * (16 * HIDDEN**2 + 8 * HIDDEN)), 1e-9)


def test_volumes(suite):
    for overlap in ("yes", "no"):
        found = info(suite, "dp=4", f"overlap={overlap}")["collective_bytes"]
        near(suite, f"gradients, overlap={overlap}", found, 4 * 2 * PARAMETERS, 1e-6)
        # A reduce-scatter contributes all gradients of a rank, an allgather its part of the parameters.
        found = info(suite, "dp=4", "zero=1", f"overlap={overlap}")["collective_bytes"]
        near(suite, f"ZeRO, overlap={overlap}", found, (4 + 1) * 2 * PARAMETERS, 1e-4)
    # Four allreduces of activations per layer and micro-batch, one for the words, one behind the last layer.
    found = info(suite, "tp=4", "batch=6")["collective_bytes"]
    near(suite, "activations", found, 4 * 6 * (4 * LAYERS + 2) * 2 * WORDS * HIDDEN, 1e-9)
    found = info(suite, "pp=4", "batch=6")
    suite.check("messages of a pipeline", found["messages"] == 2 * 3 * 6 and found["message_bytes"] == 36 * 2 * WORDS * HIDDEN, found)
    # Words go to their experts and back, forward and backward; a rank exchanges its words with 2 ranks.
    found = info(suite, "dp=2", "ep=2", "experts=2", "batch=2")
    suite.check("words of experts", found["calls"]["MPI_Alltoall"] == 2 * 4 * LAYERS, found)


def test_bubble(suite):
    """Without time for messages, p stages and m micro-batches take (m + p − 1) times as long as one micro-batch on a stage."""
    for stages, batches in [(4, 8), (8, 8), (4, 2), (2, 16)]:
        found = seconds(suite, f"pp={stages}", f"batch={batches}", words=("--model", "ideal"))
        near(suite, f"{stages} stages, {batches} micro-batches", found, (batches + stages - 1) * 3 * forward(1) / stages / 1e12, 2e-4)


def test_time_of_gradients(suite):
    computes, exchange = 3 * forward(1) / 1e12, ring(2 * PARAMETERS, 4)
    after = seconds(suite, "dp=4", "overlap=no")
    near(suite, "after the backward pass", after, computes + exchange, 1e-6)
    found = seconds(suite, "dp=4", "overlap=yes")
    # What is left is at least the exchange of the layers behind the first backward one; computation is short here.
    suite.check("beside it", exchange < found < after, f"{exchange} {found} {after}")
    # With much computation, only the gradient of the first layer is left when it ends.
    slow = seconds(suite, "dp=4", "overlap=yes", "flops=100Gf")
    layer = 12 * HIDDEN**2 + 13 * HIDDEN
    left = ring(2 * layer, 4) + ring(2 * (1 + WORDS) * HIDDEN, 4)
    suite.check("hidden", 3 * forward(1) / 1e11 < slow < 3 * forward(1) / 1e11 + 1.05 * left, f"{slow}")
    found = seconds(suite, "dp=4", "overlap=no", "zero=1")
    near(suite, "ZeRO takes as long as an allreduce", found, computes + exchange, 1e-4)


def test_time_of_tensors(suite):
    found = seconds(suite, "tp=4", "batch=2")
    expected = 2 * (3 * forward(1) / 4 / 1e12 + (4 * LAYERS + 2) * ring(2 * WORDS * HIDDEN, 4))
    near(suite, "computation and allreduces take turns", found, expected, 1e-6)


def test_pipeline_with_messages(suite):
    """One micro-batch goes there and back: the time of the stages and of the messages."""
    found = seconds(suite, "pp=4", "batch=1", "tied=no")
    near(suite, "there and back", found, 3 * forward(1) / 1e12 + 6 * message(2 * WORDS * HIDDEN), 1e-6)


def test_mistakes(suite):
    for keys, part in [
        ("ranks=7,tp=2", "dp × tp × pp is 1 × 2 × 1 = 2"),
        ("dp=2,batch=3", "multiple of dp × micro-batch, which is 2"),
        ("tp=5", "`tp=5`: it must divide the heads"),
        ("pp=200", "`pp=200`: there are 96 layers only"),
        ("dp=4,ep=3", "`ep=3`: it must divide dp"),
        ("dp=4,ep=2", "`ep=2`: it must divide experts"),
        ("model=gpt4", "there is no model `gpt4`"),
        ("top-k=2", "there are 1 experts only"),
        ("efficiency=2", "above 0 and at most 1"),
        ("zero=3", "from 0 to 1"),
        ("noise=0.1", "`training` knows no `noise`"),
        ("overlap=maybe", "say yes or no"),
        ("heads=5", "`heads=5`: it must divide hidden"),
    ]:
        done = suite.run([MPIRAGE, "replay", f"gen:training,{keys}"])
        suite.check(keys, done.code == 83 and part in done.err, f"{done.code}: {done.err}")
    for text in ("gen:trainin", "gen:training,dq=2"):
        done = suite.run([MPIRAGE, "replay", text])
        suite.check(text, done.code == 83 and "did you mean" in done.err, done.err)
    found = info(suite, "ranks=8", "tp=2", "pp=2")["ranks"]
    suite.check("dp follows from ranks", found == 8, found)


def test_models(suite):
    """Every model has its sizes, and heads that can be split."""
    listed = suite.run([MPIRAGE, "info", "workloads"]).out.split("models of gen:training\n")[1]
    names = [line.split()[0] for line in listed.splitlines() if line.strip()]
    suite.check("models", len(names) > 10, names)
    for name in names:
        done = suite.run([MPIRAGE, "trace", "info", "--json", f"gen:training,model={name},efficiency=1"])
        suite.check(name, done.code == 0 and json.loads(done.out)["ranks"] == 1, done.err)
