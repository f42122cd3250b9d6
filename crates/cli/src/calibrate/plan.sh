#!/bin/bash
# Measures two nodes of a cluster for mpirage, in about ten minutes. Adapt the two lines marked HERE, then: sbatch plan.sh
# Then copy the folder mpirage-plan to where mpirage is, and follow the lines at the end.
#SBATCH --job-name=mpirage-plan
#SBATCH --nodes=2
#SBATCH --exclusive
#SBATCH --time=00:30:00
#SBATCH --output=mpirage-plan.log

OSU=${OSU:-$HOME/osu-micro-benchmarks}   # HERE: the folder with the OSU micro-benchmarks, compiled with the MPI to be simulated
RUN=${RUN:-srun}                         # HERE: what starts MPI programs, such as "srun --mpi=pmix"
CORES=${CORES:-$(nproc)}                 # ranks on each node, where all cores take part
ROUNDS=${ROUNDS:-3}                      # runs of each benchmark; calibrate takes medians
LARGEST=${LARGEST:-4194304}              # the largest message

set -eu
mkdir -p mpirage-plan
cd mpirage-plan

# osu NODES RANKS_PER_NODE TEST [OPTION...]: runs a benchmark; its output goes to TEST-NODESxRANKS-ROUND.txt.
osu() {
    local nodes=$1 ranks=$2 test=$3 program round
    shift 3
    program=$(find "$OSU" -type f -name "osu_$test" -perm -u+x | head -n 1)
    if [ -z "$program" ]; then
        echo "plan.sh: there is no osu_$test in $OSU; set OSU to the folder of the OSU micro-benchmarks" >&2
        exit 1
    fi
    for round in $(seq "$ROUNDS"); do
        $RUN --nodes="$nodes" --ntasks=$((nodes * ranks)) --ntasks-per-node="$ranks" "$program" -m "1:$LARGEST" "$@" \
            > "$test-${nodes}x$ranks-$round.txt"
    done
}

# The cores of a node: lines for the platform file.
cat > node.c <<'END_OF_NODE'
@NODE@
END_OF_NODE
cc -O3 -march=native -ffp-contract=off node.c -o node
srun --nodes=1 --ntasks=1 ./node > node.toml || ./node > node.toml

# Two nodes, one rank on each: the curve of a message.
osu 2 1 latency
osu 2 1 bw
# The same in both directions.
osu 2 1 bibw
# A quarter, half and all of the cores of two nodes: how many messages an interface takes, and where more ranks do not help.
for pairs in $(printf '%s\n' $((CORES / 4)) $((CORES / 2)) "$CORES" | sort -nu); do
    [ "$pairs" -eq 0 ] || osu 2 "$pairs" mbw_mr
done
# Two ranks of one node.
osu 1 2 latency
# Nothing is fitted to these: they show how good the model is.
for test in allreduce allgather alltoall; do
    osu 2 "$CORES" "$test"
done

cat <<END
Now, where mpirage is:
  1. Describe the cluster in mine.toml (docs/howto/your-cluster.md); the lines of mpirage-plan/node.toml go into it.
  2. mpirage calibrate mpirage-plan/{latency,bw,bibw}-2x1-*.txt mpirage-plan/mbw_mr-*.txt mpirage-plan/all*-2x$CORES-*.txt \\
         -p mine.toml -o model.toml --report fit.html
  3. How good is it? Simulate what was measured, and compare:
     mpirage run -q -n $((2 * CORES)) --ppn $CORES -p mine.toml --model model.toml osu_allreduce -m 1:$LARGEST > allreduce.txt
     mpirage compare allreduce.txt mpirage-plan/allreduce-2x$CORES-1.txt --report allreduce.html
END
