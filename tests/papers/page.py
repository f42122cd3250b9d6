"""The tables of a paper: a command prints them, and with --write puts them into the paper's page, between the marks
`<!-- table NAME -->` and `<!-- end of table -->`."""

import argparse
import pathlib
import sys

BEGIN, END = "<!-- table {} -->\n", "<!-- end of table -->"


class Page:
    """The tables of one run. `document`: the page to put them into, or None."""

    def __init__(self, document=None):
        self.document = document
        self.tables = {}

    def table(self, name, head, rows, title=""):
        """Prints a table, row by row as they are made."""
        lines = ["| " + " | ".join(map(str, head)) + " |", "|---|" + "---:|" * (len(head) - 1)]
        print("\n" + title + "\n\n" * bool(title) + "\n".join(lines), flush=True)
        for row in rows:
            lines.append("| " + " | ".join(map(str, row)) + " |")
            print(lines[-1], flush=True)
        self.tables[name] = "\n".join(lines) + "\n"

    def write(self):
        """Replaces the tables of the page that this run has made. A table without a place is an error."""
        if self.document is None:
            return
        text = self.document.read_text()
        for name, table in self.tables.items():
            before, mark, rest = text.partition(BEGIN.format(name))
            if not mark or END not in rest:
                sys.exit(f"{self.document} has no place for the table {name}: write `{BEGIN.format(name).strip()}` and `{END}`")
            text = before + mark + table + END + rest.partition(END)[2]
        self.document.write_text(text)


def parser(description):
    """The options that all papers have."""
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
    made.add_argument("--small", action="store_true", help="a case of each table that takes seconds, without the statements that need more")
    made.add_argument("--write", type=pathlib.Path, metavar="DOC", help="put the tables into the paper's page")
    return made
