"""The statistics of the planner are refreshed by the clock, in the database of every service, on both engines."""

import pytest

from wait import wait_for
from service import DATABASE_SETTINGS, ENGINES, Servers, Service

pytestmark = pytest.mark.both_engines

INTERVALS = {"DB_ANALYZE_INTERVAL_SEC": "1", "ORCH_DB_ANALYZE_SECONDS": "1", "LIVE_ANALYZE_SECONDS": "1"}
SETTINGS = {**INTERVALS, "LIVE_AUTH_DISABLED": "true", "LIVE_SEED_ON_BOOT": "true"}
SERVICES = ("livedata", "support", "orchestrator", "experiments")


@pytest.mark.parametrize("engine", ENGINES)
def test_every_database_is_analyzed_by_the_clock(engine):
    databases = {}
    if engine == "postgres":
        databases = {DATABASE_SETTINGS[name]: Servers.new_database() for name in SERVICES[1:]}
    with Service("livedata", {**SETTINGS, **databases, "ORCH_STORAGE_BACKEND": engine}, engine, SERVICES) as service:
        # Without a change nothing is to be done on PostgreSQL; the upkeep of experiments comes once in ten minutes.
        for name in SERVICES if engine == "sqlite" else SERVICES[:-1]:
            def analyzed(one=service.beside(name)):
                if engine == "sqlite":
                    return one.sql("SELECT count(*) FROM sqlite_master WHERE name = 'sqlite_stat1'") == [["1"]]
                return int(one.sql("SELECT count(*) FROM pg_stat_user_tables WHERE last_analyze IS NOT NULL")[0][0]) > 0
            wait_for(analyzed)
