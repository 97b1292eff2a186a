"""Kafka 4.1, one node that is broker and controller (KRaft)."""

import socket
import subprocess

from engine import Engine
from jars import class_path
from ports import free_ports

CLUSTER = "NkU3OEVBNTcwNTJENDM2Qg"  # any 16 bytes in base64

SETTINGS = """
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}
controller.listener.names=CONTROLLER
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs={directory}/data
num.partitions=6
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
auto.create.topics.enable=true
log.cleaner.enable=false
"""


class Kafka(Engine):
    name = "kafka"

    def __init__(self):
        self.jars = class_path("kafka")
        super().__init__()
        self.port, controller = free_ports(2)
        self.settings = self.directory / "server.properties"
        self.settings.write_text(SETTINGS.format(port=self.port, controller=controller, directory=self.directory))
        self.run("kafka.tools.StorageTool", "format", "-t", CLUSTER, "-c", self.settings)

    @property
    def address(self):
        """host:port, as clients name it."""
        return f"127.0.0.1:{self.port}"

    def java(self, program, *arguments):
        return ["java", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", self.jars, program, *map(str, arguments)]

    def run(self, program, *arguments):
        """One of Kafka's own tools, to its end; what it has printed."""
        done = subprocess.run(self.java(program, *arguments), capture_output=True, text=True, timeout=300, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{program}: {done.stdout}{done.stderr}")
        return done.stdout

    def command(self):
        return self.java("kafka.Kafka", self.settings)

    def is_ready(self):
        with socket.socket() as connection:
            return connection.connect_ex(("127.0.0.1", self.port)) == 0
