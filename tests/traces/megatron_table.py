#!/usr/bin/env python3
"""Published throughputs of Megatron-LM beside those of gen:training: tests/traces/megatron_table.py [--fit] [ROWS]

Narayanan et al., *Efficient Large-Scale Language Model Training on GPU Clusters Using Megatron-LM* (SC 2021), table 1: GPT models on DGX A100 nodes; its throughputs are quoted from memory.
Micro-batches and what is computed again are those of examples/sc21/run_table_1.sh in NVIDIA/Megatron-LM. The only unknown is the part of the peak that
matrices reach: the default of gen:training for all rows; --fit finds what each row needs. From 76 B to 530 B, the paper interleaves stages, which gen:training does not."""

import json
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import MPIRAGE

# Model, layers, hidden, tp, pp, GPUs, batch, micro-batch, published Tflop/s per GPU
ROWS = [
    ("megatron-1.7b", 24, 2304, 1, 1, 32, 512, 16, 137),
    ("megatron-3.6b", 30, 3072, 2, 1, 64, 512, 16, 138),
    ("megatron-7.5b", 36, 4096, 4, 1, 128, 512, 16, 142),
    ("megatron-18b", 40, 6144, 8, 1, 256, 1024, 8, 135),
    ("megatron-39b", 48, 8192, 8, 2, 512, 1536, 4, 138),
    ("megatron-76b", 60, 10240, 8, 4, 1024, 1792, 2, 140),
    ("megatron-145b", 80, 12288, 8, 8, 1536, 2304, 2, 148),
    ("megatron-310b", 96, 16384, 8, 16, 1920, 2160, 1, 155),
    ("megatron-530b", 105, 20480, 8, 35, 2520, 2520, 1, 163),
    ("megatron-1t", 128, 25600, 8, 64, 3072, 3072, 1, 163),
]
WORDS, VOCABULARY = 2048, 51200
EFFICIENCY = 0.5


def flops(layers, hidden, batch):
    """The paper's equation 3: layers are computed forward twice."""
    size = 1 + WORDS / (6 * hidden) + VOCABULARY / (16 * layers * hidden)
    return 96 * batch * WORDS * layers * hidden**2 * size


def seconds(row, efficiency):
    model, _, _, tp, pp, gpus, batch, micro_batch, _ = row
    # One stage: PyTorch's DistributedDataParallel, which adds up gradients beside the backward pass; several: Megatron's own, which does it afterwards.
    overlap = "yes" if pp == 1 else "no"
    spec = (f"gen:training,model={model},tp={tp},pp={pp},ranks={gpus},batch={batch},micro-batch={micro_batch},overlap={overlap},recompute=yes,"
            f"efficiency={efficiency}")
    nodes = gpus // 8
    # A unit of the network has 20 nodes.
    nodes = nodes if nodes <= 20 else -(-nodes // 20) * 20
    command = [MPIRAGE, "replay", "--coll", "nccl", "--quiet", "--json", "-p", f"dgx-a100:{nodes}", spec]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])["simulated_seconds"]


def throughput(row, efficiency):
    """Tflop/s per GPU."""
    return flops(row[1], row[2], row[6]) / seconds(row, efficiency) / row[5] / 1e12


def fitted(row):
    """The efficiency that makes a row right."""
    low, high = 0.3, 1.0
    while high - low > 1e-4:
        middle = (low + high) / 2
        low, high = (middle, high) if throughput(row, middle) < row[8] else (low, middle)
    return round(low, 4)


if __name__ == "__main__":
    options = sys.argv[1:]
    fit = "--fit" in options
    number = next((int(option) for option in options if option.isdigit()), len(ROWS))
    for row in ROWS[:number]:
        began = time.time()
        found = throughput(row, EFFICIENCY)
        needs = f" needs {fitted(row)}" if fit else ""
        print(f"| `{row[0]}` | {row[5]} | {row[3]} | {row[4]} | {row[8]} | {found:.0f} | {100 * (found / row[8] - 1):+.0f} % |{needs} {time.time() - began:.1f} s", flush=True)
