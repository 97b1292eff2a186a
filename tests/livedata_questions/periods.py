"""Periods relative to the time of asking, in a time zone: the expressions of tests/data/questions/README.md.

A period is a pair of times, its beginning and the end that is no longer part of it; None is no bound.
"""

import re
from datetime import datetime, timedelta

LENGTHS = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1)}


def midnight(moment):
    return moment.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)


def add_days(moment, days):
    """Midnights some days on; the zone gives each its own distance from UTC."""
    return midnight(moment.replace(tzinfo=None) + timedelta(days=days)).replace(tzinfo=moment.tzinfo)


def add_months(moment, months):
    year, month = divmod(moment.year * 12 + moment.month - 1 + months, 12)
    return moment.replace(year=year, month=month + 1)


def calendar(unit, offset, now):
    day = midnight(now)
    if unit == "day":
        return add_days(day, offset), add_days(day, offset + 1)
    if unit == "week":
        monday = add_days(day, -day.weekday())
        return add_days(monday, 7 * offset), add_days(monday, 7 * offset + 7)
    if unit == "month":
        first = day.replace(day=1)
        return add_months(first, offset), add_months(first, offset + 1)
    first = day.replace(month=1, day=1)
    return add_months(first, 12 * offset), add_months(first, 12 * offset + 12)


def named(unit, value, now):
    """The latest October (month-name:10), Monday (weekday:1) or November 3rd (date:11-03) that has begun."""
    day = midnight(now)
    if unit == "weekday":
        start = add_days(day, -((day.isoweekday() - int(value)) % 7))
        return start, add_days(start, 1)
    month, number = (int(value), 1) if unit == "month-name" else map(int, value.split("-"))
    start = day.replace(month=month, day=number)
    start = start if start <= day else start.replace(year=start.year - 1)
    return start, add_months(start, 1) if unit == "month-name" else add_days(start, 1)


def fixed(text, now):
    numbers = [int(part) for part in text.split("-")]
    start = midnight(now).replace(**dict(zip(("year", "month", "day"), numbers + [1, 1], strict=False)))
    return start, add_days(start, 1) if len(numbers) == 3 else add_months(start, 1 if len(numbers) == 2 else 12)


def single(expression, now):
    if re.fullmatch(r"\d{4}(-\d\d){0,2}", expression):
        return fixed(expression, now)
    unit, _, value = expression.partition(":")
    if unit == "last":
        return now - int(value[:-1]) * LENGTHS[value[-1]], now
    value, _, clock = value.partition("T")
    if unit in ("month-name", "weekday", "date"):
        return named(unit, value, now)
    start, end = calendar(unit, int(value), now)
    if clock:
        hour, minute = map(int, clock.split(":"))
        start = end = start.replace(hour=hour, minute=minute)
    return start, end


def resolve(expression, now):
    """The period of an expression; None for no expression."""
    if expression is None:
        return None
    first, dots, last = expression.partition("..")
    start, end = single(first, now)
    if not dots:
        return start, end
    if not last:
        return start, None
    end = single(last, now)[1]
    if end <= start:  # the same days of the year, some of them still to come
        end = end.replace(year=end.year + 1)
    return start, end


def parse_time(text, zone):
    moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    return moment.astimezone(zone) if moment.tzinfo else moment.replace(tzinfo=zone)
