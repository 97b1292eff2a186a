"""Stacks over either engine, their databases, and documents to store; for tests of what is stored.

SQLite stacks have a file of their own, PostgreSQL stacks a database of their own on one throw-away
server that is started when first needed. The fixtures are in store_fixtures.py.
"""

import copy
import itertools
import json
import random
import sqlite3
import subprocess
import sys
import uuid
from datetime import datetime, timezone
from pathlib import Path

from client import Client, Record
from conftest import OPEN, TOKENS
from openapi import Document
from stack import Stack

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "db"))
from postgres import PROGRAMS, PostgresServer  # noqa: E402  (found by the line above)

CLOSED = {**OPEN, **TOKENS}
WRITE, READ, ADMIN = TOKENS["AB_API_TOKEN"], TOKENS["AB_READONLY_API_TOKEN"], TOKENS["AB_ADMIN_TOKEN"]
PROJECTS = "/api/v1/projects"


class Server:
    """The PostgreSQL server of the session, started when first asked for."""

    def __init__(self):
        self.running = None
        self.numbers = itertools.count(1)

    def get(self):
        if self.running is None:
            self.running = PostgresServer().start()
        return self.running

    def remove(self):
        if self.running is not None:
            self.running.remove()

    def new_database(self):
        name = f"test{next(self.numbers)}"
        self.get().create_database(name)
        return name


SERVER = Server()


class Database:
    """One database, looked at past the service."""

    def __init__(self, engine, directory=None, server=None, name=None):
        self.engine = engine
        self.server = server or (SERVER.get() if engine == "postgres" else None)
        self.name = name or (SERVER.new_database() if engine == "postgres" else None)
        self.path = None if directory is None else Path(directory, "data", "projects.sqlite3")

    @property
    def settings(self):
        """What a stack, or a program, has to be told to use it."""
        return {"AB_DATABASE_URL": self.server.url(self.name)} if self.engine == "postgres" else {}

    def connect(self):
        connection = sqlite3.connect(self.path, timeout=30, isolation_level=None)
        connection.execute("PRAGMA foreign_keys = ON")
        return connection

    def run(self, script):
        """Statements without values, in one transaction; what they print."""
        if self.engine == "postgres":
            return self.psql(script, "--single-transaction")
        connection = self.connect()
        try:
            connection.executescript(f"BEGIN IMMEDIATE;\n{script};\nCOMMIT;")
        finally:
            connection.close()
        return None

    def psql(self, script, *options):
        done = subprocess.run(
            [PROGRAMS / "psql", self.server.url(self.name), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", *options],
            input=script, env={"LC_ALL": "C.UTF-8"}, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout.strip()

    def rows(self, query):
        """Rows of a query as dictionaries."""
        if self.engine == "postgres":
            return json.loads(self.run(f"SELECT coalesce(json_agg(found), '[]') FROM ({query}) AS found"))
        connection = self.connect()
        connection.row_factory = sqlite3.Row
        try:
            return [dict(row) for row in connection.execute(query)]
        finally:
            connection.close()

    def value(self, query):
        """The single value of a query."""
        (row,) = self.rows(query)
        (value,) = row.values()
        return value

    def explain(self, query, values=()):
        """The plan as text. Values stand in the query as `?`."""
        if self.engine == "sqlite":
            connection = self.connect()
            try:
                return "\n".join(row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {query}", values))
            finally:
                connection.close()
        pieces = query.split("?")
        quoted = [literal(value) for value in values]
        return self.run("EXPLAIN " + "".join(a + b for a, b in zip(pieces, [*quoted, ""])))


def literal(value):
    if value is None:
        return "NULL"
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value)


class StoredDocument(Document):
    """Shares of traffic are numbers that are stored as they were sent: 50 stays 50, 33.3 stays 33.3.
    The export of the audit log is a file."""

    def media_types(self, operation, status):
        is_file = operation.path == "/api/v1/audit/export" and status == 200
        return {"text/csv"} if is_file else super().media_types(operation, status)

    def mistyped_numbers(self, schema, value, where=""):
        return [complaint for complaint in super().mistyped_numbers(schema, value, where)
                if "traffic_split/" not in complaint]


# Of families that store nothing. They would be half of the processes of a stack, and starts are much of what these
# tests cost.
FEW_WORKERS = {f"ASSAY_WORKERS_EXPERIMENTS_{family}": 2 for family in ("ADVICE", "CHAT", "COMPUTE")}


class Store:
    """A running stack on one engine, a client of it, and its database."""

    def __init__(self, engine, environment=None, database=None, directory=None):
        self.engine = engine
        self.stack = Stack()
        self.stack.prepare(directory=directory)
        self.database = database or Database(engine, self.stack.directory)
        environment = {**FEW_WORKERS, **self.database.settings, **(environment or OPEN)}
        self.stack.env.update({name: str(value) for name, value in environment.items()})
        self.record = Record(secrets={v for n, v in environment.items() if n.endswith("_TOKEN")})
        self.client = None

    def start(self):
        done = self.stack.run("start")
        if done.returncode != 0:
            try:
                raise RuntimeError(f"stack start: {done.stdout}{done.stderr}")
            finally:
                self.stack.close()
        document = StoredDocument(Client(self.stack).get("/openapi.json").json())
        self.client = Client(self.stack, document, self.record)
        return self

    def stop(self):
        done = self.stack.stop()
        assert done.returncode == 0 and not self.stack.processes(), done.stderr

    def close(self):
        try:
            self.stop()
        finally:
            self.stack.close()

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.close()

    def as_token(self, token):
        return self.client.with_token(token)

    @property
    def write(self):
        return self.as_token(WRITE)

    @property
    def read(self):
        return self.as_token(READ)

    @property
    def admin(self):
        return self.as_token(ADMIN)

    def program_environment(self):
        """What a program of cron-bin/ has to know to find the database of the stack."""
        return {"ASSAY_SQL_DIR": str(Path(__file__).resolve().parents[2] / "sql"), "PATH": "/usr/bin:/bin",
                **{k: v for k, v in self.stack.env.items() if k.startswith("AB_")}}

    def program(self, name, *arguments, seconds=120, **environment):
        """Runs a program of cron-bin/ on the database of the stack."""
        settings = {**self.program_environment(), **environment}
        return subprocess.run([self.stack.build / "cron-bin" / name, *arguments], cwd=self.stack.directory, text=True,
                              env=settings, capture_output=True, timeout=seconds, check=False)


class Stores:
    """Stacks of one module by engine and environment."""

    def __init__(self):
        self.started = {}

    def get(self, engine, environment=None):
        environment = environment or OPEN
        key = (engine, tuple(sorted(map(str, environment.items()))))
        if key not in self.started:
            self.started[key] = self.new(engine, environment).start()
        return self.started[key]

    def new(self, engine, environment=None, **options):
        """One that is not shared; whoever asks closes it."""
        return Store(engine, environment, **options)

    def close(self):
        problems = []
        for store in self.started.values():
            try:
                store.close()
            except AssertionError as problem:
                problems.append(str(problem))
        self.started.clear()
        assert not problems, problems


PAYLOAD = {
    "project": {"project_name": "Checkout", "domain": "e-commerce", "product_type": "web shop", "platform": "web",
                "market": "DE", "project_description": "Fewer steps"},
    "hypothesis": {"change_description": "Two steps instead of four", "target_audience": "New visitors",
                   "business_problem": "Abandoned carts", "hypothesis_statement": "Fewer steps, more orders",
                   "what_to_validate": "Conversion", "desired_result": "More orders"},
    "setup": {"experiment_type": "ab", "randomization_unit": "user", "traffic_split": [50, 50],
              "expected_daily_traffic": 12000, "audience_share_in_test": 0.6, "variants_count": 2,
              "inclusion_criteria": "", "exclusion_criteria": "Staff"},
    "metrics": {"primary_metric_name": "purchase_conversion", "metric_type": "binary", "baseline_value": 0.042,
                "mde_pct": 5, "alpha": 0.05, "power": 0.8},
    "constraints": {"seasonality_present": True, "active_campaigns_present": False, "returning_users_present": True,
                    "interference_risk": "medium", "technical_constraints": "", "legal_or_ethics_constraints": "",
                    "known_risks": "", "deadline_pressure": "low", "long_test_possible": True},
}
# What is stored where the payload is silent.
DEFAULTS = {
    "project": {}, "hypothesis": {},
    "setup": {"avg_cluster_size": None, "icc": None, "namespace": None, "targeting_rules": []},
    "metrics": {"expected_uplift_pct": None, "exposure_per_user": None, "planned_test": None,
                "equivalence_margin_pct": None, "std_dev": None, "cuped_pre_experiment_std": None,
                "cuped_correlation": None, "numerator_metric_name": None, "denominator_metric_name": None,
                "secondary_metrics": [], "guardrail_metrics": [], "direction": "increase",
                "conversion_window": "all", "conversion_window_days": None},
    "constraints": {"n_looks": 1, "analysis_mode": "frequentist", "desired_precision": None, "credibility": 0.95,
                    "holdout_fraction": None, "mutually_exclusive_experiments": None},
    "additional_context": {"llm_context": "", "observed_results": None},
}
METRICS = {
    "binary": {},
    "continuous": {"baseline_value": 45.0, "std_dev": 12.0},
    "ratio": {"baseline_value": 0.05, "std_dev": 0.09, "numerator_metric_name": "clicks",
              "denominator_metric_name": "views"},
    "count": {"baseline_value": 3.5},
}


def payload(name=None, metric_type="binary", **blocks):
    """A payload, its blocks changed by the members given for them."""
    made = copy.deepcopy(PAYLOAD)
    if name is not None:
        made["project"]["project_name"] = name
    made["metrics"].update(metric_type=metric_type, **METRICS[metric_type])
    for block, members in blocks.items():
        made.setdefault(block, {}).update(members)
    return made


def stored_form(sent):
    """The payload as it is stored."""
    return {block: {**copy.deepcopy(defaults), **sent.get(block, {})} for block, defaults in DEFAULTS.items()}


def analysis(days=17, n=1200, warnings=(), advice=True, metric_type="binary"):
    """An analysis as a client would save it."""
    return {
        "calculations": {
            "calculation_summary": {
                "metric_type": metric_type, "baseline_value": 0.042, "mde_pct": 5.0, "mde_absolute": 0.0021,
                "alpha": 0.05, "power": 0.8, "planned_test": "z_test", "equivalence_margin_pct": None,
                "equivalence_margin_absolute": None},
            "results": {
                "sample_size_per_variant": n, "total_sample_size": 2 * n, "effective_daily_traffic": 7200.0,
                "estimated_duration_days": days, "holdout_fraction": None, "mutually_exclusive_experiments": None,
                "allocated_daily_traffic": None},
            "assumptions": ["Independent users"],
            "warnings": [{"code": code, "severity": "medium", "message": code.lower(), "source": "rules_engine"}
                         for code in warnings],
            "bonferroni_note": None, "design_effect": None, "avg_cluster_size": None, "icc": None,
            "clusters_per_variant": None, "bayesian_sample_size_per_variant": None,
            "sequential_adjusted_sample_size": None, "cuped_sample_size_per_variant": None,
            "bayesian_credibility": None, "sequential_inflation_factor": None, "cuped_std": None,
            "cuped_variance_reduction_pct": None, "cuped_duration_days": None, "cuped_theta": None,
            "bayesian_note": None, "sequential_boundaries": None},
        "report": {
            "executive_summary": "Worth doing", "calculations": {
                "sample_size_per_variant": n, "total_sample_size": 2 * n, "estimated_duration_days": days,
                "assumptions": ["Independent users"], "design_effect": None, "clusters_per_variant": None},
            "experiment_design": {
                "variants": [{"name": "A", "description": "As it is"}, {"name": "B", "description": "Two steps"}],
                "randomization_unit": "user", "traffic_split": [50, 50], "target_audience": "New visitors",
                "inclusion_criteria": "", "exclusion_criteria": "Staff", "recommended_duration_days": days,
                "stopping_conditions": ["Planned duration reached"]},
            "metrics_plan": {"primary": ["purchase_conversion"], "secondary": [], "guardrail": [], "diagnostic": []},
            "guardrail_metrics": [],
            "risks": {"statistical": ["Novelty"], "product": [], "technical": [], "operational": []},
            "recommendations": {"before_launch": ["Check the split"], "during_test": [], "after_test": []},
            "open_questions": ["Mobile too?"]},
        "advice": {"available": advice, "provider": "local_orchestrator" if advice else "none", "model": "offline",
                   "advice": None, "raw_text": None, "error": None, "error_code": None},
    }


def create(client, sent=None, **options):
    """Saves a payload; the project's record."""
    answer = client.post(PROJECTS, sent or payload(), **options)
    assert answer.status == 200, str(answer)
    return answer.json()


def expect(answer, status=200, code=None):
    """The body of an answer that has this status and code."""
    assert (answer.status, answer.error_code) == (status, code), str(answer)
    return answer.json()


def now():
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f+00:00")


def unknown_id():
    return str(uuid.UUID(int=random.getrandbits(128), version=4))


# What the log is counted by: the name of a dimension, its value of a row, the rows that have one.
DIMENSIONS = (("action", "action", "1 = 1"), ("key", "coalesce(key_id, '')", "1 = 1"),
              ("project", "coalesce(project_id, '')", "1 = 1"), ("key action", "key_id || ' ' || action", "key_id IS NOT NULL"))


def count_anew(spread=False):
    """A script that makes the counting table of the log from the log; in one shard, or in several."""
    return ";\n".join(["DELETE FROM audit_totals", *(
        f"INSERT INTO audit_totals (dimension, value, shard, entries) SELECT '{dimension}', {value}, {number * spread},"
        f" count(*) FROM audit_log WHERE {which} GROUP BY 2" for number, (dimension, value, which) in enumerate(DIMENSIONS))])


def check_totals(store):
    """Every counting table, and what a project counts of its history, against what is there."""
    for table, column in (("analysis_runs", "analysis_run_count"), ("export_events", "export_event_count")):
        broken = store.database.rows(f"""
            SELECT id, {column}, found, highest FROM (
                SELECT projects.id, {column}, (SELECT count(*) FROM {table} WHERE project_id = projects.id) AS found,
                    (SELECT coalesce(max(number), 0) FROM {table} WHERE project_id = projects.id) AS highest
                FROM projects) AS checked
            WHERE {column} <> found OR highest <> found""")
        assert not broken, f"miscounted {table}: {broken}"
    told = store.database.rows("SELECT archived, metric_type, sum(projects) AS n FROM project_totals"
                               " GROUP BY archived, metric_type HAVING sum(projects) <> 0")
    counted = store.database.rows("SELECT archived, metric_type, count(*) AS n FROM projects GROUP BY archived, metric_type")
    told, counted = ({(r["archived"], r["metric_type"]): int(r["n"]) for r in rows} for rows in (told, counted))
    assert told == counted, f"project_totals: {told}, projects: {counted}"
    for dimension, value, which in DIMENSIONS:
        told = store.database.rows(f"SELECT value, sum(entries) AS n FROM audit_totals WHERE dimension = '{dimension}'"
                                   " GROUP BY value HAVING sum(entries) <> 0")
        counted = store.database.rows(f"SELECT {value} AS value, count(*) AS n FROM audit_log WHERE {which} GROUP BY 1")
        told, counted = ({r["value"]: int(r["n"]) for r in rows} for rows in (told, counted))
        assert told == counted, f"audit_totals of {dimension}: {told}, audit_log: {counted}"


def check_whole(store):
    """Nothing is half there: every project with its revisions, runs and audit entries, and all counts."""
    broken = store.database.rows("""
        SELECT id, revision_count, found, highest, last_revision_at, newest, told_create, told_update FROM (
            SELECT projects.id, revision_count, last_revision_at,
                (SELECT count(*) FROM project_revisions WHERE project_id = projects.id) AS found,
                (SELECT max(number) FROM project_revisions WHERE project_id = projects.id) AS highest,
                (SELECT max(created_at) FROM project_revisions WHERE project_id = projects.id) AS newest,
                (SELECT count(*) FROM audit_log WHERE project_id = projects.id AND action = 'project.create') AS told_create,
                (SELECT count(*) FROM audit_log WHERE project_id = projects.id AND action = 'project.update') AS told_update
            FROM projects) AS checked
        WHERE revision_count <> found OR highest <> found OR last_revision_at <> newest OR told_create <> 1
            OR told_update <> found - 1""")
    assert not broken, f"half-written: {broken}"
    lost = store.database.rows("""
        SELECT id FROM projects WHERE last_analysis_run_id IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM analysis_runs WHERE analysis_runs.id = projects.last_analysis_run_id)""")
    assert not lost, f"projects whose newest run is missing: {lost}"
    orphans = store.database.rows("""
        SELECT project_id FROM audit_log WHERE action = 'project.create'
            AND NOT EXISTS (SELECT 1 FROM projects WHERE projects.id = audit_log.project_id)
            AND NOT EXISTS (SELECT 1 FROM audit_log AS later
                            WHERE later.project_id = audit_log.project_id AND later.action = 'project.delete')""")
    assert not orphans, f"told of, but not there: {orphans}"
    check_totals(store)
    if store.engine == "sqlite":
        assert store.database.value("PRAGMA integrity_check") == "ok"
        assert store.database.rows("PRAGMA foreign_key_check") == []


def path_of(project, *rest):
    return "/".join([PROJECTS, project["id"] if isinstance(project, dict) else project, *rest])


def put(client, project, sent, **options):
    return client.send("PUT", path_of(project), json=sent, **options)


def revisions_of(client, project, query=""):
    return expect(client.get(path_of(project, "revisions") + query))


def history_of(client, project, query=""):
    return expect(client.get(path_of(project, "history") + query))


def changed(location, value, base=None):
    """A payload with one member replaced; numbers in the location are indices."""
    made = copy.deepcopy(base or payload())
    holder = made
    for step in location[:-1]:
        holder = holder[step] if isinstance(step, int) else holder.setdefault(step, {})
    holder[location[-1]] = value
    return made
