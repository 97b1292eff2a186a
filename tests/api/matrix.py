"""The tables of docs/operate/authorisation.md: what each class of callers says to each kind of credential, and the class of
each route."""

from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "operate" / "authorisation.md"


def rows_of(text, first):
    """The cells of the lines of the table that begins with the column `first`, its head included."""
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(f"| {first} |"))
    end = next(i for i, line in enumerate([*lines[start:], ""]) if not line.startswith("|"))
    table = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines[start:start + end]]
    return [table[0], *table[2:]]


def read_table(service, kinds, first="class"):
    """(method, path) to the cells of its class, by kind of credential; of the table that begins with the column
    `first`."""
    section = PAGE.read_text().split(f"\n## {service.capitalize()}\n")[1].split("\n## ")[0]
    head, *classes = rows_of(section.split("<!-- routes")[0], first)
    assert head[1:] == list(kinds)
    cells = {line[0]: dict(zip(kinds, line[1:], strict=True)) for line in classes}
    table, used = {}, set()
    for method, path, name in rows_of(section.split("<!-- routes")[1], "method")[1:]:
        key = (method, path.strip("`"))
        assert key not in table, f"{key} stands there twice"
        table[key] = cells[name]
        used.add(name)
    assert used == set(cells), f"classes without a route: {set(cells) - used}"
    return table
