"""The secrets of a recording: what is looked for elsewhere, and for how long."""

from __future__ import annotations

from mcpmock.cassette.redaction.vault import Vault


def test_numbers_are_given_out_when_a_placeholder_is_first_used() -> None:
    """Ours: what else is in somebody's environment does not change a cassette."""
    vault = Vault()
    vault.foresee("swordfish", "password")
    vault.foresee("other-fish", "password")
    assert vault.replace("other-fish") == "~secret.password.1~"
    assert vault.replace("swordfish") == "~secret.password.2~"


def test_the_longest_secret_wins_and_placeholders_are_not_looked_into() -> None:
    """Ours."""
    vault = Vault()
    vault.foresee("password", "secret")
    vault.foresee("password-1", "password")
    assert vault.replace("password-1 ~secret.password.7~") == "~secret.password.1~ ~secret.password.7~"


def test_a_secret_stands_alone_unless_it_cannot_be_mistaken() -> None:
    """Ours: `admin1` is no part of `admin12`; 16 letters and digits are themselves anywhere."""
    vault = Vault()
    vault.foresee("admin1", "password")
    vault.foresee("4a6f8c1e9b2d7035", "token")
    assert vault.replace("admin12 admin1. x4a6f8c1e9b2d7035y") == "admin12 ~secret.password.1~. x~secret.token.1~y"


def test_what_is_too_short_is_looked_for_nowhere() -> None:
    """Ours."""
    vault = Vault()
    assert vault.placeholder("admin", "password", is_certain=True) == "~secret.password.1~"
    assert not vault.may_be_in("admin")
    assert vault.replace("admin") == "admin"


def test_an_endless_recording_forgets_the_oldest_of_what_it_found_on_the_way() -> None:
    """Ours: 600 secrets later it is no longer looked for elsewhere; it keeps its placeholder, and what was known from
    the start stays."""
    vault = Vault()
    vault.foresee("from-the-start", "token")
    vault.keep()
    for number in range(600):
        vault.placeholder(f"secret-{number:04}", "token", is_certain=True)
    assert not vault.may_be_in("secret-0000")
    assert vault.may_be_in("secret-0599")
    assert vault.may_be_in("from-the-start")
    assert vault.placeholder("secret-0000", "token", is_certain=False) == "~secret.token.1~"


def test_what_is_known_is_neither_counted_nor_looked_for_twice() -> None:
    """Ours: a secret may be told again and again."""
    vault = Vault()
    for _ in range(3):
        assert vault.placeholder("swordfish", "password", is_certain=True) == "~secret.password.1~"
    vault.foresee("swordfish", "token")
    assert vault.replace("swordfish") == "~secret.password.1~"
