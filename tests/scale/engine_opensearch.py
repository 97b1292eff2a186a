"""OpenSearch 2.19, one node. The jar of the server has no program of its own here: OpenSearchNode.java starts it."""

from pathlib import Path

import requests

from engine import Engine
from jars import class_path
from ports import free_ports

PROGRAM = Path(__file__).resolve().parent / "OpenSearchNode.java"


class OpenSearch(Engine):
    name = "opensearch"

    def __init__(self):
        self.jars = class_path("opensearch")
        super().__init__()
        self.port, self.between = free_ports(2)
        for folder in ("config", "modules", "plugins"):
            (self.directory / folder).mkdir()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def command(self):
        return ["java", "-Xms512m", "-Xmx512m", "-XX:+UseSerialGC", "-cp", self.jars, str(PROGRAM),
                str(self.directory), str(self.port), str(self.between)]

    def ask(self, method, path, **arguments):
        return requests.request(method, self.url + path, timeout=30, **arguments)

    def is_ready(self):
        try:
            return self.ask("GET", "/_cluster/health").json()["status"] in ("green", "yellow")
        except (requests.RequestException, KeyError, ValueError):
            return False
