"""Evaluates flags with the OpenFeature SDK for Python and its provider for remote evaluation, and prints what they made of
it as JSON. tests/api/ofrep_clients_test.py says what that has to be."""

import json
import os

from openfeature import api
from openfeature.contrib.provider.ofrep import OFREPProvider
from openfeature.evaluation_context import EvaluationContext

URL, KEYS = os.environ["FLAGS_URL"], json.loads(os.environ["FLAGS_KEYS"])


def client(token, domain):
    provider = OFREPProvider(URL, headers_factory=lambda: {"Authorization": f"Bearer {token}"})
    api.set_provider(provider, domain)
    return api.get_client(domain)


def shown(details):
    return {"value": details.value, "variant": details.variant, "reason": details.reason,
            "error": details.error_code and details.error_code.value, "metadata": dict(details.flag_metadata)}


writer = client(os.environ["FLAGS_TOKEN"], "writer")
user = EvaluationContext("forced", {"country": "DE", "age": 30, "beta": True})
told = {
    "boolean": shown(writer.get_boolean_details(KEYS["boolean"], False, user)),
    "string": shown(writer.get_string_details(KEYS["string"], "", user)),
    "integer": shown(writer.get_integer_details(KEYS["integer"], 0, user)),
    "float": shown(writer.get_float_details(KEYS["float"], 0.5, user)),
    "object": shown(writer.get_object_details(KEYS["object"], {}, user)),
    "split": shown(writer.get_string_details(KEYS["split"], "", EvaluationContext("python-user"))),
    "targeted": shown(writer.get_string_details(KEYS["targeted"], "", EvaluationContext("python-user", {"country": "DE"}))),
    "outside": shown(writer.get_string_details(KEYS["targeted"], "", EvaluationContext("python-other", {"country": "FR"}))),
    "off": shown(writer.get_boolean_details(KEYS["off"], True, user)),
    "fixed": shown(writer.get_boolean_details(KEYS["fixed"], False)),
    "wrong type": shown(writer.get_boolean_details(KEYS["string"], True, user)),
    "unknown": shown(writer.get_boolean_details("no-such-flag", True, user)),
    "nobody": shown(writer.get_string_details(KEYS["split"], "mine", EvaluationContext(None, {"country": "DE"}))),
    "unauthorized": shown(client("no-such-token", "nobody").get_boolean_details(KEYS["boolean"], True, user)),
}
limited = client(os.environ["FLAGS_LIMITED"], "limited")
told["limited"] = [shown(limited.get_string_details(KEYS["split"], "mine", EvaluationContext("python-limited"))) for _ in range(4)]
told["limited"] = [[entry["value"] == "mine", entry["error"]] for entry in told["limited"]]
print(json.dumps(told))
