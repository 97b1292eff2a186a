"""ClickHouse 18.16, the server of Debian, one node."""

import shutil
import urllib.error
import urllib.request
from urllib.parse import urlencode

import pytest

from engine import Engine
from ports import free_ports

SETTINGS = """<yandex>
<logger><level>warning</level><log>{directory}/server.log</log><errorlog>{directory}/error.log</errorlog></logger>
<listen_host>127.0.0.1</listen_host>
<http_port>{port}</http_port><tcp_port>{tcp}</tcp_port><interserver_http_port>{inter}</interserver_http_port>
<path>{directory}/data/</path><tmp_path>{directory}/tmp/</tmp_path>
<user_files_path>{directory}/files/</user_files_path><format_schema_path>{directory}/files/</format_schema_path>
<users_config>users.xml</users_config><default_profile>default</default_profile>
<default_database>default</default_database><mark_cache_size>134217728</mark_cache_size><timezone>UTC</timezone>
<query_log><database>system</database><table>query_log</table></query_log>
</yandex>
"""
USERS = """<yandex>
<profiles><default><max_memory_usage>2000000000</max_memory_usage><log_queries>1</log_queries></default></profiles>
<users><default><password>{password}</password><networks><ip>127.0.0.1</ip></networks>
<profile>default</profile><quota>default</quota></default></users>
<quotas><default/></quotas>
</yandex>
"""
PROGRAM = "clickhouse-server"


class ClickHouse(Engine):
    name = "clickhouse"
    password = "of-the-test"

    def __init__(self):
        if shutil.which(PROGRAM) is None:
            pytest.skip("clickhouse-server is not installed (tools/install-packages scale)")
        super().__init__()
        self.port, tcp, inter = free_ports(3)
        for folder in ("data", "tmp", "files"):
            (self.directory / folder).mkdir()
        (self.directory / "config.xml").write_text(
            SETTINGS.format(directory=self.directory, port=self.port, tcp=tcp, inter=inter))
        (self.directory / "users.xml").write_text(USERS.format(password=self.password))

    def command(self):
        return [PROGRAM, f"--config-file={self.directory}/config.xml"]

    def is_ready(self):
        try:
            return self.ask("SELECT 1") == "1\n"
        except (urllib.error.URLError, OSError):
            return False

    def ask(self, statement, **parameters):
        """The text of its answer; an error of the server is an HTTPError."""
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/?{urlencode(parameters)}", data=statement.encode(),
                                         headers={"X-ClickHouse-User": "default", "X-ClickHouse-Key": self.password})
        with urllib.request.urlopen(request, timeout=600) as answer:
            return answer.read().decode()

    @property
    def settings(self):
        """Those of a service that uses it."""
        return {"CLICKHOUSE_HOST": "127.0.0.1", "CLICKHOUSE_PORT": self.port, "CLICKHOUSE_PASSWORD": self.password}
