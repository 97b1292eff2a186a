"""Statements over distributed tables are such that Citus takes them (sql/<service>/distribution names the tables).

Citus is not in the packages that the tests install, so what it refuses is looked for in the text. The rules are those of
its documentation: "SQL Support and Workarounds" (subqueries within INSERT, volatile functions in UPDATE, FOR UPDATE and
correlated subqueries over several shards), "Creating and Modifying Distributed Objects" (uniqueness only with the
distribution column, which cannot be changed), and what a run on Citus 12.1 refused.

  column    each distributed table of a statement is bound to the distribution column: the statement belongs to one node.
            Where a service says so in EVERYWHERE, a statement may go to all nodes if it takes no lock, and further
            tables are joined with the first by the distribution column
  insert    the distribution column is among the columns; no subquery in VALUES or in DO UPDATE
  update    the distribution column is not set; no function that gives another value with each call, nor in DELETE
  mixed     a copied table is not changed by what a distributed table holds; a table that is only on one node does not
            stand beside a distributed one, unless its rows are selected first (WITH ... AS MATERIALIZED)
  unique    the distribution column is part of the primary key and of every unique index of a distributed table"""

import re
import subprocess

from lint import Finding, line_of

# Statements that all nodes run, by name: upkeep by age, figures over everything, what looks for work.
EVERYWHERE = {
    "experiments": {"live_buckets_sum", "certificate_divided_users"},  # over the buckets of an experiment
    "livedata": {
        # figures over all tenants, for operators
        "usage_by_tenant", "session_tenants", "session_top_queries", "session_top_entities", "session_latency",
        "session_hours", "usage_key_day", "usage_key_old", "session_rate",
        # the journal of all tenants: streams, what other hosts have changed, positions without a row of the tenant
        "journal_after_all", "journal_last_seq", "journal_tenants", "generation_tenants", "generations_after",
        "generations_newest", "journal_row_of_any", "alert_changed",
        # upkeep by age, and comparing everything
        "oldest_api_sessions", "oldest_api_usage", "oldest_deleted_entities", "oldest_own_deleted", "oldest_own_counted",
        "oldest_series_points", "oldest_series_changes", "retention_sources", "own_events", "check_versions",
        "check_users", "check_orders", "check_products", "check_sessions",
        # whether there is anything at all
        "seed_any", "foreign_events_before", "foreign_events_after", "foreign_orders_before", "foreign_orders_after",
    },
}

# Files whose statements are run through scope_sql(), which puts a selection of one tenant in place of each table.
SCOPED = {"common/livedata/query/plan_sql.c", "common/livedata/sandbox/scope.c"}

LITERAL = re.compile(r'"((?:\\.|[^"\\])*)"')
STRINGS = re.compile(r'(?:"(?:\\.|[^"\\])*"\s*)+')
STATEMENT = re.compile(r"\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\s")
VOLATILE = re.compile(r"\{now\}|\{now_plus:|\{now_microseconds\}|clock_timestamp|random\(|nextval\(")
SELECTED_FIRST = re.compile(r"\bAS MATERIALIZED \((?:[^()]|\([^()]*\))*\)")
TABLE = r"\b(?:FROM|JOIN|INTO|UPDATE|,)\s+(?:ONLY\s+)?({names})\b(?!\.)(?:\s+(?:AS\s+)?(?!SET\b|WHERE\b|ON\b|CROSS\b|JOIN\b"
TABLE += r"|LEFT\b|VALUES\b|ORDER\b|GROUP\b|OFFSET\b|LIMIT\b|SELECT\b|USING\b)([a-z]\w*))?"


def distributions(tree):
    """{service: {table: column}}, the column "" for a copied table. Tables that a table names are made by programs."""
    found = {}
    for path in tree.files("sql/*/distribution"):
        tables = found.setdefault(path.split("/")[1], {})
        for line in tree.text(path).splitlines():
            words = line.split("#")[0].split()
            if words and words[0] != "named":
                tables[words[1]] = words[2] if words[0] == "distributed" else ""
    return found


def led_keys(tree, service):
    """{table: the column that is its key until it is distributed}."""
    lines = [line.split("#")[0].split() for line in tree.text(f"sql/{service}/distribution").splitlines()]
    return {words[1]: words[3] for words in lines if len(words) == 4 and words[0] == "distributed"}


def other_tables(tree, service, tables):
    """Those that stay on the node that the service talks to."""
    text = "".join(tree.text(path) for path in tree.files(f"sql/{service}/0*.sql"))
    text += "".join(tree.text(f"sql/{name}") for name in re.findall(r"-- include (\S+)", text))
    return [name for name in re.findall(r"CREATE TABLE (\w+)", text) if name not in tables]


def tables_of(sql, names):
    """(table, the name that stands for it) for each place where one of the tables stands."""
    pattern = TABLE.format(names="|".join(map(re.escape, sorted(names, key=len, reverse=True))))
    return [(match[1], match[2] or match[1]) for match in re.finditer(pattern, sql)]


def initializers(text):
    """The innermost {...} that hold statements: lists of (member or None, text)."""
    for match in re.finditer(r"\{([^{}\"]*(?:\"(?:\\.|[^\"\\])*\"[^{}\"]*)+)\}", text):
        members = []
        for strings in STRINGS.finditer(match[1]):
            member = re.search(r"\.(\w+)\s*=\s*$", match[1][: strings.start()])
            joined = "".join(LITERAL.findall(strings[0])).replace('\\"', '"').replace("\\\\", "\\")
            members.append((member[1] if member else None, joined))
        yield members


def statements(tree, path):
    """(name, SQL of the server) of each statement of a C file, macros put in."""
    done = subprocess.run(["gcc", "-E", "-P", "-I", f"{tree.root}/common", "-xc", str(tree.root / path)],
                          capture_output=True, text=True, check=False)
    own = done.stdout if done.returncode == 0 else tree.text(path)
    for members in initializers(own):
        engines = {member for member, text in members if STATEMENT.match(text)}
        name = next((text for member, text in members if member in ("name", None) and not STATEMENT.match(text)), "")
        for member, text in members:
            if STATEMENT.match(text) and member != "sqlite" and not (member == "sql" and "postgres" in engines):
                yield name, re.sub(r"\s+", " ", text)


def bound(sql, column, shown, alone):
    """Whether the table that `shown` stands for is held to one value of the column, in each of its `alone` places if no
    other table is there."""
    qualified = rf"\b{shown}\.{column} = |= {shown}\.{column}\b"
    return re.search(qualified, sql) or (alone and len(re.findall(rf"(?<![\w.]){column} = (?:\?|CAST)", sql)) >= alone)


def joined(sql, column, count):
    """Whether `count` tables are joined by the column."""
    return len(re.findall(rf"\b\w+\.{column} = \w+\.{column}\b", sql)) >= count - 1


def judge(name, sql, tables, everywhere, others=()):
    """What is wrong with a statement."""
    spread = {table: column for table, column in tables.items() if column}
    places = tables_of(sql, spread)
    copied = tables_of(sql, [table for table in tables if table not in spread] or ["-"])
    if not places:
        return
    into = re.match(r"\s*INSERT INTO (\w+) \(([^)]*)\)", sql)
    updated = re.match(r"\s*UPDATE (\w+)", sql)
    if into and re.search(r"VALUES \(.*\(\s*SELECT|DO UPDATE SET.*\(\s*SELECT", sql):
        yield "has a subquery within INSERT"
    if into and into[1] in spread and spread[into[1]] not in re.split(r",\s*", into[2]):
        yield f"inserts into {into[1]} without its column {spread[into[1]]}"
    if updated and updated[1] in spread:
        changed = sql.split(" WHERE ")[0]
        if re.search(rf"(?:SET|,) {spread[updated[1]]} = ", changed):
            yield f"sets the distribution column of {updated[1]}"
        if VOLATILE.search(sql):
            yield "calls a function in UPDATE that gives another value with each call"
    deleted = re.match(r"\s*DELETE FROM (\w+)", sql)
    if deleted and deleted[1] in spread and VOLATILE.search(sql):
        yield "calls a function in DELETE that gives another value with each call"
    if others and (beside := tables_of(SELECTED_FIRST.sub("", sql), others)):
        yield f"has {beside[0][0]} beside {places[0][0]}, which lies on other nodes"
    if (updated and updated[1] in dict(copied)) or (into and into[1] in dict(copied)):
        yield "changes a copied table by what a distributed one holds"
    if name in everywhere:
        if not joined(sql, spread[places[0][0]], len(places)) or "FOR UPDATE" in sql or "{for_update" in sql:
            yield "goes to all nodes with tables that are not joined by the column, or with a lock"
        return
    read = places[1:] if into and places[0][0] == into[1] else places
    if read and not any(re.search(rf"\b{spread[table]} = (?:\?|CAST\(\?)", sql) for table, _ in read):
        yield f"names no value for {spread[read[0][0]]} of {read[0][0]}"
        return
    for table, shown in read:
        alone = len(read) if len({place[1] for place in read}) == 1 else 0
        if not bound(sql, spread[table], shown, alone):
            yield f"is not held to one {spread[table]} of {table}"


def unique_keys(sql):
    """(table, columns) of all that is unique; an identity is its own key."""
    for table, body in re.findall(r"CREATE TABLE (\w+) \((.*?)\n\)", sql, re.S):
        for columns in re.findall(r"^\s*(?:PRIMARY KEY|UNIQUE) \(([^)]*)\)", body, re.M):
            yield table, columns
        for column in re.findall(r"^\s*(\w+) (?:\{identity\}|[^,\n]*(?:PRIMARY KEY|UNIQUE))", body, re.M):
            yield table, column
    for table, columns in re.findall(r"CREATE UNIQUE INDEX \w+\s+ON (\w+) \(([^)]*)\)", sql):
        yield table, columns


def migrated_keys(tree, service):
    """The unique keys after all migrations: {table: [(path, columns)]}; a replaced primary key is gone."""
    keys = {}
    for path in sorted(tree.files(f"sql/{service}/0*.sql")):
        text = re.sub(r"--[^\n]*", "", tree.text(path))
        for table in re.findall(r"ALTER TABLE (\w+) DROP CONSTRAINT \w+_pkey", text):
            keys[table] = [key for key in keys.get(table, []) if key[2]]
        for table, columns in unique_keys(text):
            keys.setdefault(table, []).append((path, columns, "UNIQUE INDEX" in text and columns in re.findall(
                rf"UNIQUE INDEX \w+\s+ON {table} \(([^)]*)\)", text)))
        for index in re.findall(r"DROP INDEX (\w+)", text):
            for table in keys:
                keys[table] = [key for key in keys[table] if not re.search(
                    rf"UNIQUE INDEX {index}\s+ON {table} \({re.escape(key[1])}\)", tree.text(key[0]))]
    return keys


def check(tree):
    for service, tables in distributions(tree).items():
        others, led = other_tables(tree, service, tables), led_keys(tree, service)
        for path in tree.files(f"common/{service}/*.c"):
            if path in SCOPED or not any(table in tree.text(path) for table in tables):
                continue
            for name, sql in statements(tree, path):
                for wrong in judge(name, sql, tables, EVERYWHERE.get(service, ()), others):
                    line = line_of(tree.text(path), max(tree.text(path).find(f'"{name}"'), 0))
                    yield Finding(path, line, f"{name} {wrong}")
        for table, keys in migrated_keys(tree, service).items():
            for path, columns, _ in keys:
                if tables.get(table) and tables[table] not in re.split(r",\s*", columns) and led.get(table) != columns:
                    yield Finding(path, 1, f"{table} is unique by ({columns}) without {tables[table]}")


LAYOUT = {"sql/a/distribution": "reference owners\ndistributed pets owner # of a household\ndistributed toys owner\n"}


def statement(sql, name="one", service="a"):
    layout = {path.replace("/a/", f"/{service}/"): text for path, text in LAYOUT.items()}
    return {**layout, f"common/{service}/a.c": f'static const struct statement s = {{\n    .name = "{name}", .sql = "{sql}"}};\n'}


BAD = [
    (statement("SELECT name FROM pets WHERE name = ?"), "a.c:2: one names no value for owner of pets"),
    (statement("SELECT o.id FROM owners o WHERE (SELECT count(*) FROM pets p WHERE p.owner = o.id) > ?"),
     "names no value for owner"),
    (statement("SELECT p.name FROM pets p JOIN toys t ON t.name = p.name WHERE p.owner = ?"), "owner of toys"),
    (statement("INSERT INTO pets (owner, name) VALUES (?, (SELECT max(name) FROM toys WHERE owner = ?))"),
     "has a subquery within INSERT"),
    (statement("INSERT INTO pets (name) VALUES (?)"), "inserts into pets without its column owner"),
    (statement("UPDATE pets SET owner = ? WHERE owner = ?"), "sets the distribution column"),
    (statement("DELETE FROM pets WHERE owner = ? AND at < {now_microseconds}"), "function in DELETE"),
    (statement("SELECT count(*) FROM pets WHERE owner = ? AND NOT EXISTS (SELECT 1 FROM pets WHERE name = ?)"),
     "is not held to one owner of pets"),
    (statement("SELECT p.name FROM pets p JOIN toys t ON t.name = p.name", "usage_by_tenant", "livedata"),
     "goes to all nodes with tables that are not joined"),
    ({**statement("SELECT p.name FROM pets p LEFT JOIN shops s ON s.name = p.name WHERE p.owner = ?"),
      "sql/a/0001_a.sql": "CREATE TABLE shops (name {text});\n"}, "has shops beside pets"),
    (statement("UPDATE pets SET at = {now} WHERE owner = ?"), "gives another value with each call"),
    (statement("UPDATE owners SET pets = (SELECT count(*) FROM pets p WHERE p.owner = owners.id)"),
     "changes a copied table"),
    ({**LAYOUT, "common/a/a.c": '#define T "toys WHERE name = ?"\nstruct s s = {"one", "DELETE FROM " T};\n'},
     "a.c:2: one names no value"),
    ({**LAYOUT, "sql/a/0001_a.sql": "CREATE TABLE pets (\n    id {identity},\n    owner {text}\n) {strict};\n"},
     "pets is unique by (id) without owner"),
    ({"sql/a/distribution": "distributed pets owner id\n",
      "sql/a/0001_a.sql": "CREATE TABLE pets (\n    id {identity},\n    name {text} UNIQUE\n) {strict};\n"},
     "pets is unique by (name) without owner"),
    ({**LAYOUT, "sql/a/0001_a.sql": "CREATE UNIQUE INDEX i ON pets (name);\n"}, "unique by (name) without owner"),
]

GOOD = [
    statement("SELECT name FROM pets WHERE owner = ? AND name = ?"),
    statement("SELECT p.name FROM pets p JOIN toys t ON t.owner = p.owner WHERE p.owner = ?"),
    statement("SELECT name FROM owners WHERE id = ?"),
    statement("INSERT INTO pets (owner, name) SELECT CAST(? AS BIGINT), n FROM unnest(?) AS n ON CONFLICT DO NOTHING"),
    {**LAYOUT, "common/a/a.c": 'struct s s = {.name = "one", .sql = "DELETE FROM toys",\n'
                               '    .postgres = "DELETE FROM toys WHERE owner = ?"};\n'},
    {**LAYOUT, "sql/a/0001_a.sql": "CREATE TABLE pets (\n    id {identity},\n    owner {text}\n) {strict};\n",
     "sql/a/0002_b.sql": "ALTER TABLE pets DROP CONSTRAINT pets_pkey, ADD PRIMARY KEY (owner, id);\n"},
    {"sql/a/distribution": "distributed pets owner id\nnamed lists owner name\n",
     "sql/a/0001_a.sql": "CREATE TABLE pets (\n    id {identity},\n    owner {text}\n) {strict};\n"},
    {**statement("WITH open AS MATERIALIZED (SELECT name FROM shops WHERE at > (? + 1)) SELECT p.name FROM open"
                 " JOIN pets p ON p.name = open.name WHERE p.owner = ?"),
     "sql/a/0001_a.sql": "CREATE TABLE shops (name {text});\n"},
    statement("SELECT p.owner, count(*) FROM pets p JOIN toys t ON t.owner = p.owner GROUP BY p.owner", "usage_by_tenant",
              "livedata"),
]
