"""Whether a plan equals one that is right: both in one form, in which the order of conditions, the forms of a bound and
the name of a metric no longer matter. tests/data/questions/README.md describes plans."""

from datetime import timedelta
from decimal import Decimal, InvalidOperation

from periods import parse_time, resolve

STATUSES = {"pending", "confirmed", "shipped", "delivered", "cancelled"}
NOT_CANCELLED = {"column": "status", "op": "!=", "values": ["cancelled"]}
# What the metrics of the shop compute; error_rate is of the journal and has no other form.
METRICS = {
    "revenue": ("order", "sum", "total_amount", [NOT_CANCELLED]),
    "avg_order_value": ("order", "average", "total_amount", [NOT_CANCELLED]),
    "order_count": ("order", "count", None, [NOT_CANCELLED]),
    "conversion_rate": ("session", "average", "is_conversion", []),
}
KEYS = {"order": "order_id", "product": "product_id", "user": "user_id", "session": "session_id",
        "machine": "machine_id", "reading": "reading_id"}
TIMES = {"order": "created_at", "order_items": "order.created_at", "session": "started_at", "event": "processed_at",
         "machine": "installed_at", "reading": "taken_at"}
TIME_COLUMNS = set(TIMES.values()) | {"first_order_at", "last_order_at", "ended_at"}
RELATED = ("machine", "product", "user", "order")
UNITS = ("hour", "day", "week", "month")
SLACK = timedelta(seconds=2)


def plain(value):
    """One form per value: numbers as decimals, words in lower case."""
    if isinstance(value, bool):
        return str(value).lower()
    if value is None:
        return "null"
    try:
        return Decimal(str(value)).normalize()
    except InvalidOperation:
        return str(value).casefold()


def path_of(column):
    """A key by its path and by its column are the same."""
    for name in RELATED:
        if column in (name, f"{name}.{name}_id"):
            return f"{name}_id"
        if column.startswith(f"{name}.order.") or column == f"{name}.{name}.{name}_id":
            return column.partition(".")[2]
    return column


def group_of(column):
    """Rows of a machine are grouped by its key or by its name; a unit of time may name its column."""
    for unit in UNITS:
        if column == unit or column.endswith((f":{unit}", f".{unit}")) or column.startswith(f"{unit}("):
            return unit
    column = column.removeprefix("items.")
    for name in ("machine", "product"):
        if column in (name, f"{name}_id", f"{name}.name", f"{name}.{name}_id"):
            return name
    return path_of(column)


def entity_of(given):
    """Orders by their lines are the lines; the journal belongs to no entity."""
    if given["entity"] == "order" and any(path.startswith("items.") for path in given.get("group_by") or []):
        return "order_items"
    return given["entity"] or "event"


def bounds_of(op, values):
    """A condition on a time as a period."""
    if op == "between":
        return values[0], values[1]
    return (None, values[0]) if op in ("<", "<=") else (values[0], None)


def condition(entity, column, op, values):
    """Conditions that mean the same have one form; a list of them."""
    values = [plain(value) for value in values]
    if op == "between":
        return [(column, ">=", (values[0],)), (column, "<=", (values[1],))]
    negated = op in ("!=", "not_in")
    if op in ("=", "!=", "in", "not_in"):
        chosen = set(values)
        if negated and chosen <= {"true", "false"}:
            chosen, negated = {"true", "false"} - chosen, False
        elif column.endswith("status") and entity in ("order", "order_items"):
            chosen, negated = (STATUSES - chosen if negated else chosen), False
        return [(column, "not" if negated else "is", tuple(sorted(chosen, key=str)))]
    return [(column, op, tuple(values))]


def conditions(entity, filters):
    """Without those that another condition on the column implies."""
    found = [one for given in filters
             for one in condition(entity, path_of(given["column"]), given["op"], given.get("values") or [])]
    allowed = {}
    rest = set()
    for column, op, values in found:
        if op == "is":
            allowed[column] = allowed.get(column, set(values)) & set(values)
        else:
            rest.add((column, op, values))
    return rest | {(column, "is", tuple(sorted(values, key=str))) for column, values in allowed.items()}


def intersect(one, other):
    starts = [bound for bound in (one[0], other[0]) if bound]
    ends = [bound for bound in (one[1], other[1]) if bound]
    return (max(starts) if starts else None, min(ends) if ends else None)


class Plan:
    """The one form. `reader` makes a period of what the plan has: an expression, or the answer's times."""

    def __init__(self, given, read_period, read_time):
        self.entity, self.select = entity_of(given), given["select"]
        self.column = path_of(given.get("column") or "") or None
        self.metric = given.get("metric")
        filters = list(given.get("filters") or [])
        if self.select == "metric" and self.metric in METRICS:
            entity, self.select, self.column, more = METRICS[self.metric]
            if entity != self.entity:
                more = [{**one, "column": f"{entity}.{one['column']}"} for one in more]
            filters, self.metric = filters + more, None
        self.key = given.get("key")
        time = given.get("time") or TIMES.get(self.entity)
        self.times, rest = {}, []
        for one in filters:
            if one["column"] in TIME_COLUMNS and one["op"] in ("<", "<=", ">", ">=", "between"):
                period = bounds_of(one["op"], [read_time(value) for value in one["values"]])
                self._limit(one["column"], period)
            else:
                rest.append(one)
        self.default = given.get("period") == "default"
        period = None if self.default else read_period(given.get("period"))
        if period and period != (None, None):
            self._limit(time, period)
        self.compare = read_period(given.get("compare"))
        self.filters = conditions(self.entity, rest)
        self.groups = {group_of(path) for path in given.get("group_by") or []}
        self.order, self.limit = given.get("order"), given.get("limit")
        self._read_record()

    def _limit(self, column, period):
        self.times[column] = intersect(self.times.get(column, (None, None)), period)

    def _read_record(self):
        """The row of a key is its record."""
        key = KEYS.get(self.entity)
        if self.select == "rows" and len(self.filters) == 1 and not self.times:
            [(column, op, values)] = self.filters
            if (column, op, len(values)) == (key, "is", 1):
                self.select, self.key, self.filters, self.limit, self.order = "record", values[0], set(), None, None
        self.key = plain(self.key) if self.key is not None else None


def same_period(wanted, got, asked):
    """`asked` is when the question was asked: from, to. An end that lies in the future is one at the time of asking, or
    none."""
    if wanted is None or got is None:
        return wanted is got
    slack = asked[1] - asked[0] + SLACK  # for bounds that are relative to the time of asking
    for mine, other, is_end in ((wanted[0], got[0], False), (wanted[1], got[1], True)):
        if is_end and all(bound is None or bound >= asked[0] - SLACK for bound in (mine, other)):
            continue
        if mine is None or other is None or abs(mine - other) > slack:
            if mine is not other:
                return False
    return True


def same_times(wanted, got, asked):
    if wanted.default:
        time = TIMES.get(wanted.entity)
        hour = (asked[0] - timedelta(hours=1), asked[0])
        return not got.times or (set(got.times) == {time} and same_period(hour, got.times[time], asked))
    return set(wanted.times) == set(got.times) and all(
        same_period(period, got.times[column], asked) for column, period in wanted.times.items())


def order_of(plan):
    """What the rows are ordered by; None without an order."""
    return (group_of(plan.order["by"]), bool(plan.order.get("descending"))) if plan.order else None


def same_order(wanted, got):
    if wanted.limit is None:
        return got.limit is None and (wanted.order is None or order_of(wanted) == order_of(got))
    if wanted.limit != "any" and wanted.limit != got.limit:
        return False
    return order_of(wanted) == order_of(got)


def same_column(wanted, got):
    """A row as a whole is right where one of its columns is."""
    return got.column == wanted.column or (got.column is None and got.select in ("rows", "record"))


def same(wanted, got, asked):
    members = ("entity", "select", "metric", "key", "filters", "groups")
    return (all(getattr(wanted, name) == getattr(got, name) for name in members) and same_column(wanted, got)
            and same_times(wanted, got, asked) and same_period(wanted.compare, got.compare, asked) and same_order(wanted, got))


def read_expected(given, now):
    return Plan(given, lambda text: resolve(text, now), lambda text: resolve(text, now)[0])


def read_answered(given, zone):
    def read_time(text):
        return parse_time(text, zone) if text else None

    return Plan(given, lambda period: (read_time(period.get("from")), read_time(period.get("to"))) if period else None,
                read_time)


def is_right(answered, expected, asked):
    """Whether the answer's plan is one of the expected, in the time zone of `asked`: the times before and after."""
    got = read_answered(answered, asked[0].tzinfo)
    return any(same(read_expected(one, now), got, asked) for one in expected for now in set(asked))
