"""The tests run pytest inside pytest, as those do who install the package."""

pytest_plugins = ["pytester"]
