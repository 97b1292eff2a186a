"""An object store that speaks S3 and verifies the signature of every request (Signature Version 4): S3Proxy over files."""

import urllib.error
import urllib.request

from engine import Engine
from jars import class_path
from ports import free_ports

ACCESS_KEY = "assay-test-key"
SECRET_KEY = "assay test+secret/with%odd=characters"

SETTINGS = """
s3proxy.endpoint=http://127.0.0.1:{port}
s3proxy.authorization=aws-v4
s3proxy.identity={access}
s3proxy.credential={secret}
jclouds.provider=filesystem-nio2
jclouds.filesystem.basedir={directory}/data
"""


class S3Proxy(Engine):
    name = "s3proxy"

    def __init__(self, bucket="documents"):
        self.jars = class_path("s3proxy")
        super().__init__()
        [self.port] = free_ports(1)
        self.bucket = bucket
        (self.directory / "data" / bucket).mkdir(parents=True)
        (self.directory / "s3proxy.conf").write_text(SETTINGS.format(
            port=self.port, access=ACCESS_KEY, secret=SECRET_KEY, directory=self.directory))

    def url(self, prefix=""):
        return f"http://127.0.0.1:{self.port}/{self.bucket}{prefix}"

    def files(self):
        """Path below the bucket -> content."""
        root = self.directory / "data" / self.bucket
        return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}

    def forget(self, content):
        """Deletes the objects of this content behind the back of everybody."""
        root = self.directory / "data" / self.bucket
        for path in [path for path in root.rglob("*") if path.is_file() and path.read_bytes() == content]:
            path.unlink()

    def command(self):
        return ["java", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-DLOG_LEVEL=warn", "-cp", self.jars,
                "org.gaul.s3proxy.Main", "--properties", str(self.directory / "s3proxy.conf")]

    def is_ready(self):
        """Who is not signed is refused."""
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{self.port}/", timeout=5)
        except urllib.error.HTTPError as error:
            return error.code == 403
        except OSError:
            return False
        return True
