"""Writes client.py from async_client.py: the same methods without `async` and `await`.

    python tools/make_sync.py          writes it
    python tools/make_sync.py --check  fails where it is not what would be written
"""

import re
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src" / "livedata"
WORDS = [
    (r'"""The asynchronous client\."""', '"""The client.\n\nMade from async_client.py by tools/make_sync.py: change that one.\n"""'),
    (r"Asks the live-data service without blocking the event loop\.", "Asks the live-data service."),
    (r"\basync (def|with|for) ", r"\1 "), (r"\[row for row in (self\.stream_features\(.*?\))\]", r"list(\1)"), (r"\bawait ", ""), (r"\(self\.get_entity\((.*?)\)\)\.data", r"self.get_entity(\1).data"),
    (r"\((self\.send_events\(.*?\))\)\.results", r"\1.results"),
    (r"\bAsyncLiveDataClient\b", "LiveDataClient"), (r"\bAsyncIterator\b", "Iterator"), (r"\bhttpx\.AsyncClient\b", "httpx.Client"),
    (r"__a(enter|exit)__", r"__\1__"), (r"\baclose\b", "close"), (r"\b_http\b", "_client"),
    (r"\basyncio\b", "time"), (r"\baread\b", "read"), (r"\baiter_lines\b", "iter_lines"),
]


def main() -> int:
    text = (SOURCE / "async_client.py").read_text()
    for pattern, words in WORDS:
        text = re.sub(pattern, words, text)
    target = SOURCE / "client.py"
    if "--check" in sys.argv[1:]:
        return 0 if target.read_text() == text else 1
    target.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
