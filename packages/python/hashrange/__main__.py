"""``python -m hashrange``: the program of this package, with the same arguments."""

import os
import subprocess
import sys

from hashrange.server import find_program


def main() -> int:
    """Becomes the program where the system can do that, else runs it."""
    command = [find_program(), *sys.argv[1:]]
    if os.name == "posix":
        os.execv(command[0], command)
    return subprocess.call(command)


if __name__ == "__main__":
    sys.exit(main())
