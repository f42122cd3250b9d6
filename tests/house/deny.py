#!/usr/bin/env python3
"""Checks dependencies against deny.toml: licences, duplicate versions, sources. Checks that tests share the build of the product.

cargo-deny does this and more, but takes minutes to build, so CI uses this script, which reads the same file. `make deny` runs the real
tool too if it is installed. The script understands these keys of deny.toml: licenses.allow and licenses.exceptions,
bans.multiple-versions, bans.skip and bans.deny, sources.unknown-registry and sources.unknown-git. An unknown key is an error, so that
no rule is silently ignored. Only cargo-deny checks advisories (`make advisories`), because it can fetch their database."""

import json
import pathlib
import re
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGET = "x86_64-unknown-linux-gnu"
KNOWN = {
    "licenses": {"allow", "exceptions", "confidence-threshold"},
    "bans": {"multiple-versions", "wildcards", "skip", "deny"},
    "sources": {"unknown-registry", "unknown-git"},
    "advisories": {"ignore"},
}
# How the name of the public registry ends in Cargo.lock.
CRATES_IO = "/rust-lang/crates.io-index"


def allowed(expression, licences):
    """Whether an SPDX expression can be satisfied by these licences."""
    words = re.findall(r"[()]|[^\s()/]+|/", expression)
    position = 0

    def take():
        nonlocal position
        position += 1
        return words[position - 1]

    def peek():
        return words[position].upper() if position < len(words) else ""

    def one():
        word = take()
        if word == "(":
            value = either()
            take()
            return value
        if peek() == "WITH":
            take()
            word = f"{word} WITH {take()}"
        return word in licences

    def all_of():
        value = one()
        while peek() == "AND":
            take()
            value = one() and value
        return value

    def either():
        value = all_of()
        # Before SPDX expressions, a slash meant "or".
        while peek() in ("OR", "/"):
            take()
            value = all_of() or value
        return value

    return either()


def check_licences(packages, rules):
    exceptions = {entry["crate"]: set(entry["allow"]) for entry in rules.get("exceptions", [])}
    for package in packages:
        licences = set(rules["allow"]) | exceptions.get(package["name"], set())
        if not package["license"]:
            yield f"{name(package)} names no licence"
        elif not allowed(package["license"], licences):
            yield f"{name(package)}: licence {package['license']} is not allowed"


def check_versions(packages, rules):
    forbidden = {entry["crate"] if isinstance(entry, dict) else entry for entry in rules.get("deny", [])}
    skipped = {entry["crate"] for entry in rules.get("skip", [])}
    versions, used = {}, set()
    skips = lambda entry, package: f"{name(package)}.".startswith(f"{entry}.")
    for package in packages:
        if package["name"] in forbidden:
            yield f"{name(package)} is forbidden"
        matching = {entry for entry in skipped if skips(entry, package)}
        used |= matching
        if not matching:
            versions.setdefault(package["name"], []).append(package["version"])
    for crate, found in sorted(versions.items()):
        if len(found) > 1 and rules["multiple-versions"] == "deny":
            yield f"{crate} is built {len(found)} times: {', '.join(sorted(found))}"
    for entry in sorted(skipped - used):
        yield f"deny.toml skips {entry}, which is no dependency any more"


def check_sources(packages, rules):
    for package in packages:
        source = package["source"]
        if source and source.startswith("git+") and rules["unknown-git"] == "deny":
            yield f"{name(package)} comes from Git: {source}"
        elif source and source.startswith("registry+") and not source.endswith(CRATES_IO) and rules["unknown-registry"] == "deny":
            yield f"{name(package)} comes from another registry: {source}"


def name(package):
    return f"{package['name']}@{package['version']}"


def unknown_keys(rules):
    for table, entries in rules.items():
        for key in entries:
            if key not in KNOWN.get(table, ()):
                yield f"deny.toml: tests/house/deny.py does not know {table}.{key}"


def features(*selection):
    """The features with which cargo builds each package of a selection."""
    command = ["cargo", "tree", "--locked", "--prefix", "none", "--format", "{p}|{f}", "--target", TARGET, *selection]
    lines = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    # A star marks a package that is listed above.
    return {tuple(line.removesuffix(" (*)").split("|")) for line in lines if line}


def check_features():
    """A dependency of tests that enables a feature of a package makes `cargo test` build it, and all that depends on it, a second time."""
    product = re.search(r"^PACKAGES := (.*)", (ROOT / "Makefile").read_text(), re.M)[1].split()
    built = features("--edges", "no-dev", *product)
    packages = {package for package, _ in built}
    for package, enabled in sorted(features("--workspace", "--exclude", "mpirage-bench") - built):
        if package in packages:
            yield f"tests build {package.split(' (')[0]} a second time, with the features {enabled or '(none)'}"


def check_itself():
    """The evaluation of expressions, on some of which the value is known."""
    mine = {"MIT", "Zlib"}
    for expression, value in (("MIT OR GPL-3.0", True), ("GPL-3.0/MIT", True), ("MIT AND GPL-3.0", False), ("(GPL-3.0 OR MIT) AND Zlib", True),
                              ("Apache-2.0 WITH LLVM-exception", False), ("GPL-3.0 OR (MIT AND BSD-3-Clause)", False)):
        assert allowed(expression, mine) == value, expression


def main():
    check_itself()
    rules = tomllib.loads((ROOT / "deny.toml").read_text())
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--all-features", "--filter-platform", TARGET]
    packages = json.loads(subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout)["packages"]
    checks = (check_licences(packages, rules["licenses"]), check_versions(packages, rules["bans"]), check_sources(packages, rules["sources"]), check_features())
    failures = [*unknown_keys(rules), *(failure for check in checks for failure in check)]
    for failure in failures:
        print(f"FAILED {failure}")
    print(f"dependencies: {len(packages)} packages, {len(failures)} findings")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
