"""`mpirage sweep --engine slurm` on a real Slurm of one node, which this file starts and stops.

Needs munged, slurmctld and slurmd (Debian: slurm-wlm, munge), which are installed if they are missing, and root. Where that is not possible,
it is skipped."""

import contextlib
import csv
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

import prepare
import pytest
from harness import MPIRAGE

CONF = """
ClusterName=mpirage
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.sock
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=2
MpiDefault=none
KillWait=2
ReturnToService=2
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=test Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""
STUDY = """
command = "replay -p cluster:{ranks} gen:{pattern},ranks={ranks},bytes={bytes},iterations=600"
[parameters]
pattern = ["ring", "allreduce", "halo2d"]
ranks = [16, 32, 64]
bytes = ["1KiB", "64KiB"]
[slurm]
workers = 3
"""


@pytest.fixture(scope="module")
def study(suite):
    path = suite.folder / "study.toml"
    path.write_text(STUDY)
    return path


@pytest.fixture(scope="module")
def local(suite, study):
    """The folder of the study on this machine."""
    folder = suite.folder / "local"
    suite.check("slurm: the study on this machine", suite.run([MPIRAGE, "sweep", study, "-q", "-o", folder], timeout=120).code == 0)
    return folder


@pytest.fixture(scope="module")
def environment(suite):
    """The environment in which commands find Slurm."""
    need_slurm()
    with one_node(suite.folder / "node") as found:
        if not suite.check("slurm: the node is up", found, logs(suite.folder / "node") if not found else ""):
            pytest.fail(logs(suite.folder / "node"), pytrace=False)
        yield found


@pytest.fixture(autouse=True)
def logs_of_failures(suite):
    """What the daemons say, after a test that failed."""
    yield
    print(logs(suite.folder / "node"))


def need_slurm():
    if os.geteuid() != 0:
        pytest.skip("only root can start Slurm's daemons")
    prepare.debian(prepare.SLURM)
    for command in ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel"):
        if not shutil.which(command):
            pytest.skip(f"there is no {command}")


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def until(holds, seconds):
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        if holds():
            return True
        time.sleep(0.2)
    return False


@contextlib.contextmanager
def one_node(folder):
    """A Slurm of one node; yields the environment in which its commands find it, or none if it does not start."""
    for name in ("state", "spool"):
        (folder / name).mkdir(parents=True)
    key, conf = folder / "munge.key", folder / "slurm.conf"
    key.write_bytes(os.urandom(1024))
    key.chmod(0o600)
    host = socket.gethostname().split(".")[0]
    conf.write_text(CONF.format(host=host, folder=folder, ports=free_ports(2)))
    environment = {**os.environ, "SLURM_CONF": str(conf)}
    munge = ["munged", "--foreground", "--force", f"--key-file={key}", f"--socket={folder}/munge.sock", f"--pid-file={folder}/munged.pid",
             f"--log-file={folder}/munged.log", f"--seed-file={folder}/munged.seed"]
    daemons = []
    log = open(folder / "daemons.log", "w")
    try:
        for command in (munge, ["slurmctld", "-D", "-f", str(conf)], ["slurmd", "-D", "-f", str(conf), "-N", host]):
            daemons.append(subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True))
            time.sleep(0.5)

        def is_idle():
            asked = subprocess.run(["sinfo", "-h", "-o", "%T"], env=environment, capture_output=True, text=True)
            return asked.stdout.strip() == "idle"
        yield environment if until(is_idle, 40) else None
    finally:
        for daemon in reversed(daemons):
            daemon.terminate()
        for daemon in reversed(daemons):
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        log.close()


def logs(folder):
    return "\n".join(f"== {path.name}\n{path.read_text(errors='replace')[-1500:]}" for path in sorted(folder.glob("*.log")))


def table(folder, name="results"):
    return (folder / f"{name}.csv").read_text()


def rows(folder, name):
    with open(folder / f"{name}.csv", newline="") as file:
        return list(csv.DictReader(file))


def claims(folder):
    return [path.name.split("@") for path in (folder / "running").glob("*@slurm-*")]


def test_whole(suite, environment, study, local):
    """All workers take part, and the table is that of this machine."""
    folder = suite.folder / "whole"
    done = suite.run([MPIRAGE, "sweep", study, "--engine", "slurm", "-j", "1", "-o", folder], env=environment, timeout=120)
    suite.check("slurm: exit code", done.code == 0, done)
    suite.check("slurm: the table is that of this machine", table(folder) == table(local))
    workers = {row["worker"] for row in rows(folder, "host")}
    suite.check("slurm: several workers have run cases", len(workers) > 1 and all(worker.startswith("slurm-") for worker in workers), workers)
    suite.check("slurm: it says which job", "Slurm job" in done.err, done.err)


def test_lost(suite, environment, study, local):
    """A worker that is killed, and one whose job is cancelled: their cases run again."""
    folder = suite.folder / "lost"
    driver = subprocess.Popen([MPIRAGE, "sweep", study, "--engine", "slurm", "-j", "1", "-o", folder], env=environment, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    suite.check("lost: workers have claims", until(lambda: len(claims(folder)) >= 2, 40), list(folder.rglob("*"))[:20])
    names = [worker for _, worker in claims(folder)]
    if names:
        # The process of one worker, by the name on its command line.
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if f"--worker\0{names[0]}\0".encode() in (process / "cmdline").read_bytes():
                    os.kill(int(process.name), signal.SIGKILL)
    if len(names) > 1:
        subprocess.run(["scancel", names[1].removeprefix("slurm-")], env=environment, check=False)
    said = driver.communicate(timeout=120)[1]
    suite.check("lost: the study ends", driver.returncode == 0, said)
    suite.check("lost: cases of lost workers run again", "of lost workers run again" in said, said)
    suite.check("lost: with the same table", table(folder) == table(local))


def test_stopped(suite, environment, study, local):
    """A driver that is interrupted cancels its jobs; a driver that is killed does not, and the next one collects."""
    folder = suite.folder / "stopped"
    command = [MPIRAGE, "sweep", study, "--engine", "slurm", "-j", "1", "--lost-after", "20", "-o", folder]

    def jobs():
        return subprocess.run(["squeue", "-h"], env=environment, capture_output=True, text=True).stdout.strip()
    first = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    until(lambda: claims(folder), 40)
    first.send_signal(signal.SIGINT)
    suite.check("stopped: an interruption ends the driver", first.wait(30) == 130)
    suite.check("stopped: and cancels its jobs", until(lambda: not jobs(), 30), jobs())
    second = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    until(lambda: claims(folder), 40)
    second.kill()
    second.wait()
    suite.check("stopped: the jobs of a killed driver go on", jobs())
    third = suite.run(command, env=environment, timeout=120)
    suite.check("stopped: the next one collects", third.code == 0 and table(folder) == table(local), third)
