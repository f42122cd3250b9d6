#!/usr/bin/env python3
"""Measures the structure of the Rust code from its source: tests/house/structure.py [--repo DIR] [--list] [--crate NAME]...

It measures, per crate and without tests:
  circles     files that import each other, directly or through others (strongly connected components)
  parameters  public functions with two parameters of the same bare integer type; `pairs` counts those that are `pub`,
              `inner` those that are `pub(crate)` or `pub(super)`, which are not enforced
  lines       lines of code, of comments, and blank lines

A limit that is broken in an enforced crate prints one line, "FAILED file:line: ...", and the exit code is 1. --list also shows
findings in crates that are not enforced yet, and circles of 2 or 3 files. --crate limits the output to some crates.

An import is a `use` of another module of the same crate, or a path that begins with `crate::` or `super::` in the text. It leads to
the file that defines the item, also where `lib.rs` or a parent module only re-exports it. A parent that names its child by
a plain path (`child::item`) depends on it too. Not imports: `mod x;`, and re-exports (`pub use`) in a file that declares modules."""

import argparse
import pathlib
import re
import sys
import tempfile
from dataclasses import dataclass, field

# The crates in which a limit is not enforced yet. A crate is removed when it is clean.
NOT_ENFORCED = {"circles": "", "parameters": "front"}

LARGEST_CIRCLE = 3

# Parts of crates that are judged without the rest: name -> (crate, paths below src that are left out).
CORES = {"abi": ("functions/",)}

# Parameters of the same type that mean the same thing, or that are the two ends of a range. Names, in the order of the signature.
SAME_MEANING = {
    ("a", "b"): "two operands of one operation",
    ("start", "end"): "a range",
    ("first", "last"): "a range",
    ("low", "high"): "a range",
    ("min", "max"): "a range",
    ("minimum", "maximum"): "a range",
    ("x", "y"): "two coordinates",
    ("rows", "columns"): "the shape of a grid, in its usual order",
}
# Functions that may keep such a pair: "crate:function" -> the reason.
MPI_ORDER = "the parameters and their order are those of the MPI function"
ALLOWED = {
    "data:vector": MPI_ORDER,
    "data:hvector": MPI_ORDER,
    "data:resized": MPI_ORDER,
    "data:darray": MPI_ORDER,
    "data:shift": MPI_ORDER,
}

INTEGERS = "u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize c_int c_uint c_long c_ulong size_t ssize_t".split()
WORD = re.compile(r"[A-Za-z_]\w*")


# --- text ---------------------------------------------------------------------------------------------------------------------------

TOKENS = re.compile(
    r"""(?P<line>//[^\n]*)|(?P<block>/\*)|(?P<raw>b?r(?P<hashes>\#*)")|(?P<string>[bc]?"(?:[^"\\]|\\.)*")"""
    r"""|(?P<char>b?'(?:[^'\\\n]|\\(?:x[0-9a-fA-F]{2}|u\{[^}]*\}|.))')|(?P<other>r\#\w+|\w+|.|\n)""",
    re.S | re.X,
)


def mask(text):
    """The code without comments and contents of literals, and the comments alone; both keep every line where it is."""
    code, comments, at = [], [], 0
    while at < len(text):
        match = TOKENS.match(text, at)
        end = match.end()
        if match["block"]:
            depth = 1
            while depth and (mark := re.compile(r"/\*|\*/").search(text, end)):
                depth += 1 if mark[0] == "/*" else -1
                end = mark.end()
        elif match["raw"]:
            end = text.index('"' + match["hashes"], end) + 1 + len(match["hashes"])
        piece = text[at:end]
        blank = re.sub(r"[^\n]", " ", piece)
        if match["line"] or match["block"]:
            code.append(blank)
            comments.append(piece)
        elif match["raw"] or match["string"] or match["char"]:
            code.append(re.sub(r"[^\n]", "'", piece))
            comments.append(blank)
        else:
            code.append(piece)
            comments.append(blank)
        at = end
    return "".join(code), "".join(comments)


def closing(code, at):
    """The position after the bracket that closes the one at `at`."""
    pairs, depth = {"(": ")", "[": "]", "{": "}"}, []
    for i in range(at, len(code)):
        c = code[i]
        if c in pairs:
            depth.append(pairs[c])
        elif depth and c == depth[-1]:
            depth.pop()
            if not depth:
                return i + 1
    return len(code)


def item_end(code, at):
    """The end of the item that begins at `at`: its semicolon, or the end of its braces."""
    while at < len(code):
        c = code[at]
        if c == ";":
            return at + 1
        if c == "{":
            return closing(code, at)
        at = closing(code, at) if c in "([" else at + 1
    return at


TEST = re.compile(r"#\[\s*(?:cfg\s*\(\s*test\s*\)|test|cfg\s*\(\s*all\s*\(\s*test\b[^\]]*)\s*\]")


def without_tests(code):
    """The code with test items blanked, the modules that are only for tests, and the stretches that were blanked."""
    modules, stretches = set(), []
    for match in TEST.finditer(code):
        if stretches and match.start() < stretches[-1][1]:
            continue
        at = match.end()
        while skipped := re.compile(r"\s*#\[").match(code, at):
            at = closing(code, skipped.end() - 1)
        end = item_end(code, at)
        if declared := re.match(r"\s*(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*;", code[at:end]):
            modules.add(declared[1])
        stretches.append((match.start(), end))
    for start, end in stretches:
        code = code[:start] + re.sub(r"[^\n]", " ", code[start:end]) + code[end:]
    return code, modules, stretches


# --- modules ------------------------------------------------------------------------------------------------------------------------


@dataclass
class File:
    """A source file that is not only for tests."""

    path: pathlib.Path
    name: str  # as shown: relative to the repository
    code: str
    comments: str
    tests: list  # stretches that are tests

    def line(self, at):
        return self.code.count("\n", 0, at) + 1


@dataclass
class Module:
    """A module: a file, or a stretch of one."""

    path: tuple
    file: File
    start: int
    end: int
    children: dict = field(default_factory=dict)
    uses: list = field(default_factory=list)  # (name or *, target path, position, re-exported)
    items: set = field(default_factory=set)
    declares: bool = False  # has `mod x;`


class Crate:
    """The modules of one crate, found from its root as the compiler finds them."""

    def __init__(self, repo, folder):
        self.repo, self.name = repo, folder.name
        self.modules, self.files = {}, []
        manifest = (folder / "Cargo.toml").read_text()
        roots = [folder / "src" / name for name in ("lib.rs", "main.rs")]
        roots += [folder / path for path in re.findall(r'^path\s*=\s*"(src/[^"]+\.rs)"', manifest, re.M)]
        self.root = folder / "src"
        for root in dict.fromkeys(roots):
            if root.exists():
                self.read_file(root, ())
        for module in list(self.modules.values()):
            self.read_uses(module)

    def read_file(self, path, module_path):
        code, comments = mask(path.read_text())
        code, test_modules, stretches = without_tests(code)
        file = File(path, str(path.relative_to(self.repo)), code, comments, stretches)
        self.files.append(file)
        folder = path.parent if path.name in ("lib.rs", "main.rs", "mod.rs") else path.parent / path.stem
        self.read_module(file, module_path, 0, len(code), folder)

    def read_module(self, file, path, start, end, folder):
        module = self.modules.setdefault(path, Module(path, file, start, end))
        for match in re.compile(r"\bmod\s+(?:r#)?(\w+)\s*([;{])").finditer(file.code, start, end):
            if any(a <= match.start() < b for a, b in ((m.start, m.end) for m in self.modules.values() if m.file is file and m is not module and m.start > start)):
                continue
            name = match[1]
            if match[2] == "{":
                module.children[name] = path + (name,)
                self.read_module(file, path + (name,), match.end(), closing(file.code, match.end() - 1) - 1, folder / name)
                continue
            module.declares = True
            given = re.search(r'#\[path\s*=\s*$', file.code[max(0, match.start() - 200) : match.start()].split("'")[0])
            choices = [folder / f"{name}.rs", folder / name / "mod.rs"]
            found = next((choice for choice in choices if choice.exists()), None)
            if found and not given:
                module.children[name] = path + (name,)
                self.read_file(found, path + (name,))

    def own_text(self, module):
        """The text of a module without the modules inside it."""
        text = module.file.code[module.start : module.end]
        for other in self.modules.values():
            if other.file is module.file and other is not module and module.start < other.start and other.end <= module.end:
                a, b = other.start - module.start, other.end - module.start
                text = text[:a] + re.sub(r"[^\n]", " ", text[a:b]) + text[b:]
        return text

    def read_uses(self, module):
        text = self.own_text(module)
        names = r"\b(?:struct|enum|union|trait|fn|type|const|static|macro_rules!)\s+(?:mut\s+)?(?:r#)?(\w+)"
        module.items = set(re.findall(names, text))
        for match in re.finditer(r"(?P<pub>\bpub(?:\s*\([^)]*\))?\s+)?\buse\s+(?P<tree>[^;]+);", text):
            for path, name in use_tree(match["tree"]):
                module.uses.append((name, path, module.start + match.start("tree"), bool(match["pub"])))
        for match in re.finditer(r"(?<![\w:$])(?:crate|super)(?:\s*::\s*\w+)+", text):
            before = text[: match.start()].rstrip()
            if not re.search(r"\buse$|[{,]$", before) or not inside_use(text, match.start()):
                path = tuple(re.findall(r"\w+", match[0]))
                module.uses.append((None, path, module.start + match.start(), False))
        for child in module.children:
            for match in re.finditer(rf"(?<![\w:]){child}\s*::\s*\w+", text):
                if not inside_use(text, match.start()):
                    path = ("self", *re.findall(r"\w+", match[0]))
                    module.uses.append((None, path, module.start + match.start(), False))

    def absolute(self, module, path):
        """The path from the crate's root, or None if it leads out of the crate."""
        head, at = list(path), list(module.path)
        if head and head[0] == "crate":
            return tuple(head[1:])
        if head and head[0] in module.children:
            return tuple(at + head)
        if not head or head[0] not in ("super", "self"):
            return None
        while head and head[0] in ("super", "self"):
            if head.pop(0) == "super":
                at = at[:-1]
        return tuple(at + head)

    def resolve(self, path, seen=frozenset()):
        """The module that defines what a path from the root names."""
        here, rest = (), list(path)
        while rest and here in self.modules and rest[0] in self.modules[here].children:
            here += (rest.pop(0),)
        module = self.modules.get(here)
        if module is None or not rest or rest[0] == "*" or (here, rest[0]) in seen:
            return module
        name = rest[0]
        if name in module.items:
            return module
        seen |= {(here, name)}
        for used, target, _, _ in module.uses:
            if used == name and (to := self.absolute(module, target)) is not None:
                return self.resolve(to + tuple(rest[1:]), seen)
        for used, target, _, _ in module.uses:
            if used == "*" and (to := self.absolute(module, target)) is not None:
                found = self.resolve(to + tuple(rest), seen)
                if found and name in found.items:
                    return found
        return module

    def imports(self):
        """Which file imports which: file -> {file: position}."""
        edges = {file.name: {} for file in self.files}
        for module in self.modules.values():
            for name, path, at, exported in module.uses:
                if exported and module.declares:
                    continue
                to = self.absolute(module, path)
                target = to is not None and self.resolve(to if name != "*" else to + ("*",))
                if target and target.file is not module.file:
                    edges[module.file.name].setdefault(target.file.name, at)
        return edges


def inside_use(text, at):
    """Whether the position is in a `use` declaration."""
    start = max(text.rfind(";", 0, at), text.rfind("}", 0, at) if "{" not in text[text.rfind("use", 0, at) : at] else -1)
    last = list(re.finditer(r"\buse\s", text[max(0, start) : at]))
    return bool(last) and ";" not in text[max(0, start) + last[-1].start() : at] and "(" not in text[max(0, start) + last[-1].start() : at]


def use_tree(tree, head=()):
    """The paths of a `use` tree, each with the name it gets."""
    tree = tree.strip()
    if brace := re.match(r"((?:[\w#]+\s*::\s*)*)\{", tree):
        head += tuple(re.findall(r"\w+", brace[1]))
        inner, depth, part = tree[brace.end() : tree.rindex("}")], 0, ""
        for c in inner + ",":
            depth += {"{": 1, "}": -1}.get(c, 0)
            if c == "," and depth == 0:
                if part.strip():
                    yield from use_tree(part, head)
                part = ""
            else:
                part += c
        return
    path, _, alias = re.sub(r"\s+", " ", tree).partition(" as ")
    words = head + tuple(re.findall(r"\w+|\*", path))
    if words and words[-1] == "*":
        yield words[:-1], "*"
    elif words and words[-1] == "self" and len(words) > 1:
        yield words[:-1], alias.strip() or words[-2]
    elif words:
        yield words, alias.strip() or words[-1]


def circles(edges):
    """Strongly connected components of more than one file (Tarjan, Depth-first search and linear graph algorithms, 1972)."""
    index, low, stack, on_stack, found = {}, {}, [], set(), []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        on_stack.add(node)
        for other in edges[node]:
            if other not in edges:
                continue
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in on_stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            members = []
            while not members or members[-1] != node:
                members.append(stack.pop())
                on_stack.discard(members[-1])
            if len(members) > 1:
                found.append(sorted(members))

    for node in edges:
        if node not in index:
            visit(node)
    return found


# --- parameters ---------------------------------------------------------------------------------------------------------------------


def skip_generics(code, at):
    """The position after `<...>` at `at`, if there is one."""
    at += len(code[at:]) - len(code[at:].lstrip())
    if at >= len(code) or code[at] != "<":
        return at
    depth = 0
    for i in range(at, len(code)):
        if code[i] == "<":
            depth += 1
        elif code[i] == ">" and code[i - 1] != "-":
            depth -= 1
            if depth == 0:
                return i + 1
    return at


def blocks(code, keyword):
    """The blocks that begin with a keyword at the beginning of a line: position, header, start and end of the body."""
    for match in re.finditer(rf"^[ \t]*(?:pub(?:\([^)]*\))?\s+)?(?:unsafe\s+)?{keyword}\b", code, re.M):
        brace = match.end()
        while brace < len(code) and code[brace] not in "{;":
            brace = closing(code, brace) if code[brace] in "([" else brace + 1
        if brace < len(code) and code[brace] == "{":
            yield match.start() + len(match[0]) - len(match[0].lstrip()), code[match.start() : brace], brace + 1, closing(code, brace) - 1


def own_functions(code, start, end):
    """The `fn` of a block itself, not those inside its functions."""
    at = start
    while at < end:
        match = re.compile(r"\bfn\s+(?:r#)?(\w+)|[{(\[]").search(code, at, end)
        if not match:
            return
        if match[1]:
            yield match.start(), match[1]
            at = match.end()
        else:
            at = closing(code, match.start())


def aliases(crate):
    """Names of the crate that are only other names of integers."""
    known = {name: name for name in INTEGERS}
    for _ in range(3):
        for file in crate.files:
            for name, target in re.findall(r"\btype\s+(\w+)\s*=\s*(?:[\w:]*::)?(\w+)\s*;", file.code):
                if target in known:
                    known[name] = known[target]
    return known


def parameters(code, at):
    """The parameters of the function at `at`: name and type."""
    opening = skip_generics(code, re.compile(r"fn\s+(?:r#)?\w+").match(code, at).end())
    opening = code.index("(", opening)
    text, depth, part = code[opening + 1 : closing(code, opening) - 1], 0, ""
    for i, c in enumerate(text + ","):
        depth += 1 if c in "([{<" else -1 if c in ")]}" or (c == ">" and text[i - 1] != "-") else 0
        if c == "," and depth == 0:
            name, colon, kind = part.partition(":")
            if colon:
                yield re.sub(r"\bmut\b|#\[[^\]]*\]", "", name).strip(), " ".join(kind.split())
            part = ""
        else:
            part += c


def public_functions(file, visibility):
    """Functions with this visibility (a pattern), or methods of traits with it: position, position of `fn`, name.

    Functions of the C ABI are left out: their signatures are not ours."""
    code = file.code
    for match in re.finditer(r"\bextern\s*'+\s*\{", code):
        end = closing(code, match.end() - 1)
        code = code[: match.start()] + " " * (end - match.start()) + code[end:]
    words = rf"\b{visibility}\s+(?:const\s+|async\s+|unsafe\s+)*(?P<c>extern\s*'+\s*)?(?P<fn>fn)\s+(?:r#)?(?P<name>\w+)"
    for match in re.finditer(words, code):
        if not match["c"]:
            yield match.start(), match.start("fn"), match["name"]
    for at, header, start, end in blocks(code, "trait"):
        if re.match(rf"\s*{visibility}\s", header):
            for position, name in own_functions(code, start, end):
                yield position, position, name


PUBLIC = "pub"
WITHIN_CRATE = r"pub\s*\([^)]*\)"


def pairs(crate, visibility):
    """Functions with two parameters of one bare integer type: file, position, name, [(names, type)]."""
    known = aliases(crate)
    for file in crate.files:
        for at, fn, name in sorted(public_functions(file, visibility)):
            by_type = {}
            for parameter, kind in parameters(file.code, fn):
                last = kind.rsplit("::", 1)[-1]
                if last in known:
                    by_type.setdefault(known[last], []).append(parameter)
            found = [(names, kind) for kind, names in by_type.items() if len(names) > 1 and tuple(names) not in SAME_MEANING]
            if found and f"{crate.name}:{name}" not in ALLOWED:
                yield file, at, name, found


# --- lines --------------------------------------------------------------------------------------------------------------------------


def count_lines(file):
    """Lines of code, of comments, and blank ones, without tests."""
    code_lines, comment_lines = file.code.split("\n"), file.comments.split("\n")
    tested = [False] * len(code_lines)
    for start, end in file.tests:
        for i in range(file.line(start) - 1, file.line(end - 1)):
            tested[i] = True
    if code_lines[-1] == "":
        tested[-1] = True
    counts = [0, 0, 0]
    for code, comment, test in zip(code_lines, comment_lines, tested):
        if not test:
            counts[0 if code.strip() else 1 if comment.strip() else 2] += 1
    return counts


def build_files(repo, folder):
    """The build script of a crate, which belongs to no module of it."""
    for path in sorted([*folder.glob("build.rs"), *folder.glob("build/*.rs")]):
        code, comments = mask(path.read_text())
        code, _, stretches = without_tests(code)
        yield File(path, str(path.relative_to(repo)), code, comments, stretches)


# --- report -------------------------------------------------------------------------------------------------------------------------


def is_enforced(limit, crate):
    return crate.name not in NOT_ENFORCED[limit].split()


class Findings:
    def __init__(self, show_all):
        self.show_all, self.failed = show_all, 0

    def add(self, enforced, text):
        if enforced:
            self.failed += 1
            print(f"FAILED {text}")
        elif self.show_all:
            print(f"       {text}")


def judge_circles(crate, findings, show_all):
    edges, largest = crate.imports(), 1
    out = CORES.get(crate.name, ())
    if out:
        kept = [name for name in edges if not any(f"/src/{part}" in f"/{name}" for part in out)]
        edges = {name: {to: at for to, at in edges[name].items() if to in kept} for name in kept}
    lines = {file.name: file for file in crate.files}
    for circle in circles(edges):
        largest = max(largest, len(circle))
        if len(circle) <= LARGEST_CIRCLE and not show_all:
            continue
        where = "core of " if out else ""
        enforced = len(circle) > LARGEST_CIRCLE and is_enforced("circles", crate)
        findings.add(enforced, f"{circle[0]}:1: circle of {len(circle)} files in {where}{crate.name}: {' '.join(short(name) for name in circle)}")
        if show_all or enforced:
            for name in circle:
                for to, at in sorted(edges[name].items()):
                    if to in circle:
                        findings.add(False, f"    {name}:{lines[name].line(at)}: imports {short(to)}")
    return largest


def short(name):
    return name.split("/src/", 1)[-1]


def judge(crate, findings, show_all):
    """Prints what breaks a limit; gives the largest circle and the number of pairs."""
    largest = judge_circles(crate, findings, show_all)
    found = [list(pairs(crate, visibility)) for visibility in (PUBLIC, WITHIN_CRATE)]
    for (enforced, word), functions in zip([(is_enforced("parameters", crate), "public"), (False, "pub(...)")], found):
        for file, at, name, kinds in functions:
            text = "; ".join(f"{', '.join(names)}: {kind}" for names, kind in kinds)
            findings.add(enforced, f"{file.name}:{file.line(at)}: {word} fn {name}({text}): parameters of one bare integer type")
    return largest, *map(len, found)


SAMPLE = {
    "lib.rs": "mod a; mod b; mod c; mod d; mod e; pub use e::Part;\n#[cfg(test)]\nmod tests { use crate::e::X; }\n",
    "a.rs": "//! A.\nuse crate::b::{self, Two};\npub struct One;\nimpl One {\n    pub fn send(from: u32, bytes: u64, to: u32) {}\n}\n",
    "b.rs": "use super::c::*;\npub struct Two; // use crate::e::X\n",
    "c.rs": 'pub fn three(text: &str) -> crate::d::Four { "use crate::e::X"; todo!() }\n',
    "d.rs": "pub struct Four(super::a::One);\nimpl crate::a::One {\n    fn f() { fn g() {} }\n}\n",
    "e.rs": "pub struct Part;\nimpl Part {\n    /* fn no() {} */\n    pub(crate) fn range(start: u8, end: u8) {}\n}\n",
}


def check_itself():
    """Measures a small crate of which everything is known."""
    with tempfile.TemporaryDirectory() as folder:
        crate = pathlib.Path(folder, "crates", "sample")
        (crate / "src").mkdir(parents=True)
        (crate / "Cargo.toml").write_text('[package]\nname = "sample"\n')
        for name, text in SAMPLE.items():
            (crate / "src" / name).write_text(text)
        sample = Crate(pathlib.Path(folder), crate)
        found = [(file.path.name, name, kinds) for visibility in (PUBLIC, WITHIN_CRATE) for file, _, name, kinds in pairs(sample, visibility)]
        lines = {file.path.name: count_lines(file) for file in sample.files}
        assert [[short(name) for name in circle] for circle in circles(sample.imports())] == [["a.rs", "b.rs", "c.rs", "d.rs"]]
        assert found == [("a.rs", "send", [(["from", "to"], "u32")])], found
        assert (lines["a.rs"], lines["lib.rs"], lines["e.rs"]) == ([5, 1, 0], [1, 0, 0], [4, 1, 0]), lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repo", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2], help="checkout to measure")
    parser.add_argument("--list", action="store_true", help="also show findings that are not enforced")
    parser.add_argument("--crate", action="append", default=[], help="only this crate (repeatable)")
    arguments = parser.parse_args()
    sys.setrecursionlimit(10000)
    check_itself()
    repo, findings, rows = arguments.repo.resolve(), Findings(arguments.list), []
    for folder in sorted((manifest.parent for manifest in (repo / "crates").rglob("Cargo.toml")), key=lambda folder: folder.name):
        if not arguments.crate or folder.name in arguments.crate:
            crate = Crate(repo, folder)
            largest, *found = judge(crate, findings, arguments.list)
            counts = [sum(column) for column in zip([0, 0, 0], *(count_lines(file) for file in [*crate.files, *build_files(repo, folder)]))]
            rows.append((folder.name, len(crate.files), largest, *found, *counts, sum(counts)))
    heads = ("crate", "files", "circle", "pairs", "inner", "code", "comments", "blank", "lines")
    total = ("all", sum(row[1] for row in rows), max(row[2] for row in rows), *(sum(row[i] for row in rows) for i in range(3, 9)))
    for row in [heads, *rows, total]:
        print(f"{row[0]:<12} {row[1]:>5} {row[2]:>7} {row[3]:>5} {row[4]:>5} {row[5]:>8} {row[6]:>9} {row[7]:>7} {row[8]:>8}")
    print(f"structure: {findings.failed} findings")
    sys.exit(1 if findings.failed else 0)


if __name__ == "__main__":
    main()
