#!/usr/bin/python3
"""Runs a command beside a live-data service that has the data of the demonstration, and exits as it does:

    beside_livedata.py clients/run

LIVE_URL and LIVE_API_KEY tell the command where the service is.
"""

import os
import subprocess
import sys

from service import Service

KEY = "key-of-the-clients"


def main():
    with Service("livedata", {"LIVE_API_KEYS": f"{KEY}:clients", "LIVE_SEED_ON_BOOT": "true"}) as service:
        return subprocess.run(sys.argv[1:], env={**os.environ, "LIVE_URL": service.url, "LIVE_API_KEY": KEY},
                              check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
