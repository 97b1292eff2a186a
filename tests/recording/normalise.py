"""Takes out of an answer what differs from one run to the next: times, ids, durations, addresses. Everything else, the
order of members and the form of numbers included, stays as it was sent."""

import json
import re
from datetime import datetime, timedelta

from clock import START

NEAR = timedelta(days=400)  # times of the run lie this near to its start; others are data and stay
TIME = re.compile(r"(\d{4}-\d\d-\d\d)([T ])(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)?")
HTTP_DATE = re.compile(r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT")
SHAPES = [
    (re.compile(r"\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+"), "<jwt>"),
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[48][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b"), "<uuid>"),
    (re.compile(r"\b(127\.0\.0\.1|localhost):\d{4,5}\b"), r"\1:<port>"),
    (re.compile(r"\babk_[A-Za-z0-9_-]{16,}"), "<key>"),
    (re.compile(r"(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])"), "<hex32>"),
    (re.compile(r"\bregression-[0-9a-f]{12}\b"), "regression-<hex12>"),
    (re.compile(r"\b\d{8}T\d{6}Z"), "<compact time>"),
    (HTTP_DATE, "<http date>"),
]
# Ids that the tests of a service send themselves stay: they are of neither version 4 nor 8.


SORTED = object()  # as a replacement: a list whose order is that of random ids


class Number:
    """A number as it was written."""

    def __init__(self, text):
        self.text = text


class Members(list):
    """An object: its members in their order, as (name, value)."""


def is_list(value):
    return isinstance(value, list) and not isinstance(value, Members)


def read(text):
    """Of JSON, with numbers and order kept."""
    return json.loads(text, parse_int=Number, parse_float=Number, object_pairs_hook=Members)


def write(value):
    """Compact JSON, as the services write it."""
    if isinstance(value, Number):
        return value.text
    if isinstance(value, Members):
        return "{" + ",".join(f"{write(name)}:{write(member)}" for name, member in value) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(write, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def near(moment):
    return abs(moment.replace(tzinfo=START.tzinfo) - START) < NEAR


def time_placeholder(found):
    """Day and hour stay; of the rest the shape."""
    day, between, hour, minute, second, fraction, zone = found.groups()
    try:
        moment = datetime.fromisoformat(f"{day}T{hour}:{minute}:{second}")
    except ValueError:
        return found.group()
    if not near(moment):
        return found.group()
    digits = "" if fraction is None else "." + "f" * len(fraction)
    return f"{day}{between}{hour}:<mm:ss>{digits}{zone or ''}"


def number_placeholder(text):
    """Seconds, milli- or microseconds since 1970 of times near the start."""
    plain = text.removesuffix(".0")
    for unit, factor in (("s", 1), ("ms", 1000), ("us", 1_000_000)):
        try:
            if abs(float(plain) / factor - START.timestamp()) < NEAR.total_seconds():
                return f"<epoch {unit}{' with fraction' if '.' in text else ''}>"
        except (ValueError, OverflowError):
            pass
    return None


class Normaliser:
    """`rules` are (route, path, replacement): patterns of a whole route and of a whole path in its JSON, as `.a[].b`."""

    def __init__(self, rules, texts, headers):
        self.rules = [(re.compile(route), re.compile(path), to) for route, path, to in rules]
        self.headers = headers  # (pattern of a name, what stands for its value)
        self.texts = texts  # (text, placeholder): the folder of the stack and the like

    def hide(self, text, placeholder):
        """From now on the one stands for the other."""
        self.texts.insert(0, (text, placeholder))

    def text(self, text):
        for given, placeholder in self.texts:
            text = text.replace(given, placeholder)
        text = TIME.sub(time_placeholder, text)
        for pattern, placeholder in SHAPES:
            text = pattern.sub(placeholder, text)
        return text

    def value(self, route, value, path=""):
        """The same of a value that `read` gave."""
        for of_route, of_path, to in self.rules:
            if of_path.fullmatch(path) and of_route.fullmatch(route) and (to is not SORTED or is_list(value)):
                if to is not SORTED:
                    return to if not callable(to) else self.text(to(value)) if value is not None else None
                return sorted((self.value(route, item, path + "[]") for item in value), key=write)
        if isinstance(value, Number):
            return number_placeholder(value.text) or value
        if isinstance(value, Members):
            return Members((self.text(name), self.value(route, member, f"{path}.{name}")) for name, member in value)
        if isinstance(value, list):
            return [self.value(route, item, path + "[]") for item in value]
        return self.text(value) if isinstance(value, str) else value
