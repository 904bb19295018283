"""All pairs of real servers and clients: `python -m tests.e2e [--out FOLDER] [--pair SERVER CLIENT]...`.

Installs what is missing, plays every pair directly, recorded and replayed, and writes the result into README.md beside
this file, if all pairs were played. Exit code 1 where a client could tell a difference.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.e2e import table
from tests.e2e.pair import Played, play
from tests.e2e.software import fresh, pairs
from tests.real import software

README = Path(__file__).with_name("README.md")


def main() -> int:
    """Play them, print what differs, and keep the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.e2e", description=__doc__)
    parser.add_argument("--out", type=Path, help="where to leave cassettes and logs (default: a temporary folder)")
    parser.add_argument("--jobs", type=int, default=2, help="pairs played at once (default: 2)")
    parser.add_argument("--pair", nargs=2, action="append", metavar=("SERVER", "CLIENT"), help="only this pair")
    options = parser.parse_args()
    if software.install():
        return 1
    out = options.out or Path(tempfile.mkdtemp(prefix="mcpmock-e2e-"))
    chosen = [(server, client) for server, client in options.pair or pairs()]
    start = time.monotonic()
    with ThreadPoolExecutor(options.jobs) as pool:
        results = dict(zip(chosen, pool.map(lambda pair: _tell(pair, out.absolute()), chosen), strict=True))
    print(f"{len(chosen)} pairs in {time.monotonic() - start:.0f} s; cassettes and logs are in {out}")
    if not options.pair:
        README.write_text(table.text(results), encoding="utf-8")
    return 1 if any(result.faults for result in results.values()) else 0


def _tell(pair: tuple[str, str], out: Path) -> Played:
    """Play a pair, and print what came of it at once."""
    server, client = pair
    result = play(server, client, fresh(out / f"{server}.{client}"))
    print(f"{server:20}{client:22}{'; '.join(fault[:500] for fault in result.faults) or 'equal'}", flush=True)
    return result


if __name__ == "__main__":
    sys.exit(main())
