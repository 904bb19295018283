"""How many secrets redaction finds, and how much it takes for one: measured on the corpus, with a floor."""

from __future__ import annotations

from collections import Counter

from mcpmock.cassette.redaction.redactor import Redactor
from mcpmock.wire.message import dumps
from tests.cassette.corpus import KINDS, negatives, positives
from tests.cassette.encodings_planted import traces

RECALL = 0.998
PRECISION = 0.99


def measured() -> tuple[Counter[str], Counter[str], Counter[str], Counter[str]]:
    """Found and all positives by kind and how; wrongly masked and all negatives by what they hold."""
    found: Counter[str] = Counter()
    planted: Counter[str] = Counter()
    for case in positives():
        left = dumps(Redactor().message(case.message).body)
        whole = case.kind.startswith("by ")
        is_found = case.secret not in left if whole else not any(trace in left for trace in traces(case.secret))
        for group in (case.kind, case.how):
            planted[group] += 1
            found[group] += is_found
    wrong: Counter[str] = Counter()
    harmless: Counter[str] = Counter()
    for what, message in negatives():
        harmless[what] += 1
        wrong[what] += Redactor().message(message) is not message
    return found, planted, wrong, harmless


def test_redaction_finds_nearly_all_and_takes_little_for_a_secret() -> None:
    """Issue 4: figures for recall and precision; `tests/README.md` tells them."""
    found, planted, wrong, harmless = measured()
    missed = {group: f"{found[group]} of {planted[group]}" for group in planted if found[group] < planted[group]}
    recall = sum(found.values()) / sum(planted.values())
    precision = sum(found.values()) / (sum(found.values()) + 2 * sum(wrong.values()))
    print(f"{planted.total() // 2} secrets, recall {recall:.4f}; {harmless.total()} harmless, wrong {wrong.total()}")
    assert recall >= RECALL, missed
    assert precision >= PRECISION, wrong
    assert wrong.total() <= harmless.total() * (1 - PRECISION), wrong


def test_at_least_forty_kinds_are_known() -> None:
    """Issue 4."""
    assert len(KINDS) >= 40
