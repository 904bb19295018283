"""A recording made in one folder by one user is replayed in another for another (issue 4, item 2)."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

from tests.program import run

SERVER = """
import json, os, sys
home = os.environ["HOME"]
print("reads", os.getcwd(), file=sys.stderr)
for line in sys.stdin:
    asked = json.loads(line)
    path = asked["params"]["arguments"]["path"]
    text = f"read {path} of {os.getcwd()} at {home}, file://{home}/x"
    data = {path: home, "cache": os.environ.get("CACHE")}
    answer = {"content": [{"type": "text", "text": text}], "structuredContent": data}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": answer}), flush=True)
"""


class Place(NamedTuple):
    """Where somebody works, and as whom."""

    home: Path
    work: Path

    @staticmethod
    def of(folder: Path, user: str) -> Place:
        """A home, and a project in it, with the server."""
        place = Place(folder / "home" / user, folder / "home" / user / "my project")
        place.work.mkdir(parents=True)
        (place.work / "server.py").write_text(SERVER)
        return place

    def talk(self, *arguments: str | Path, path: str = "a.txt") -> tuple[Any, int]:
        """What a client gets that asks for a file in this folder, and the exit code."""
        params = {"name": "read", "arguments": {"path": f"{self.work}/{path}"}}
        asked = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
        done = run(*arguments, stdin=asked.encode() + b"\n", cwd=self.work, env={"HOME": str(self.home)})
        return json.loads(done.stdout), done.returncode


def moved(answer: Any, source: Place, target: Place) -> Any:
    """The answer, if it had been given in another place."""
    text = json.dumps(answer).replace(f"file://{source.home}", f"file://{target.home}")
    return json.loads(text.replace(str(source.home), str(target.home)))


def record(place: Place, cassette: Path, *options: str) -> Any:
    """Record one call, with a cache in the home folder."""
    command = [sys.executable, str(place.work / "server.py")]
    answer, _ = place.talk("record", "-o", cassette, f"--env=CACHE={place.home}/c", *options, "--", *command)
    return answer


def test_it_replays_in_another_folder_for_another_user(tmp_path: Path) -> None:
    """Ours (issue 4): what the client gets differs by the folders, and by nothing else."""
    ann, bob = Place.of(tmp_path / "x", "ann"), Place.of(tmp_path / "y", "bob")
    recorded = record(ann, tmp_path / "c.yaml")
    assert ann.talk("replay", tmp_path / "c.yaml") == (recorded, 0)
    assert bob.talk("replay", tmp_path / "c.yaml") == (moved(recorded, ann, bob), 0)


def test_the_user_is_not_named_in_the_recording(tmp_path: Path) -> None:
    """Ours (DESIGN 3): "keep user names out of bug reports": messages, command, environment and stderr."""
    record(Place.of(tmp_path / "x", "ann"), tmp_path / "c.yaml")
    text = (tmp_path / "c.yaml").read_text()
    assert "home/ann" not in text
    assert "~var.work~/server.py" in text
    assert "CACHE: ~var.home~/c" in text
    assert "reads ~var.work~" in text


def test_recorded_in_another_place_it_is_the_same_text(tmp_path: Path) -> None:
    """Ours (DESIGN 3, "Stable"): but for the times."""
    texts = []
    for user in ("ann", "bob"):
        record(Place.of(tmp_path / user, user), tmp_path / f"{user}.yaml")
        texts.append((tmp_path / f"{user}.yaml").read_text().partition("  timing:")[0])
    assert texts[0] == texts[1]


def test_a_folder_of_its_own_name_is_given_at_both_ends(tmp_path: Path) -> None:
    """Ours (issue 4): `--var NAME=VALUE` on both sides; another value than the client's is a miss that names it."""
    ann, bob = Place.of(tmp_path / "x", "ann"), Place.of(tmp_path / "y", "bob")
    recorded = record(ann, tmp_path / "c.yaml", "--var", f"project={ann.work}/")
    assert "path: ~var.project~/a.txt" in (tmp_path / "c.yaml").read_text()
    answer, code = bob.talk("replay", tmp_path / "c.yaml", "--var", f"project={bob.work}")
    assert (answer["result"], code) == (moved(recorded, ann, bob)["result"], 0)
    answer, code = bob.talk("replay", "--var=project=/elsewhere", tmp_path / "c.yaml")
    assert code == 3
    assert 'the variable project is "/elsewhere", here it would be' in answer["error"]["message"]
    assert f"--var 'project={bob.work}'" in answer["error"]["data"]["mcpmock"]["hint"]


def test_without_variables_folders_stay_as_they_are(tmp_path: Path) -> None:
    """Ours (issue 4): `--no-vars`, but for those that are given."""
    ann, bob = Place.of(tmp_path / "x", "ann"), Place.of(tmp_path / "y", "bob")
    recorded = record(ann, tmp_path / "c.yaml", "--no-vars")
    assert "~var" not in (tmp_path / "c.yaml").read_text()
    assert ann.talk("replay", tmp_path / "c.yaml") == (recorded, 0)
    assert bob.talk("replay", tmp_path / "c.yaml")[1] == 3
    record(ann, tmp_path / "d.yaml", "--no-vars", "--no-redact", f"--var=w={ann.work}")
    assert "~var.w~/a.txt" in (tmp_path / "d.yaml").read_text()
    assert "~var.home~" not in (tmp_path / "d.yaml").read_text()


def test_check_and_show_name_the_variables(tmp_path: Path) -> None:
    """Ours (issue 4)."""
    record(Place.of(tmp_path, "ann"), tmp_path / "c.yaml")
    for command in ("check", "show"):
        (told,) = re.findall(r"variables: (.*)", run(command, tmp_path / "c.yaml").stdout.decode())
        # The tests' own folder may be one in the temporary folder, which then is a variable of the demo's command.
        assert [name for name in told.split(", ") if name != "temp"] == ["home", "work"]


def test_a_variable_that_is_not_there_is_told(tmp_path: Path) -> None:
    """Ours: a name that is misspelt changes nothing, and nobody saw it."""
    (tmp_path / "c.yaml").write_text("version: 1\nsessions:\n- command: [a, ~var.work~]\n  entries: []\n")
    said = run("replay", tmp_path / "c.yaml", "--var", "wrok=/x", "--var", "work=/y").stderr.decode()
    assert f"mcpmock: --var wrok: there is no ~var.wrok~ in {tmp_path / 'c.yaml'}; it has work\n" in said
    assert "--var work" not in said


def test_the_report_tells_what_they_stood_for(tmp_path: Path) -> None:
    """Ours (issue 4): `--report`."""
    ann = Place.of(tmp_path, "ann")
    record(ann, tmp_path / "c.yaml")
    ann.talk("replay", tmp_path / "c.yaml", "--report", tmp_path / "r.json")
    assert json.loads((tmp_path / "r.json").read_text())["variables"] == {"work": str(ann.work)}
