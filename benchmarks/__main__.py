"""All benchmarks: `python -m benchmarks [--rounds N] [NAME...]`; prints ratios with the goals beside them."""

from __future__ import annotations

import argparse
import importlib
import sys

from benchmarks.measure import table

NAMES = ("startup", "round_trips", "lookup", "loading", "saving", "recording", "memory", "relays", "fixtures")


def main() -> int:
    """Run the chosen ones; exit code 1 where a goal was missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--rounds", type=int, default=7, help="rounds of each comparison (default: 7)")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which of them (default: {' '.join(NAMES)})")
    options = parser.parse_args()
    rows = []
    for name in options.names or NAMES:
        print(f"… {name}", file=sys.stderr, flush=True)
        rows += importlib.import_module(f"benchmarks.{name}").run(options.rounds)
    print(table(rows))
    return 0 if all(row.is_reached for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
