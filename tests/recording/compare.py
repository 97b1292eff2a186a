"""Compares two recordings and prints what differs, by route and place.

intended.yaml is a list of {service, route, path, reason}: patterns of a whole route and of a whole place, of differences
that are meant to be. A place is `status`, `headers.NAME`, `body` followed by members and `[]`, or `request`, where one
side has not the request at all.
"""

import re
from collections import Counter, defaultdict

import yaml

from normalise import Members, Number, is_list, read, write

SHOWN = 5  # examples of one difference


def load(path):
    """(service, route, step, request, number among equals) -> line."""
    found, seen = {}, Counter()
    for text in path.read_text().splitlines():
        line = dict(read(text))
        key = (line["service"], line["route"], line["step"], line["method"], write(line["request"]))
        seen[key] += 1
        found[(*key, seen[key])] = line
    return found


def differences(before, after, path):
    """(path, before, after) for each place where two values differ."""
    if isinstance(before, Members) and isinstance(after, Members):
        yield from of_members(before, after, path)
    elif is_list(before) and is_list(after):
        for one, other in zip(before, after):
            yield from differences(one, other, path + "[]")
        if len(before) != len(after):
            yield f"{path}[]", f"{len(before)} items", f"{len(after)} items"
    elif plain(before) != plain(after):
        yield path, plain(before), plain(after)


def of_members(before, after, path):
    ours, theirs = dict(before), dict(after)
    for name, value in ours.items():
        if name in theirs:
            yield from differences(value, theirs[name], f"{path}.{name}")
        else:
            yield f"{path}.{name}", plain(value), "(missing)"
    for name, value in theirs.items():
        if name not in ours:
            yield f"{path}.{name}", "(missing)", plain(value)
    common = [[name for name, _ in side if name in ours and name in theirs] for side in (before, after)]
    if common[0] != common[1]:
        yield f"{path} (order)", ", ".join(common[0]), ", ".join(common[1])


def plain(value):
    return write(value) if isinstance(value, (Number, list)) or value is None or isinstance(value, bool) else str(value)


def of_lines(before, after):
    yield from differences(before["status"], after["status"], "status")
    yield from differences(before["headers"], after["headers"], "headers")
    yield from differences(before["body"], after["body"], "body")


def intended(rules, service, route, path):
    for rule in rules:
        if re.fullmatch(rule.get("service", ".*"), service) and re.fullmatch(rule["route"], route) and re.fullmatch(rule["path"], path):
            rule["used"] = True
            return True
    return False


def compare(before_file, after_file, intended_file):
    before, after = load(before_file), load(after_file)
    rules = yaml.safe_load(intended_file.read_text()) or []
    services = {key[0] for key in after}  # what was recorded again
    before = {key: line for key, line in before.items() if key[0] in services}
    found, excepted = defaultdict(list), 0
    for key in [*before, *(key for key in after if key not in before)]:
        service, route, step, method, _, _ = key
        for path, old, new in one_request(before.get(key), after.get(key)):
            if intended(rules, service, route, path):
                excepted += 1
            else:
                found[service, route, path].append((method, step, (before.get(key) or after[key])["request"], old, new))
    for (service, route, path), cases in sorted(found.items()):
        print(f"{service} {route}  {path}  ({len(cases)} times)")
        for method, step, request, old, new in cases[:SHOWN]:
            print(f"    {method} {dict(request)['path'][:100]} [{step}]\n      - {old[:300]}\n      + {new[:300]}")
    print(f"{len(before)} and {len(after)} requests, {sum(map(len, found.values()))} differences, {excepted} intended")
    for rule in rules:
        if not rule.get("used") and any(re.fullmatch(rule.get("service", ".*"), service) for service in services):
            print(f"not used: {rule['route']} {rule['path']}")
    return 1 if found or not after else 0


def one_request(before, after):
    if before is None or after is None:
        return [("request", "(not sent)" if before is None else "sent", "(not sent)" if after is None else "sent")]
    return of_lines(before, after)
