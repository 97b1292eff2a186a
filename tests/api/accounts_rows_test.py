"""What service_rows_test.py asks of every row of the other services, of accounts: read off its /openapi.json, with the
session of an administrator."""

import pytest

import service_rows_test as rows
from accounts_client import COOKIE, Browser, accounts_fixture, signed_in

accounts = accounts_fixture(ASSAY_SIGN_IN_FAILURES="1000", ASSAY_OAUTH_RATE_PER_MINUTE="100000",
                            ASSAY_OAUTH_CLIENTS_PER_NETWORK="100000")
BROKEN = ["{", "[1, 2]", "\ud83d".encode("utf-8", "surrogatepass"), '{"a": NaN}']


@pytest.fixture(autouse=True)
def session(accounts, monkeypatch):
    """Begun again when a row has ended it."""
    browser = Browser(accounts)

    def credentials(service):
        if browser.session is None or not browser.is_signed_in():
            browser.session = signed_in(service).session
        return {"Cookie": f"{COOKIE}={browser.session}", "Origin": browser.origin}
    monkeypatch.setattr(rows, "credentials", credentials)
    # Providers add parameters of their own to the way back (decision 30).
    monkeypatch.setattr(rows, "WITHOUT_QUERY", rows.WITHOUT_QUERY | {"oidc_callback", "oauth_server", "oauth_resource"})
    # Standards of OAuth have 400 for what is wrong, and let clients say more than is known here.
    programs = {"oauth_register", "oauth_token", "oauth_revoke"}
    monkeypatch.setattr(rows, "DIALECTS", rows.DIALECTS | programs)
    monkeypatch.setattr(rows, "OPEN_BODIES", rows.OPEN_BODIES | programs)


def test_strangers(accounts):
    rows.test_strangers(accounts)


@pytest.mark.parametrize("word", ["no-such-thing", "00000000-0000-4000-8000-000000000000", "%E2%82%AC"])
def test_unknown_ids_and_empty_bodies(accounts, word):
    rows.test_unknown_ids_and_empty_bodies(accounts, word)


@pytest.mark.parametrize("text", BROKEN, ids=["cut", "a list", "no text", "no number"])
def test_broken_bodies(accounts, text):
    rows.test_broken_bodies(accounts, text)


def test_unknown_query_parameters_are_refused(accounts):
    rows.test_unknown_query_parameters_are_refused(accounts)


def test_unknown_body_members_are_refused(accounts):
    rows.test_unknown_body_members_are_refused(accounts)


def test_every_field_wrong_in_turn(accounts):
    rows.test_every_field_wrong_in_turn(accounts)


def test_every_query_parameter_wrong_in_turn(accounts):
    rows.test_every_query_parameter_wrong_in_turn(accounts)


def test_other_methods_are_named_in_allow(accounts):
    rows.test_other_methods_are_named_in_allow(accounts)
