# What coordinator.sbatch, workers.sbatch and campaign share.
# shellcheck shell=bash disable=SC2034

# shellcheck source=deploy/slurm/sprig.env
. ./sprig.env

# The running cluster: its address and how one gets in, as a configuration file of sprig (`sprig status --config
# cluster.toml`).
cluster=$PWD/cluster.toml

say() { printf '%(%F %T)T %s\n' -1 "$*" >&2; }

fail() {
    say "$*"
    exit 1
}

# Whether a job with this name that was submitted in this folder waits or runs.
is_queued() { squeue --me --noheader --name="$1" --format=%Z | grep -xF "$(pwd -P)" >/dev/null; }

# Starts sprig as the program of this job. A minute before the job's time limit it ends by itself, with exit code 75 if
# work is left.
start() {
    local end left
    # By the bare number that one task of an array has, Slurm would understand the whole array.
    job=${SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}${SLURM_ARRAY_TASK_ID:+_$SLURM_ARRAY_TASK_ID}
    end=$(squeue --noheader --job="$job" --format=%e)
    if end=$(date -d "${end:-none}" +%s 2>/dev/null); then
        left=$((end - EPOCHSECONDS - 60))
        set -- "$@" --for "$((left > 10 ? left : 10))s"
    fi
    tracking=$(scontrol show config | sed -n 's/^ProctrackType *= //p')
    "$SPRIG" "$@" &
    pid=$!
    trap stop TERM
}

# SIGTERM comes at a preemption and with scancel; Slurm itself puts the job back into the queue or does not. Where it
# tracks processes by control groups the signal comes to this shell alone, else to sprig as well; a second one would
# have sprig end without delivering what it has proved.
stop() {
    say "Slurm ends the job"
    if [ "$tracking" = proctrack/cgroup ]; then kill -TERM "$pid"; fi
    finish
    say "sprig ended with exit code $code"
    exit "$code"
}

# Waits for the end of sprig; its exit code is in `code`.
finish() {
    code=0
    wait "$pid" || code=$?
    trap - TERM
}

# Back into the queue, for exit code 75: there is work left.
requeue() {
    say "sprig ended with exit code 75: back into the queue"
    scontrol requeue "$job"
}
