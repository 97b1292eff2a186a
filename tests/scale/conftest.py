"""What the parts share: the modules of the other suites, and what they ask of an engine."""

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "db"), str(TESTS / "api")]
