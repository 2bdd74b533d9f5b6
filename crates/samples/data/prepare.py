#!/usr/bin/env python3
"""Makes the items of the small samples: items.jsonl in the folder beside this script that has the
sample's name, one item a line in DynamoDB's JSON, sorted by key.

Run it again after a change: `python3 crates/samples/data/prepare.py`. The same script gives the
same bytes; the people, rooms and machines are invented.
"""

import json
import pathlib
from datetime import datetime, timedelta

HERE = pathlib.Path(__file__).parent


def value(of):
    """Returns a Python value as an attribute value: a set of strings is a string set."""
    if isinstance(of, bool):
        return {"BOOL": of}
    if isinstance(of, (int, float)):
        return {"N": repr(of)}
    if isinstance(of, str):
        return {"S": of}
    if isinstance(of, set):
        return {"SS": sorted(of)}
    if isinstance(of, list):
        return {"L": [value(one) for one in of]}
    return {"M": {name: value(one) for name, one in of.items()}}


def write(sample, key, items):
    """Writes the items of a sample, sorted by the two attributes of its key."""
    keys = [tuple(item[name] for name in key) for item in items]
    assert len(set(keys)) == len(keys), "a key is there twice"
    items = sorted(items, key=lambda item: tuple(item[name].encode() for name in key))
    lines = [
        json.dumps(
            {name: value(one) for name, one in item.items() if one is not None},
            ensure_ascii=False,
            separators=(",", ":"),
        )
        for item in items
    ]
    (HERE / sample / "items.jsonl").write_text("".join(line + "\n" for line in lines))
    print(f"{sample}: {len(lines)} items")


def instant(at):
    """Returns a time as a key part: UTC, always milliseconds, so that text sorts as time."""
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03d}Z"


def devices():
    """Two days of hourly readings of five machines, with a few warnings and errors."""
    readings = {"pump-1": 41.0, "pump-10": 39.5, "boiler-1": 88.0, "freezer-1": -19.5, "door-1": 17.0}
    alerts = {
        ("pump-1", 9): ("ERROR", "bearing temperature above limit"),
        ("pump-1", 10): ("WARN", "bearing temperature high"),
        ("pump-10", 30): ("WARN", "pressure dropping"),
        ("boiler-1", 22): ("WARN", "burner restarted"),
        ("boiler-1", 31): ("ERROR", "flame lost"),
        ("freezer-1", 31): ("ERROR", "door open for 10 minutes"),
        ("door-1", 40): ("WARN", "battery low"),
    }
    start = datetime(2026, 10, 30, 12, 0, 0)
    items = []
    for machine, (device, mean) in enumerate(readings.items()):
        for hour in range(48):
            at = start + timedelta(hours=hour, seconds=machine * 7, milliseconds=(hour * 37) % 1000)
            severity, text = alerts.get((device, hour), (None, "reading"))
            item = {
                "device": device,
                "logged_at": f"{instant(at)}#{hour + 1:04d}",
                "severity": severity or "INFO",
                "message": text,
                "celsius": round(mean + ((hour * 7 + machine * 3) % 11 - 5) / 4, 2),
                "alert": severity,
            }
            items.append(item)
    # Two events in the same millisecond: the number after the time keeps both.
    twin = next(i for i in items if i["device"] == "freezer-1" and i["alert"] == "ERROR")
    at, number = twin["logged_at"].split("#")
    items.append({**twin, "logged_at": f"{at}#{int(number) + 1000:04d}", "severity": "INFO",
                  "message": "door closed", "alert": None})
    write("devices", ("device", "logged_at"), items)


SHARDS = {"seattle": 2, "lisbon": 1}


def room_shard(room, user):
    """Returns the partition that holds a user's messages in a room."""
    return f"{room}-{1 + sum(user.encode()) % SHARDS[room]}"


def chat():
    """Messages of five people in two rooms; the busy room has two shards."""
    words = [
        "good morning", "who takes the ferry today?", "me", "coffee at the pier?", "always",
        "it rains again", "of course it does", "release is out", "congratulations!", "see you at six",
        "running late", "no hurry", "photos are up", "lovely", "good night",
    ]
    users = ["amsg", "amsg2", "hugo", "chloe", "zoe"]
    items = []
    for nth in range(120):
        user = users[(nth * 7 + nth // 5) % len(users)]
        room = "lisbon" if nth % 4 == 3 else "seattle"
        at = datetime(2026, 8, 28, 7, 30) + timedelta(hours=nth * 3 + nth % 2, seconds=nth * 11)
        sent_at = at.strftime("%Y-%m-%dT%H:%M:%SZ")
        items.append({
            "room": room_shard(room, user),
            "user_sent_at": f"{user}#{sent_at}",
            "sent_at_user": f"{sent_at}#{user}",
            "author": user,
            "sent_at": sent_at,
            "body": words[nth % len(words)],
        })
    write("chat", ("room", "user_sent_at"), items)


def documents():
    """Documents as facets: metadata, permissions, location, and the versions of the text."""
    library = [
        # name, title, owner, readers, folder, views, versions: (day, author, text)
        ("handbook", "Staff handbook", "nina", {"everyone"}, "/people", 5210, [
            ("2026-01-12", "nina", "Welcome."), ("2026-03-02", "omar", "Welcome. Holidays."),
            ("2026-09-14", "nina", "Welcome. Holidays. Travel.")]),
        ("roadmap", "Roadmap 2027", "omar", {"leads", "nina"}, "/product", 318, [
            ("2026-06-01", "omar", "Themes."), ("2026-07-20", "omar", "Themes. Dates."),
            ("2026-10-05", "pia", "Themes. Dates. Risks."),
            ("2026-11-02", "omar", "Themes. Dates. Risks. Owners.")]),
        ("oncall", "On-call guide", "pia", {"engineers"}, "/engineering", 977, [
            (f"2026-{month:02d}-01", "pia", f"Edition {month}.") for month in range(1, 12)]),
        ("logo", "Logo and colours", "quin", {"everyone", "press"}, "/brand", 1204, [
            ("2025-12-01", "quin", "Blue.")]),
        ("budget", "Budget 2027", "nina", {"leads"}, "/finance", 44, [
            ("2026-09-30", "nina", "Draft."), ("2026-10-30", "nina", "Final.")]),
        ("offsite", "Offsite in Porto", "quin", {"everyone"}, "/people", 86, [
            ("2026-05-05", "quin", "Agenda."), ("2026-05-19", "nina", "Agenda. Trains.")]),
    ]
    items = []
    for name, title, owner, readers, folder, views, versions in library:
        items += [
            {"document": name, "facet": "metadata", "title": title, "written_by": owner,
             "changed_on": versions[-1][0], "versions": len(versions), "views_count": views},
            {"document": name, "facet": "permissions", "readers": readers, "writers": {owner}},
            {"document": name, "facet": "location", "folder": folder, "bytes": 1000 + 7 * views},
        ]
        for number, (day, author, text) in enumerate(versions, start=1):
            items.append({"document": name, "facet": f"v_{number:04d}", "written_on": day,
                          "author": author, "body": text})
    write("documents", ("document", "facet"), items)


def audits():
    """Audits of machines with their revisions; v0_Audit repeats the newest one."""
    histories = {
        "Equipment_1": [("Al", "INIT", "2026-03-02"), ("Bo", "ONGOING", "2026-03-09"),
                        ("Rick", "COMPLETE", "2026-03-20")],
        "Equipment_2": [("Bo", "INIT", "2026-09-01"), ("Bo", "ONGOING", "2026-10-12")],
        "Equipment_3": [("Rick", "INIT", "2026-11-03")],
        "Equipment_4": [("Al", "INIT", "2026-01-15"), ("Al", "ONGOING", "2026-01-16"),
                        ("Rick", "ONGOING", "2026-02-01"), ("Al", "COMPLETE", "2026-02-11"),
                        ("Bo", "INIT", "2026-08-11"), ("Bo", "ONGOING", "2026-08-30")],
        "Equipment_10": [("Cleo", "INIT", "2026-05-05"), ("Cleo", "COMPLETE", "2026-05-06")],
    }
    items = []
    for equipment, history in histories.items():
        for number, (auditor, stage, day) in enumerate(history, start=1):
            items.append({"equipment": equipment, "revision": f"v{number:03d}_Audit",
                          "auditor": auditor, "stage": stage, "audited_on": day})
        auditor, stage, day = history[-1]
        items.append({"equipment": equipment, "revision": "v0_Audit", "auditor": auditor,
                      "stage": stage, "audited_on": day, "latest_version": len(history),
                      "latest_stage": stage})
    write("audits", ("equipment", "revision"), items)


def projects():
    """Organisations with their projects."""
    rows = [
        ("Aurora Labs", "Apollo", "Maya", "2026-11-18", "active", 120000),
        ("Aurora Labs", "Beacon", "Noah", "2026-11-02", "active", 45000),
        ("Aurora Labs", "Comet", "Maya", "2026-06-11", "done", 80000),
        ("Aurora Labs", "Dawn", "Isla", "2026-11-15", "active", 15500),
        ("Aurora Labs", "Eclipse", "Noah", "2025-12-20", "stopped", 9000),
        ("Aurora Labs", "Flare", "Isla", "2026-11-20", "active", 30000),
        ("Birch and Sons", "Barn", "Otto", "2026-10-01", "active", 22000),
        ("Birch and Sons", "Fence", "Otto", "2026-02-14", "done", 3500),
        ("Birch and Sons", "Orchard", "Maya", "2026-11-19", "active", 18000),
        ("City of Porto", "Bicycle lanes", "Rita", "2026-11-12", "active", 910000),
        ("City of Porto", "Library roof", "Rita", "2026-09-09", "active", 240000),
        ("City of Porto", "Tram line 18", "Maya", "2026-08-21", "stopped", 1500000),
    ]
    names = ("organisation", "project_name", "owned_by", "last_updated", "phase", "budget_eur")
    write("projects", ("organisation", "project_name"), [dict(zip(names, row)) for row in rows])


def orders():
    """Users and their orders in one table; placed orders wait in a sparse index."""
    users = {"alex": "Alex Moreau", "ben": "Ben Ito", "cara": "Cara Lind", "dev": "Dev Patel"}
    goods = [("tea", 1290), ("teapot", 4500), ("cups", 2350), ("tray", 1999), ("kettle", 7900)]
    days = ["2025-12-30", "2026-01-05", "2026-01-15", "2026-01-28", "2026-02-03", "2026-02-10"]
    stages = ["DELIVERED", "DELIVERED", "SHIPPED", "CANCELLED", "SHIPPED", "PLACED"]
    items = []
    number = 0
    for nth, (user, name) in enumerate(users.items()):
        items.append({"pk": f"USER#{user}", "sk": "PROFILE", "full_name": name,
                      "email": f"{user}@example.com", "since": f"202{nth}-04-01"})
        for day in range(len(days) - nth):
            number += 1
            stage = stages[(day + 2 * nth) % len(stages)]
            lines = [goods[(number + k) % len(goods)] for k in range(1 + number % 2)]
            items.append({
                "pk": f"USER#{user}",
                "sk": f"ORDER#{number:04d}",
                "stage": stage,
                "ordered_on": days[day],
                "stage_date": f"{stage}#{days[day]}",
                "total_cents": sum(price for _, price in lines),
                "lines_sold": [{"good": good, "cents": price} for good, price in lines],
                "placed_queue": "WAITING" if stage == "PLACED" else None,
            })
    write("orders", ("pk", "sk"), items)


for make in (devices, chat, documents, audits, projects, orders):
    make()
