"""All pairs of real servers and clients: `python -m tests.e2e [--http | --stateless] [--out FOLDER] [--pair ...]...`.

Installs what is missing, plays every pair directly, recorded and replayed, and writes the result into README.md beside
this file, if all pairs were played. With --http: every server that can be reached so, over Streamable HTTP and
HTTP+SSE, recorded by the proxy and replayed on all three transports. With --stateless: those that speak 2026-07-28, in
all modes, through the pytest fixture too, and each with the recordings of the other SDK.
Exit code 1 where a client can tell a difference.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.e2e import crossed, over_http, stateless, table
from tests.e2e.pair import Played, play
from tests.e2e.software import CLIENTS, fresh, pairs
from tests.real import software

_PLAIN = [name for name, client in CLIENTS.items() if not client.probes and not client.starts_each_time]
README = Path(__file__).with_name("README.md")


def main() -> int:
    """Play them, print what differs, and keep the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.e2e", description=__doc__)
    parser.add_argument("--out", type=Path, help="where to leave cassettes and logs (default: a temporary folder)")
    parser.add_argument("--jobs", type=int, default=2, help="pairs played at once (default: 2)")
    parser.add_argument("--pair", nargs=2, action="append", metavar=("SERVER", "CLIENT"), help="only this pair")
    parser.add_argument("--http", action="store_true", help="over HTTP, on both its transports")
    parser.add_argument("--stateless", action="store_true", help="those that speak 2026-07-28, over stdio and HTTP")
    options = parser.parse_args()
    if software.install():
        return 1
    out = options.out or Path(tempfile.mkdtemp(prefix="mcpmock-e2e-"))
    if options.http:
        return _over_http(options.pair or [], out.absolute(), options.jobs)
    if options.stateless:
        return _stateless(options.pair or [], out.absolute(), options.jobs)
    chosen = [(server, client) for server, client in options.pair or pairs()]
    start = time.monotonic()
    with ThreadPoolExecutor(options.jobs) as pool:
        results = dict(zip(chosen, pool.map(lambda pair: _tell(pair, out.absolute()), chosen), strict=True))
    print(f"{len(chosen)} pairs in {time.monotonic() - start:.0f} s; cassettes and logs are in {out}")
    if not options.pair:
        table.keep(README, table.text(results))
    return 1 if any(result.faults for result in results.values()) else 0


def _over_http(pairs: list[list[str]], out: Path, jobs: int) -> int:
    """Play pairs over HTTP, all of them if none is given."""
    names = [tuple(pair) for pair in pairs] or [(server, client) for server in over_http.SERVERS for client in _PLAIN]
    chosen = [(server, client, way) for server, client in names for way in over_http.SERVERS[server].ways]
    with ThreadPoolExecutor(jobs) as pool:
        results = dict(zip(chosen, pool.map(lambda one: _tell_over_http(*one, out), chosen), strict=True))
    if not pairs:
        table.keep(README, table.http_text(results))
    return 1 if any(result.faults for result in results.values()) else 0


def _stateless(pairs: list[list[str]], out: Path, jobs: int) -> int:
    """Play pairs that speak 2026-07-28, all of them if none is given; and to each client what the others recorded."""
    chosen = [one for one in stateless.combinations() if not pairs or list(one[:2]) in pairs]
    with ThreadPoolExecutor(jobs) as pool:
        results = dict(zip(chosen, pool.map(lambda one: _tell_stateless(one, out), chosen), strict=True))
        there = [one for one in crossed.crossings() if {one.recorded, one.model} <= set(chosen)]
        crossings = dict(zip(there, pool.map(lambda one: _tell_crossed(one, out), there), strict=True))
    if not pairs:
        table.keep(README, table.stateless_text(results, crossings))
    return 1 if any(result.faults for result in results.values()) or any(crossings.values()) else 0


def _tell_crossed(crossing: crossed.Crossing, out: Path) -> list[str]:
    recorded, client = crossing
    faults = crossed.play(crossing, fresh(out / ".".join([*recorded, client])), out)
    told = "; ".join(fault[:500] for fault in faults) or "equal"
    print(f"{recorded.server:20}{recorded.client:22}{recorded.transport:6}played to {client:22}{told}", flush=True)
    return faults


def _tell_stateless(pair: stateless.Pair, out: Path) -> over_http.PlayedAcross:
    result = stateless.play(pair, fresh(out / ".".join(pair)))
    told = "; ".join(fault[:500] for fault in result.faults) or "equal"
    print(f"{pair.server:20}{pair.client:22}{pair.transport:6}{told}", flush=True)
    return result


def _tell_over_http(server: str, client: str, way: over_http.Way, out: Path) -> over_http.PlayedAcross:
    result = over_http.play(server, client, way, fresh(out / f"{server}.{client}.{way}"))
    told = "; ".join(fault[:500] for fault in result.faults) or "equal"
    print(f"{server:20}{client:22}{way:6}{told}", flush=True)
    return result


def _tell(pair: tuple[str, str], out: Path) -> Played:
    """Play a pair, and print what came of it at once."""
    server, client = pair
    result = play(server, client, fresh(out / f"{server}.{client}"))
    print(f"{server:20}{client:22}{'; '.join(fault[:500] for fault in result.faults) or 'equal'}", flush=True)
    return result


if __name__ == "__main__":
    sys.exit(main())
