"""Plain Python values to attribute values and back.

str is S, int and Decimal are N, bytes is B, bool is BOOL, None is NULL, list is L, dict is M, and a
Python set is SS, NS or BS by its members. `Raw` passes a value through untouched, for what no
sane client would send. Numbers come back as Decimal, sets as frozenset, so == ignores set order.
"""

from decimal import Decimal


class Raw(dict):
    """An attribute value that is sent exactly as written."""


def av(value):
    """Returns the attribute value of a plain value."""
    if isinstance(value, Raw):
        return dict(value)
    if isinstance(value, bool):
        return {"BOOL": value}
    if value is None:
        return {"NULL": True}
    if isinstance(value, str):
        return {"S": value}
    if isinstance(value, (int, Decimal)):
        return {"N": str(value)}
    if isinstance(value, bytes):
        return {"B": value}
    if isinstance(value, (list, tuple)):
        return {"L": [av(one) for one in value]}
    if isinstance(value, dict):
        return {"M": item(value)}
    if isinstance(value, (set, frozenset)):
        return set_of(value)
    raise TypeError(f"no attribute value for {value!r}")


def set_of(members):
    """Returns the set attribute value of plain members of one type."""
    members = sorted(members)
    if all(isinstance(one, str) for one in members):
        return {"SS": members}
    if all(isinstance(one, bytes) for one in members):
        return {"BS": members}
    return {"NS": [str(one) for one in members]}


def item(attributes=None, **more):
    """Returns an item (or a key, or expression attribute values) of plain values."""
    return {name: av(value) for name, value in {**(attributes or {}), **more}.items()}


def plain(value):
    """Returns the plain value of an attribute value."""
    [(tag, content)] = value.items()
    match tag:
        case "S" | "B" | "BOOL":
            return content
        case "N":
            return Decimal(content)
        case "NULL":
            return None
        case "L":
            return [plain(one) for one in content]
        case "M":
            return plain_item(content)
        case "SS" | "BS":
            assert len(set(content)) == len(content), content
            return frozenset(content)
        case "NS":
            assert len(set(content)) == len(content), content
            return frozenset(Decimal(one) for one in content)
    raise TypeError(f"no plain value for {value!r}")


def plain_item(attributes):
    """Returns an item as a dict of plain values."""
    return {name: plain(value) for name, value in attributes.items()}


def plain_items(items):
    """Returns a list of items as plain dicts."""
    return [plain_item(one) for one in items]
