"""Feature flags over experiments, for the tests that set and evaluate them."""

from live_test import Experiment, design
from project_fixtures import expect

EVALUATE = "/ofrep/v1/evaluate/flags"
TRACK = "/ofrep/v1/track/flags"
VALUES = {
    "boolean": [False, True],
    "string": ["grün", "绿色"],
    "number": [1, 2.5],
    "object": [{"steps": 4}, {"steps": 2, "labels": ["ไทย", "عربي"], "more": {"deep": None}}],
}


def variants(kind="boolean", count=2):
    """Names and values of so many variations."""
    values = VALUES[kind] if count == 2 else [f"value {i}" for i in range(count)]
    return [{"name": ["control", "treatment", "third", "fourth"][i], "value": value} for i, value in enumerate(values)]


class Flag(Experiment):
    """An experiment with its flag switched on."""

    def __init__(self, client, kind="boolean", sent=None, **settings):
        super().__init__(client, sent or design())
        self.document = {"enabled": True, "value_type": kind, "variants": variants(kind), **settings}
        self.key = self.set()["key"]

    def set(self, **settings):
        self.document.update(settings)
        return expect(self.client.send("PUT", self.path("flag"), json=self.document))

    def ask(self, user=None, client=None, **attributes):
        context = attributes if user is None else {"targetingKey": user, **attributes}
        return (client or self.client).post(f"{EVALUATE}/{self.key}", {"context": context})

    def get(self, user, **attributes):
        return expect(self.ask(user, **attributes))

    def track(self, user, client=None, **members):
        return (client or self.client).post(f"{TRACK}/{self.key}", {"context": {"targetingKey": user}, **members})

    def arms(self):
        """Exposures by variation, the holdout included."""
        counts = expect(self.client.get(self.path("ingestion")))["exposure_counts"]
        return {entry["variation_index"]: entry["count"] for entry in counts}
