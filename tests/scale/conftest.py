"""What the parts share: the modules of the other suites, and all that the tests over HTTP have (tests/api/conftest.py,
which modules there import by the name that this file has here)."""

import importlib.util
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "db"), str(TESTS / "api")]

_spec = importlib.util.spec_from_file_location("api_conftest", TESTS / "api" / "conftest.py")
_api = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_api)
globals().update({name: value for name, value in vars(_api).items() if not name.startswith("__")})
