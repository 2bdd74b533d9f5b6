"""The metrics that docs/operating.md lists are those that the server has."""

import pathlib
import re
import urllib.request

import pytest

PAGE = pathlib.Path(__file__).parents[3] / "docs" / "operating.md"


@pytest.mark.hashrange
def test_the_page_lists_every_metric_and_no_other(endpoint):
    with urllib.request.urlopen(f"{endpoint}/metrics") as answer:
        served = set(re.findall(r"^# TYPE (\w+)", answer.read().decode(), re.M))
    if "hashrange_store_groups_total" in served:
        pytest.skip("on PostgreSQL there are others besides, those of docs/distributed.md")
    assert set(re.findall(r"`((?:hashrange|process)_\w+)`", PAGE.read_text())) == served
    assert served
