"""Variables in play (DESIGN 3, "Placeholders are variables"): what they match, what they bind, what answers get."""

from __future__ import annotations

import json

import pytest

from mcpmock.cassette.reader import load
from mcpmock.cassette.uri_paths import spellings
from mcpmock.cassette.variables import VariableMask
from mcpmock.matching.pages import page
from mcpmock.matching.ways import ways_in_python
from mcpmock.session.playing.live import Options
from mcpmock.session.playing.playback import Playback
from mcpmock.session.showing.doubts import doubts
from mcpmock.session.showing.selfcheck import selfcheck
from tests.session.dialogue import HANDSHAKE, continue_dialogue, dialogue, playback, recorded

HERE = {"home": "/home/bob", "temp": "/tmp", "work": "/home/bob/here"}
MISS = "< miss near miss 1"


def read(path: str, live_id: int = 1) -> str:
    """A line of a talk."""
    return f"> {{id: {live_id}, method: tools/call, params: {{name: read, arguments: {{path: {json.dumps(path)}}}}}}}\n"


def said(text: str, live_id: int = 1) -> str:
    """The line that answers it."""
    return f"< {{id: {live_id}, result: {{text: {json.dumps(text)}}}}}\n"


def options(given: dict[str, str] | None = None, folders: dict[str, str] | None = None) -> Options:
    """The options of who replays."""
    return Options(vars=given or {}, folders=lambda: folders or {})


READ = recorded(read("~var.work~/a.txt") + said("read ~var.work~/a.txt, home is ~var.home~"))


def test_a_request_matches_with_what_the_replaying_user_gives() -> None:
    """Ours (DESIGN 3): "match what the replaying user gives"."""
    talk = read("/there/a.txt") + said("read /there/a.txt, home is /h")
    dialogue(READ, talk, options=options({"work": "/there", "home": "/h"}))
    dialogue(READ, read("/other/a.txt") + MISS, options=options({"work": "/there"}))


def test_a_request_matches_with_the_first_live_value() -> None:
    """Ours (DESIGN 3): "or the first live value", and the same one from then on."""
    cassette = recorded(read("~var.work~/a.txt") + said("a") + read("~var.work~/b.txt", 2) + said("~var.work~", 2))
    dialogue(cassette, read("/x y/a.txt") + said("a") + read("/x y/b.txt", 2) + said("/x y", 2))
    dialogue(cassette, read("/x/a.txt") + said("a") + read("/y/b.txt", 2) + "< miss near miss 2")


def test_with_neither_answers_get_the_folders_of_this_machine() -> None:
    """Ours (DESIGN 3): "with neither, answers get this machine's own folders"."""
    cassette = recorded("> {id: 1, method: x/own}\n" + said("~var.work~ ~var.home~ ~var.temp~ ~var.project~"))
    talk = "> {id: 1, method: x/own}\n" + said("/home/bob/here /home/bob /tmp ~var.project~")
    dialogue(cassette, talk, options=options(folders=HERE))


def test_what_is_bound_wins_over_the_folders_of_this_machine() -> None:
    """Ours (DESIGN 3)."""
    talk = read("/elsewhere/a.txt") + said("read /elsewhere/a.txt, home is /home/bob")
    dialogue(READ, talk, options=options(folders=HERE))


def test_of_several_ways_to_divide_a_path_the_folder_of_this_machine_is_tried_first() -> None:
    """Ours: who replays in the folder itself gets what was recorded for it, in whatever order it asks."""
    cassette = recorded(read("~var.work~/a.txt") + said("1") + read("~var.work~/sub/a.txt", 2) + said("2", 2))
    dialogue(cassette, read("/home/bob/here/sub/a.txt") + said("2"), options=options(folders=HERE))
    dialogue(cassette, read("/home/bob/here/sub/a.txt") + said("1"))


def test_requests_are_looked_up_as_they_are_first() -> None:
    """Ours (DESIGN 3): "requests are looked up as they are first"; those with placeholders come last."""
    cassette = recorded(read("~var.work~/a.txt") + said("any") + read("/etc/a.txt", 2) + said("exact", 2))
    dialogue(cassette, read("/etc/a.txt") + said("exact"))
    dialogue(cassette, read("/srv/a.txt") + said("any"))


@pytest.mark.parametrize("folder", ["/a b", "/a+b(c)[d].*", "/zoë/日本", "/100%", "/a#b?c", "C:/Users/Ann Lee"])
def test_a_uri_and_a_path_are_the_same_folder(folder: str) -> None:
    """Ours (issue 4): `file:///a%20b` both ways, whichever comes first."""
    from mcpmock.cassette.uri_paths import path_in_uri

    uri = f"file://{path_in_uri(folder)}/b.txt"
    by_uri = read("file://~var.work~/b.txt", 2) + said("~var.work~ file://~var.work~/b.txt", 2)
    cassette = recorded(read("~var.work~/a.txt") + said("file://~var.work~/a.txt") + by_uri)
    first = read(f"{folder}/a.txt") + said(uri.replace("b.txt", "a.txt"))
    second = read(uri, 2) + said(f"{folder} {uri}", 2)
    dialogue(cassette, first + second)
    dialogue(cassette, second + first)


def test_a_uri_is_told_back_as_the_client_spells_it() -> None:
    """Ours: other clients encode other characters than we do."""
    cassette = recorded(read("file://~var.work~/a.txt") + said("file://~var.work~ ~var.work~"))
    dialogue(cassette, read("file:///a(b)%2Bc/a.txt") + said("file:///a(b)%2Bc /a(b)+c"))


def test_a_slash_at_the_end_makes_no_difference() -> None:
    """Ours (issue 4)."""
    cassette = recorded(read("~var.work~") + said("~var.work~/a"))
    dialogue(cassette, read("/x/") + said("/x/a"))
    dialogue(cassette, read("/x/") + said("/x/a"), options=options({"work": "/x"}))


def test_other_spellings_of_a_variable_follow_it() -> None:
    """Ours: without symbolic links, and as the value of a parameter; until they are bound themselves."""
    cassette = recorded(
        read("~var.work~/a.txt") + said("~var.work_real~/a ?p=~var.work_encoded~%2Fa")
        + read("~var.work_real~/b.txt", 2) + said("~var.work~ ~var.work_real~", 2)
    )  # fmt: skip
    talk = read("/l i/a.txt") + said("/l i/a ?p=%2Fl%20i%2Fa") + read("/real/b.txt", 2) + said("/l i /real", 2)
    dialogue(cassette, talk)
    dialogue(cassette, talk, options=options({"work": "/l i"}, {**HERE, "work_real": "/r"}))


def test_notifications_progress_and_questions_are_filled() -> None:
    """Ours (DESIGN 3): recorded answers, and all else that the server sends."""
    talk = """
> {id: 1, method: tools/call, params: {name: it, arguments: {path: 'PATH/x'}, _meta: {progressToken: 7}}}
< {method: notifications/progress, params: {progressToken: 7, progress: 1, message: 'at PATH'}}
< {method: notifications/message, params: {level: info, data: {folder: 'PATH'}}}
< {id: 0, method: elicitation/create, params: {message: 'write to PATH?'}}
> {id: 0, result: {action: accept, content: {path: 'PATH/y'}}}
< {id: 1, result: {content: [{type: text, text: 'PATH/y'}]}}
"""
    machine = dialogue(recorded(talk.replace("PATH", "~var.work~")), talk.replace("PATH", "/live"))
    assert not machine.report.different_answers


ROOTS = """
> {id: 1, method: tools/list}
< {id: 0, method: roots/list}
> {id: 0, result: {roots: [{uri: 'file://PATH', name: NAME}]}}
< {id: 1, result: {tools: [], _meta: {folder: 'PATH/x'}}}
"""


@pytest.mark.parametrize("name", ["ann", "bob"])
def test_the_roots_of_the_client_bind_whatever_they_are_called(name: str) -> None:
    """Ours (issue 4): the client's roots tell where it is; that a name differs is only told."""
    cassette = recorded(HANDSHAKE + ROOTS.replace("PATH", "~var.work~").replace("NAME", "ann"))
    talk = HANDSHAKE + ROOTS.replace("PATH", "/live").replace("NAME", name)
    machine = dialogue(cassette, talk, options=options(folders=HERE))
    assert bool(machine.report.different_answers) == (name != "ann")


def test_noise_is_filled_with_folders_but_never_with_secrets() -> None:
    """Ours: stderr goes into logs."""
    request = "> {id: 1, method: tools/call, params: {name: it, arguments: {key: %s, path: '%s/x'}}}\n"
    cassette = recorded(
        request % ("~secret.key.1~", "~var.work~") + '- stderr: "~var.work~ ~secret.key.1~\\n"\n' + said("1")
    )
    talk = request % ("hunter2", "/live") + "< stderr: /live ~secret.key.1~\n" + said("1")
    machine = playback(cassette, Options(noise=True))
    continue_dialogue(machine, talk)


def test_a_text_that_looks_like_a_variable_is_played_as_it_was() -> None:
    """Ours (issue 4): `~var.tilde~` stands for `~`."""
    cassette = recorded(read("~var.tilde~var.home~") + said("~var.tilde~var.home~ ~var.home~"))
    dialogue(cassette, read("~var.home~") + said("~var.home~ /home/bob"), options=options(folders=HERE))
    dialogue(cassette, read("/home/ann") + MISS)


def test_many_files_in_one_folder_are_told_apart_by_their_names() -> None:
    """Ours (DESIGN 6): a look-up does not try them one by one; equal names below different folders are tried."""
    reads = [
        read(f"~var.work~/{number % 50}/{number}.txt", number) + said(f"{number}", number) for number in range(300)
    ]
    machine = playback(recorded("".join(reads)))
    library = machine._library  # how many have to be compared is no part of the talk
    last = library.story.timelines[0].interactions[-1].request
    assert last is not None
    groups = library.index(0).find(last)
    assert [len(group.members) for group in groups] == [1]
    continue_dialogue(machine, read("/w/49/299.txt") + said("299") + read("/w/3/103.txt", 2) + said("103", 2))


# -- when it does not fit


def missed(machine: Playback) -> str:
    """The page about the only miss."""
    (miss,) = machine.report.misses
    return page(miss)


def test_a_miss_names_the_variable_and_the_way_out() -> None:
    """Ours (issue 4): what was given wins over what the client sends, and the miss says so."""
    machine = dialogue(READ, read("/other/a.txt") + MISS, options=options({"work": "/there"}))
    told = missed(machine)
    assert 'the variable work is "/there", here it would be "/other"' in told
    assert "--var work=/other" in told
    (miss,) = machine.report.misses
    assert "@mcpmock(vars=" in page(miss, ways_in_python("@mcpmock({})"))
    assert machine.report.to_json()["misses"][0]["error"]["data"]["mcpmock"]["nearest"][0]["variables"] == [  # type: ignore[index, call-overload]
        {"name": "work", "bound": "/there", "live": "/other"}
    ]


def test_a_variable_that_would_need_two_values_in_one_request_is_named() -> None:
    """Ours: a copy from one place to the same one."""
    copy = "> {id: 1, method: tools/call, params: {name: cp, arguments: {a: '%s/x', b: '%s/y'}}}\n"
    machine = dialogue(recorded(copy % ("~var.work~", "~var.work~") + said("1")), copy % ("/p", "/q") + MISS)
    assert 'the variable work is "/p", here it would be "/q"' in missed(machine)


def test_a_path_that_no_folder_can_make_fit_is_shown_with_its_variable() -> None:
    """Ours: folders are no secrets, so both sides are shown, and what to record next time."""
    machine = dialogue(recorded(read("~var.home~/proj/a.txt") + said("1")), read("/elsewhere/a.txt") + MISS)
    told = missed(machine)
    assert "/elsewhere/a.txt" in told
    assert "~var.home~/proj/a.txt" in told
    assert "--var NAME=FOLDER" in told


def test_the_report_tells_what_variables_stand_for_and_no_secret() -> None:
    """Ours (issue 4): `--report`."""
    request = "> {id: 1, method: tools/call, params: {name: it, arguments: {key: %s, path: '%s/x'}}}\n"
    cassette = recorded(request % ("~secret.key.1~", "~var.work~") + said("1"))
    machine = dialogue(cassette, request % ("hunter2", "/live") + said("1"), options=options({"project": "/p"}))
    assert machine.variables.told() == {"project": "/p", "work": "/live"}


def test_a_cassette_with_variables_would_replay_itself() -> None:
    """Ours (DESIGN 3): `mcpmock check`; each variable stands for itself then."""
    cassette = recorded(
        read("~var.work~/a") + said("~var.work_real~ ~var.home~ ~var.tilde~var.x~")
        + read("file://~var.work~/~var.tilde~var.home~", 2) + said("~var.work_encoded~", 2)
    )  # fmt: skip
    assert selfcheck(load(cassette.encode())) == []


def test_a_variable_that_nobody_fills_is_doubted() -> None:
    """Ours: it would reach the client as it is written; home, temp and work are the machine's."""
    cassette = load(
        recorded(read("/a") + said("~var.project~ ~var.home~") + read("~var.x~", 2) + said("~var.x~", 2)).encode()
    )
    assert [doubt.text for doubt in doubts(cassette)] == [
        "the variable project stays as it is, unless it is given: --var project=VALUE"
    ]


@pytest.mark.parametrize("folder", ["/home/ann", "/home/J\u00fcrgen", "/my home/a+b", '/a"b'])
def test_a_folder_in_the_spelling_of_json_or_of_a_uri_is_the_same_folder(folder: str) -> None:
    """Issue 4: who has recorded it can replay it; JSON within a text, with slashes escaped or without."""
    for spelt in spellings(folder):
        text = f"see {spelt}/a.txt"
        masked = VariableMask({"work": folder}).text(text)
        assert masked == "see ~var.work~/a.txt"
        cassette = recorded(read("~var.work~/b.txt") + said("b") + read(masked, 2) + said("~var.work~", 2))
        dialogue(cassette, read(text, 2) + said(folder, 2), options=options({"work": folder}))
        dialogue(cassette, read(f"{folder}/b.txt") + said("b") + read(text, 2) + said(folder, 2))


@pytest.mark.parametrize("spelt", [r"\/home\/ann", r"/home/J\u00fcrgen", r"\/home\/J\u00fcrgen"])
def test_a_folder_that_is_seen_first_in_json_text_is_bound_as_it_is_called(spelt: str) -> None:
    """Issue 4: what is told of it later is a path."""
    path = json.loads(f'"{spelt}"')
    cassette = recorded(read('{"p": "~var.work~/a"}') + said("a") + read("~var.work~/b", 2) + said("~var.work~", 2))
    dialogue(cassette, read(f'{{"p": "{spelt}/a"}}') + said("a") + read(f"{path}/b", 2) + said(path, 2))
