"""Debian's prometheus on a port of its own, with rules and targets of a test, every two seconds."""

import subprocess

import requests
import yaml

from stack import free_ports


class Prometheus:
    """`rules` is the text of a file of rules; `targets` are "host:port"."""

    def __init__(self, directory, rules, targets):
        self.directory = directory
        self.url = f"http://127.0.0.1:{free_ports(1)[0]}"
        self.process = None
        (directory / "rules.yml").write_text(rules)
        (directory / "prometheus.yml").write_text(yaml.safe_dump({
            "global": {"scrape_interval": "2s", "scrape_timeout": "2s", "evaluation_interval": "2s"},
            "rule_files": ["rules.yml"],
            "scrape_configs": [{"job_name": "assay", "static_configs": [{"targets": targets}]}]}))

    def __enter__(self):
        with open(self.directory / "log", "wb") as log:
            self.process = subprocess.Popen(
                ["prometheus", f"--config.file={self.directory}/prometheus.yml", f"--storage.tsdb.path={self.directory}/data",
                 f"--web.listen-address={self.url.removeprefix('http://')}"], stdout=log, stderr=log)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(30)

    def ask(self, path, **parameters):
        """None while it starts."""
        try:
            answer = requests.get(f"{self.url}/api/v1/{path}", params=parameters, timeout=10)
        except requests.ConnectionError:
            assert self.process.poll() is None, (self.directory / "log").read_text()
            return None
        return answer.json()["data"] if answer.status_code == 200 else None

    def up(self):
        """How many targets were scraped last."""
        found = self.ask("query", query='count(up{job="assay"} == 1)')
        return int(found["result"][0]["value"][1]) if found and found["result"] else 0

    def firing(self):
        return {alert["labels"]["alertname"] for alert in self.ask("alerts")["alerts"] if alert["state"] == "firing"}
