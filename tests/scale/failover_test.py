"""The server of the database dies and its standby is promoted: with synchronous replication nothing that was acknowledged
is lost, and the service finds the new server by itself, for its URL names both."""

import time

import requests

from hosts_test import order
from postgres import DATABASE, PASSWORD_IN_URL, USER, PostgresServer
from service import Service
from standby import Standby

WRITES = 50  # before the promotion, and after it
AWAY_SECONDS = 60  # for the service to find the promoted server
KEY = {"X-API-Key": "key-of-shop"}
SETTINGS = {"LIVE_API_KEYS": "key-of-shop:shop", "LIVE_RATE_LIMIT_RPM": "100000"}


def replicate(primary):
    """From now on a commit is acknowledged when both have it."""
    standby = Standby(primary).start()
    with open(primary.data / "postgresql.conf", "a", encoding="utf-8") as file:
        file.write("synchronous_standby_names = '*'\n")
    primary.sql("SELECT pg_reload_conf()", database="postgres")
    end = time.monotonic() + 60
    while primary.sql("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") != "1":
        assert time.monotonic() < end, primary.log()
        time.sleep(0.1)
    return standby


def write(service, number, seconds=0):
    """Under the same id until it is acknowledged."""
    event, end = order(9000 + number, number + 1), time.monotonic() + seconds
    while True:
        answer = requests.post(service.url + "/v1/events", json=event, headers=KEY, timeout=60)
        if answer.status_code == 200:
            return
        assert answer.status_code == 503, answer.text
        assert time.monotonic() < end, answer.text
        time.sleep(0.1)


def amount(service, number):
    answer = service.get(f"/v1/entity/order/ORD-20260404-{9000 + number}", headers=KEY)
    return answer.json()["data"]["total_amount"]


def test_a_promoted_standby_is_found_and_has_everything():
    with PostgresServer() as primary:
        standby = replicate(primary)
        try:
            url = f"postgresql://{USER}:{PASSWORD_IN_URL}@127.0.0.1:{primary.port},127.0.0.1:{standby.port}/{DATABASE}" \
                  "?target_session_attrs=read-write&connect_timeout=3"
            with Service("livedata", {**SETTINGS, "LIVE_DATABASE_URL": url}) as service:
                for number in range(WRITES):
                    write(service, number)
                primary.kill()
                standby.promote()
                began = time.monotonic()
                for number in range(WRITES, 2 * WRITES):
                    write(service, number, AWAY_SECONDS)
                    if number == WRITES:
                        print(f"failover: writes again {time.monotonic() - began:.1f} s after the promotion")
                assert [amount(service, number) for number in range(2 * WRITES)] == [number + 1 for number in range(2 * WRITES)]
        finally:
            standby.remove()
