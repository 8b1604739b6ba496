"""`python -m waldo.check my_agent.py`: whether an agent keeps the protocol."""

import sys

from .playing import check

if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: python -m waldo.check my_agent.py [ARGUMENT...]")
    sys.exit(0 if check(sys.executable, *sys.argv[1:]) else 1)
