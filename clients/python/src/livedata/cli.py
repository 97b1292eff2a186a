"""The command line: `livedata health`, `livedata entity order ORD-1`, ..."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Dict, List, cast

from . import generate
from .client import LiveDataClient
from .exceptions import LiveDataError

DEFAULT_URL = "http://localhost:8010"
TEMPLATES = ("basic", "langchain", "crewai", "vercel-ai")
Command = Callable[[LiveDataClient, argparse.Namespace], Any]


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    if isinstance(value, list):
        items: List[Any] = value
        return [_plain(item) for item in items]
    return value


def _table(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)


def _text(value: Any, indent: str = "") -> str:
    """Members as lines, what is nested below its name."""
    value = _plain(value)
    if not isinstance(value, dict):
        return f"{indent}{json.dumps(value, ensure_ascii=False)}"
    lines: List[str] = []
    for name, member in cast(Dict[str, Any], value).items():
        if isinstance(member, dict) and member:
            lines += [f"{indent}{name}:", _text(member, indent + "  ")]
        else:
            shown = member if isinstance(member, str) else json.dumps(member, ensure_ascii=False)
            lines.append(f"{indent}{name}: {shown}")
    return "\n".join(lines)


def _slo_table(answer: Dict[str, Any]) -> str:
    rows = [["Name", "Status", "Current", "Target", "Budget", "Window"]]
    for each in answer.get("slos", []):
        rows.append([str(each.get(name)) for name in ("name", "status", "current", "target",
                                                       "error_budget_remaining", "window")])
    return _table(rows)


def mask(key: str) -> str:
    if not key:
        return "(not set)"
    return "*" * len(key) if len(key) <= 4 else key[:2] + "*" * (len(key) - 4) + key[-2:]


def _stream(client: LiveDataClient, options: argparse.Namespace) -> None:
    for event in client.stream_events(event_type=options.type):
        print(json.dumps(event, ensure_ascii=False), flush=True)


def _generate(client: LiveDataClient, options: argparse.Namespace) -> None:
    text = generate.LANGUAGES[options.language](generate.members_of(client))
    if options.out:
        Path(options.out).write_text(text, encoding="utf-8")
    else:
        print(text, end="")


COMMANDS: Dict[str, Command] = {
    "health": lambda client, _: client.health(),
    "entity": lambda client, options: client.get_entity(options.entity_type, options.entity_id),
    "metric": lambda client, options: client.get_metric(options.name, options.window),
    "query": lambda client, options: client.query(options.question),
    "search": lambda client, options: client.search(options.terms),
    "catalog": lambda client, _: client.catalog(),
    "slo": lambda client, _: client.slo(),
    "stream": _stream,
    "generate": _generate,
}

STARTER = '''"""{title}"""

import os

from livedata import LiveDataClient

client = LiveDataClient(os.environ.get("LIVE_URL", "{url}"), os.environ["LIVE_API_KEY"])


def current(entity_type: str, entity_id: str) -> dict:
    """What is true right now of an entity, and how many seconds old that is."""
    envelope = client.get_entity(entity_type, entity_id)
    return {{"data": envelope.data, "freshness_seconds": envelope.freshness_seconds}}
{tail}'''
TAILS = {
    "basic": '\n\nif __name__ == "__main__":\n    print(client.health())\n',
    "langchain": '\n\n# from langchain_core.tools import tool\n# current_tool = tool(current)\n',
    "crewai": '\n\n# from crewai.tools import tool\n# current_tool = tool("current")(current)\n',
    "vercel-ai": '\n\n# Serve current() behind a route and name it as a tool of the model.\n',
}


def _init(options: argparse.Namespace) -> str:
    """Writes a starter project into a new folder."""
    name = options.name
    if not name and options.non_interactive:
        raise LiveDataError("--name is required with --non-interactive")
    name = name or input("Name of the project: ").strip()
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name):
        raise LiveDataError(f"'{name}' is no name for a folder")
    folder = Path(name)
    if folder.exists():
        raise LiveDataError(f"{name} exists already")
    folder.mkdir()
    text = STARTER.format(title=name, url=options.base_url, tail=TAILS[options.template])
    (folder / "main.py").write_text(text, encoding="utf-8")
    key = options.api_key or ""
    (folder / ".env").write_text(f"LIVE_URL={options.base_url}\nLIVE_API_KEY={key}\n", encoding="utf-8")
    (folder / ".gitignore").write_text(".env\n", encoding="utf-8")
    return f"{name}/main.py is made; put the key into {name}/.env"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="livedata", description="What is true right now, and how fresh is that?")
    parser.add_argument("--url", default=os.environ.get("LIVE_URL", DEFAULT_URL))
    parser.add_argument("--key", default=os.environ.get("LIVE_API_KEY", ""))
    parser.add_argument("--json", action="store_true", help="the answer as it came")
    parser.add_argument("--quiet", action="store_true", help="nothing but the exit code")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("health")
    entity = commands.add_parser("entity")
    entity.add_argument("entity_type", metavar="TYPE")
    entity.add_argument("entity_id", metavar="ID")
    metric = commands.add_parser("metric")
    metric.add_argument("name", metavar="NAME")
    metric.add_argument("--window", default="1h")
    commands.add_parser("query").add_argument("question", metavar="QUESTION")
    commands.add_parser("search").add_argument("terms", metavar="TERMS")
    commands.add_parser("catalog")
    commands.add_parser("slo")
    commands.add_parser("stream").add_argument("--type", default=None)
    types = commands.add_parser("generate", help="types of the entities of the service")
    types.add_argument("--language", choices=sorted(generate.LANGUAGES), default="python")
    types.add_argument("--out", help="the file to write, instead of the output")
    commands.add_parser("config")
    init = commands.add_parser("init")
    init.add_argument("--name")
    init.add_argument("--base-url", default=DEFAULT_URL)
    init.add_argument("--api-key")
    init.add_argument("--template", choices=TEMPLATES, default="basic")
    init.add_argument("--non-interactive", action="store_true")
    return parser


def _answer(options: argparse.Namespace) -> str:
    if options.command == "config":
        return f"url: {options.url}\nkey: {mask(options.key)}"
    if options.command == "init":
        return _init(options)
    with LiveDataClient(options.url, options.key) as client:
        answer = COMMANDS[options.command](client, options)
    if answer is None:
        return ""
    if options.json:
        return json.dumps(_plain(answer), indent=2, ensure_ascii=False)
    return _slo_table(answer) if options.command == "slo" else _text(answer)


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        text = _answer(options)
    except (LiveDataError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    if text and not options.quiet:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
