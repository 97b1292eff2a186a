"""An engine that a part starts: one process on loopback, in a folder of its own, that may be killed and started again
over the same data."""

import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

START_SECONDS = 180
STOP_SECONDS = 60


class Engine:
    """What each engine_NAME.py derives from; it gives `name`, command() and is_ready()."""

    name = "engine"

    def __init__(self):
        self.directory = Path(tempfile.mkdtemp(prefix=f"assay-{self.name}-"))
        self.process = None

    def command(self):
        """The program and its arguments."""
        raise NotImplementedError

    def is_ready(self):
        """Whether it answers."""
        raise NotImplementedError

    def log(self):
        file = self.directory / "log"
        return file.read_text(errors="replace")[-4000:] if file.exists() else ""

    def launch(self):
        """Starts the process and does not wait for it."""
        with open(self.directory / "log", "ab") as log:
            self.process = subprocess.Popen(self.command(), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            cwd=self.directory)

    def start(self):
        self.launch()
        end = time.monotonic() + START_SECONDS
        while not self.is_ready():
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"{self.name} does not start: {self.log()}")
            time.sleep(0.1)
        return self

    def kill(self):
        """SIGKILL; what it had not written is gone."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def stop(self):
        """In good order, or else killed."""
        if self.process is None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None

    def close(self):
        self.kill()
        shutil.rmtree(self.directory, ignore_errors=True)

    def __enter__(self):
        try:
            return self.start()
        except BaseException:
            self.close()
            raise

    def __exit__(self, *_):
        self.close()
