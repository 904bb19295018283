"""All benchmarks: `python -m benchmarks [NAME...] [--rounds N] [--rivals [PYTHON]]`; prints ratios beside the goals."""

from __future__ import annotations

import argparse
import importlib
import sys

from benchmarks import rivals
from benchmarks.measure import table

NAMES = (
    "startup",
    "round_trips",
    "lookup",
    "loading",
    "hostile",
    "saving",
    "recording",
    "memory",
    "relays",
    "fixtures",
    "http_recording",
    "sessions",
    "http_replay",
)


def main() -> int:
    """Run the chosen ones; exit code 1 where a goal was missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--rounds", type=int, default=7, help="rounds of each comparison (default: 7)")
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"which of them (default: {' '.join(NAMES)}; there is also: rivals)"
    )
    parser.add_argument(
        "--rivals",
        nargs="?",
        const="",
        metavar="PYTHON",
        help="also install and measure the rivals, with this interpreter of 3.12 or later (default: one on the path)",
    )
    options = parser.parse_args()
    rows = []
    chosen = list(options.names or NAMES)
    if options.rivals is not None and "rivals" not in chosen:
        chosen.append("rivals")
    for name in chosen:
        print(f"… {name}", file=sys.stderr, flush=True)
        if name == "rivals":
            rows += rivals.run(options.rounds, options.rivals or "")
        else:
            rows += importlib.import_module(f"benchmarks.{name}").run(options.rounds)
    print(table(rows))
    return 0 if all(row.is_reached for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
