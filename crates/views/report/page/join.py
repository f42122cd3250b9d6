#!/usr/bin/env python3
"""Joins the page into one file: puts the style sheet and the scripts that page.html names where it names them.

    join.py            writes bundle.html
    join.py --check    exits with 1 if bundle.html is not what page.html and its parts give

Nothing is compiled or shortened; the page works unjoined too, but for its data.
"""

import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
BUNDLE = HERE / "bundle.html"
STYLE = re.compile(r'<link rel="stylesheet" href="([\w.-]+)">\n')
SCRIPT = re.compile(r'(?:<script src="([\w./-]+)"></script>\n)+')
SOURCE = re.compile(r'src="([\w./-]+)"')


def joined():
    page = (HERE / "page.html").read_text()
    page = STYLE.sub(lambda match: f"<style>\n{(HERE / match[1]).read_text()}</style>\n", page)
    return SCRIPT.sub(lambda match: scripts(SOURCE.findall(match[0])), page)


def scripts(names):
    """One script of all files, in one scope."""
    parts = [(HERE / name).read_text() for name in names]
    return "<script>\n\"use strict\";\n(() => {\n" + "\n".join(parts) + "})();\n</script>\n"


def main():
    page = joined()
    if "--check" not in sys.argv[1:]:
        BUNDLE.write_text(page)
    elif not BUNDLE.exists() or BUNDLE.read_text() != page:
        sys.exit("bundle.html is not current: run crates/views/report/page/join.py")


if __name__ == "__main__":
    main()
