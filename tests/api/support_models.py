"""What tests of language models in support share: a server that plays every node's part, the operator's registry, and
questions with their traces."""

import json

from model_server import ModelServer

KEY = "support-test-key-1"
HEADERS = {"X-API-Key": KEY}
WARRANTY = "# Warranty\n\nThe warranty period is 24 months from the day of purchase.\n"
QUESTION = "How long is the warranty period?"
WRITTEN = "The warranty period lasts 24 months [1] [7]."
VERIFIER = "For each numbered claim"
KEPT = "The warranty period lasts 24 months [1]."
PROTOCOLS = ("openai", "anthropic", "mistral", "ollama")


class Models(ModelServer):
    """Plays every node's part; `answers` holds rules for the one that writes the answer."""

    PARTS = (("Judge an answer", "text:95"), ("List the statements", "text:- The warranty lasts 24 months."),
             ("For each numbered claim", "text:1. SUPPORTED: 24 months"),
             ("Suggest three", "text:1. What is covered?\n2. Who pays?"),
             ("Turn a customer's question", "text:warranty period months"),
             ("Write the customer's last question", "text:warranty period months"),
             ("A search for this question", "text:warranty duration"))

    def rule_for(self, body, prompt):
        system = body.get("system") or body["messages"][0]["content"]
        for beginning, rule in self.PARTS:
            if system.startswith(beginning):
                with self.lock:
                    rule = self.answers.get(beginning, rule)
                    return rule.pop(0) if isinstance(rule, list) else rule  # a list: one for each call
        return self.rule_of(body["model"], prompt)


class Registry:
    """The operator's file; each writing has a provider of a new name, so that no breaker remembers it."""

    count = 0

    def __init__(self, path, models):
        self.path, self.models = path, models

    def write(self, *protocols, rule="text:" + WRITTEN, prices=(0, 0), kind="local", fallback=None, limits=None):
        Registry.count += 1
        self.models.reset()
        names = [f"{protocol}-{Registry.count}" for protocol in protocols]
        for name in names:
            self.models.answers[name] = rule
        base = {protocol: self.models.url + ("/v1" if protocol in ("openai", "mistral") else "")
                for protocol in PROTOCOLS}
        providers = [{"id": name, "kind": kind, "protocol": protocol, "base_url": base[protocol],
                      "api_key_env": "LLM_CHAT_API_KEY", "default_models": {"fast": name, "strong": name},
                      "rate_limits": limits or {},
                      "models": [{"name": name, "input_price_per_1m_tokens": prices[0],
                                  "output_price_per_1m_tokens": prices[1]}]}
                     for name, protocol in zip(names, protocols)]
        target = [{"provider": name, "model": name} for name in names]
        profile = {"fast": target[0], "strong": target[0]}
        if len(target) > 1:
            profile["fallback"] = target[1]
        self.path.write_text(json.dumps({"default_profile": "test", "providers": providers,
                                         "routing_profiles": {"test": profile}}))
        return names


def ask(service, question=QUESTION, **members):
    answer = service.post("/api/ask", {"question": question, **members}, headers=HEADERS)
    assert answer.status_code == 200, answer.text
    return answer.json()


def stream(service, question=QUESTION):
    """The frames, and the words since the last time the answer began."""
    answer = service.post("/api/ask/stream", {"question": question}, headers=HEADERS)
    frames = [json.loads(line[6:]) for line in answer.text.splitlines() if line.startswith("data: ")]
    words = ""
    for frame in frames:
        words = "" if frame["type"] == "token_start" else words + frame.get("token", "")
    assert frames[-1]["type"] == "result" and words == frames[-1]["answer"], frames
    return frames


def steps(service, answer):
    trace = service.get(f"/api/admin/traces/{answer['trace_id']}", headers=HEADERS).json()
    return {step["node"]: step["state"] for step in trace["steps"]}, trace


def falls_back(support, models, answer, embedded, name, reason, calls):
    for member in ("answer", "sources", "citations", "route"):
        assert answer[member] == embedded[member]
    nodes, _ = steps(support, answer)
    state = nodes["log"]
    assert {"node": "generate", "from_provider": name, "to_provider": "embedded", "reason": reason} in state["fallbacks"]
    assert nodes["generate"]["provider_name"] == "embedded" and nodes["generate"]["model_name"] == "extractive-v1"
    written = [call for call in models.calls if "[Document" in call["prompt"] and "numbered documents" in str(call["body"])]
    assert calls is None or len([call for call in written if "claim" not in str(call["body"])]) == calls
