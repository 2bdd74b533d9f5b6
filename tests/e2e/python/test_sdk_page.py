"""The snippet of docs/sdks.md for Python, run as it stands there."""

import pathlib
import re

import pytest

PAGE = pathlib.Path(__file__).parents[3] / "docs" / "sdks.md"


@pytest.mark.hashrange
def test_the_python_snippet_runs(endpoint, capsys):
    [snippet] = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.S | re.M)
    assert "http://127.0.0.1:8000" in snippet
    exec(compile(snippet.replace("http://127.0.0.1:8000", endpoint), str(PAGE), "exec"), {})
    assert capsys.readouterr().out == "1965\n"
