#!/usr/bin/env python3
"""Checks mpirage on a bare machine: tests/house/bare_debian.py [--root FOLDER] [--parts WORD,...] [STAGE...]

Makes Debian's minimal system with what README asks for and nothing else (gcc, make, Python, git), clones the last commit into it, and runs
there what a user types. Stages: demo, install, wheel, deb, test; all of them if none is named. `--parts` names tests
(words for pytest's -k) instead of all. `--root` names a folder that keeps the system and its build for the next time; otherwise both are deleted.

Needs root, and debootstrap, which it installs. The Rust toolchain and cargo's registry are this machine's. So are apt's sources and proxies, and pip's settings.
All mounts and processes are in namespaces of their own: they end with this script, however it ends."""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import prepare  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
RELEASE = "bookworm"
# What README asks for, and what a clone needs.
PACKAGES = "gcc,libc6-dev,make,python3,git,ca-certificates"
# Set in the child, which is in namespaces of its own.
INSIDE = "MPIRAGE_BARE_INSIDE"
# Settings of apt that a network may need.
NETWORK = re.compile(r"Acquire::(http|https|ftp|Retries|Check-Valid-Until|ForceIPv4)\b.*\".+\";$")
VENV = "/tmp/wheel"
STAGES = {
    "demo": ["make demo"],
    "install": ["make build", "make install PREFIX=/opt/mpirage", "cd /tmp && /opt/mpirage/bin/mpirage demo", "make uninstall PREFIX=/opt/mpirage"],
    "wheel": ["make wheel", "apt-get -qq update && apt-get -qq -y --no-install-recommends install python3-venv >/dev/null", f"python3 -m venv {VENV}",
              f"{VENV}/bin/pip install --no-index target/packages/*.whl", f"cd /tmp && {VENV}/bin/mpirage demo"],
    "deb": ["make deb", "dpkg -i target/packages/*.deb", "cd /tmp && mpirage demo", "dpkg -r mpirage"],
    "test": ["make test"],
}


def machine(folder):
    """Makes the minimal system, once. debootstrap mounts, so it runs in the namespace too."""
    if (folder / "mpirage").exists():
        return
    prepare.debian({"debootstrap": "debootstrap"})
    asked = subprocess.run(["apt-get", "indextargets", "--format", "$(REPO_URI) $(CODENAME) $(COMPONENT)", "Created-By: Packages"], capture_output=True, text=True, check=True)
    sources = [line.split() for line in asked.stdout.splitlines()]
    sources = [words for words in sources if words[1].startswith(RELEASE)]
    mirror = [uri for uri, codename, _ in sources if codename == RELEASE][:1]
    subprocess.run(["debootstrap", "--variant=minbase", f"--include={PACKAGES}", RELEASE, str(folder), *mirror], check=True, stdout=subprocess.DEVNULL)
    if mirror:
        (folder / "etc/apt/sources.list").write_text("".join(f"deb {' '.join(words)}\n" for words in sources))
    settings = subprocess.run(["apt-config", "dump"], capture_output=True, text=True, check=True).stdout.splitlines()
    (folder / "etc/apt/apt.conf.d/99bare").write_text("".join(f"{line}\n" for line in settings if NETWORK.match(line)))
    for file in ("etc/hosts", "etc/resolv.conf", "etc/pip.conf", "etc/ssl/certs/ca-certificates.crt"):
        if pathlib.Path("/", file).exists():
            shutil.copy(pathlib.Path("/", file), folder / file)


def clone(folder):
    """The last commit of this checkout."""
    place = folder / "mpirage"
    if place.exists():
        subprocess.run(["git", "-C", place, "fetch", "-q", ROOT, "HEAD"], check=True)
        subprocess.run(["git", "-C", place, "reset", "-q", "--hard", "FETCH_HEAD"], check=True)
    else:
        subprocess.run(["git", "clone", "-q", "--no-hardlinks", ROOT, place], check=True)
    if subprocess.run(["git", "-C", ROOT, "status", "--porcelain"], capture_output=True, text=True).stdout:
        print("bare: this checkout has changes that are not committed; they are not tested")


def homes():
    """Folders of the Rust toolchain, by the variables that name them."""
    home = pathlib.Path.home()
    return {"CARGO_HOME": pathlib.Path(os.environ.get("CARGO_HOME", home / ".cargo")), "RUSTUP_HOME": pathlib.Path(os.environ.get("RUSTUP_HOME", home / ".rustup"))}


def mounts(folder):
    """Mounts what programs need; only the namespace of this process sees it."""
    def mount(*words):
        subprocess.run(["mount", *map(str, words)], check=True)
    mount("-t", "proc", "proc", folder / "proc")
    mount("--rbind", "/sys", folder / "sys")
    mount("--rbind", "/dev", folder / "dev")
    for source in homes().values():
        target = folder / source.relative_to("/")
        target.mkdir(parents=True, exist_ok=True)
        mount("--bind", source, target)


def inside(folder, stages, parts):
    """Runs the stages in the system; the exit code."""
    machine(folder)
    clone(folder)
    mounts(folder)
    # An earlier run with the same folder may have been interrupted.
    subprocess.run(["chroot", folder, "dpkg", "--configure", "-a"], check=True)
    path = f"{homes()['CARGO_HOME']}/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    environment = {"HOME": "/root", "PATH": path, "LANG": "C.UTF-8", **{name: str(value) for name, value in homes().items()}}
    environment |= {name: value for name, value in os.environ.items() if name.startswith("PIP_") and name != "PIP_FIND_LINKS" or name.lower().endswith("_proxy")}
    failed = []
    for stage in stages:
        began = time.monotonic()
        commands = STAGES[stage] if not (stage == "test" and parts) else ["python3 tests/prepare.py", "make build", f"tests/run -k '{' or '.join(parts)}'"]
        for command in commands:
            print(f"\n## {stage}: {command}", flush=True)
            done = subprocess.run(["chroot", folder, "bash", "-c", f"cd /mpirage && {command}"], env=environment, stdin=subprocess.DEVNULL)
            if done.returncode != 0:
                failed.append(f"{stage}: `{command}` ended with {done.returncode}")
                break
        print(f"## {stage}: {time.monotonic() - began:.0f} s", flush=True)
    for line in failed:
        print(f"FAILED {line}")
    print(f"bare: {len(stages) - len(failed)} stages passed, {len(failed)} failed")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path)
    parser.add_argument("--parts", type=lambda text: text.split(","), default=[])
    parser.add_argument("stages", nargs="*", metavar="STAGE")
    options = parser.parse_args()
    unknown = set(options.stages) - set(STAGES)
    if unknown:
        parser.error(f"there is no stage {', '.join(sorted(unknown))}; there are {', '.join(STAGES)}")
    stages = options.stages or list(STAGES)
    if os.environ.get(INSIDE):
        return inside(options.root, stages, options.parts)
    if os.geteuid() != 0:
        sys.exit("bare: needs root, for chroot and mounts")
    folder = options.root.resolve() if options.root else pathlib.Path(tempfile.mkdtemp(prefix="mpirage-bare-", dir="/var/tmp"))
    try:
        command = [sys.executable, __file__, "--root", folder, *(["--parts", ",".join(options.parts)] if options.parts else []), *stages]
        spaces = ["unshare", "--mount", "--propagation", "private", "--pid", "--kill-child"]
        return subprocess.run([*spaces, *command], env={**os.environ, INSIDE: "1"}).returncode
    finally:
        if not options.root:
            shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
