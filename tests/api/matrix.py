"""The tables of docs/operate/authorisation.md: who may do what, one table per service."""

from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "authorisation.md"


def read_table(service, kinds):
    """(method, path) to the cells of its line, by kind of credential."""
    section = PAGE.read_text().split(f"\n## {service.capitalize()}\n")[1].split("\n## ")[0]
    lines = [[cell.strip() for cell in line.strip().strip("|").split("|")]
             for line in section.splitlines() if line.startswith("|")]
    assert lines[0] == ["method", "route", *kinds]
    table = {}
    for line in lines[2:]:
        key = (line[0], line[1].strip("`"))
        assert key not in table, f"{key} stands there twice"
        table[key] = dict(zip(kinds, line[2:], strict=True))
    return table
