"""A corpus that redaction is measured by: secrets by shape, by name and by context, in places and encodings; and texts
that hold none. Made by code from numbers, so that nobody's secrets are in it, and the same every time.
"""

from __future__ import annotations

import json
import random
import re
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha1, sha256
from typing import Final, NamedTuple
from uuid import UUID

from mcpmock.cassette.redaction.token_table import SHAPES
from mcpmock.wire.message import Message
from tests.cassette.encodings_planted import ENCODINGS
from tests.cassette.secrets_planted import PLACES, answered, call, planted

LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


class Case(NamedTuple):
    """A message with a secret, by the kind of which it is and by how it is written."""

    kind: str
    how: str
    secret: str
    message: Message


def random_text(dice: random.Random, letters: str, length: int) -> str:
    """So many of these letters."""
    return "".join(dice.choice(letters) for _ in range(length))


PUBLIC_SHAPES: Final[dict[str, str]] = {
    "github_token": "ghp_{36w}", "github_token, fine-grained": "github_pat_{22w}_{59w}", "gitlab_token": "glpat-{20w}",
    "npm_token": "npm_{36w}", "pypi_token": "pypi-AgEIcHlwaS5vcmc{90w}", "docker_token": "dckr_pat_{27w}",
    "anthropic_key": "sk-ant-api03-{93w}AA", "openai_key": "sk-proj-{48w}", "openai_key, old": "sk-{20w}T3BlbkFJ{20w}",
    "huggingface_token": "hf_{34l}", "google_key": "AIza{35w}", "google_token": "ya29.{120w}", "groq_key": "gsk_{52w}",
    "replicate_token": "r8_{37w}", "tavily_key": "tvly-dev-{32w}", "aws_key_id": "AKIA{16u}",
    "digitalocean_token": "dop_v1_{64h}", "databricks_token": "dapi{32h}", "slack_token": "xoxb-{12d}-{12d}-{24w}",
    "slack_token, app": "xapp-1-A{10u}-{13d}-{64h}", "telegram_token": "{10d}:AA{33w}",
    "sendgrid_key": "SG.{22w}.{43w}",
    "mailgun_key": "key-{32h}", "mailchimp_key": "{32h}-us12", "twilio_key": "SK{32h}", "stripe_key": "sk_live_{24w}",
    "stripe_key, restricted": "rk_live_{24w}", "square_token": "sq0atp-{22w}", "shopify_token": "shpat_{32h}",
    "notion_token": "ntn_{46w}", "linear_key": "lin_api_{40w}", "figma_token": "figd_{40w}",
    "atlassian_token": "ATATT3xFfGF0{180w}", "airtable_token": "pat{14w}.{64h}", "postman_key": "PMAK-{24h}-{34h}",
    "sentry_token": "sntryu_{64h}", "newrelic_key": "NRAK-{27u}", "grafana_token": "glsa_{32w}_{8h}",
    "vault_token": "hvs.{95w}", "doppler_token": "dp.pt.{43w}", "pulumi_token": "pul-{40h}",
    "netlify_token": "nfp_{40w}",
    "supabase_key": "sbp_{40h}", "planetscale_token": "pscale_tkn_{43w}", "rubygems_token": "rubygems_{48h}",
    "hubspot_token": "pat-na1-{8h}-{4h}-{4h}-{4h}-{12h}", "contentful_token": "CFPAT-{43w}",
    "typeform_token": "tfp_{44w}",
    "dynatrace_token": "dt0c01.{24u}.{64u}", "posthog_key": "phx_{43w}", "langsmith_key": "lsv2_pt_{32h}_{10h}",
    "perplexity_key": "pplx-{48w}", "xai_key": "xai-{80w}", "pinecone_key": "pcsk_{60w}", "firecrawl_key": "fc-{32h}",
    "context7_key": "ctx7sk-{8h}-{4h}-{4h}-{4h}-{12h}",
    "alibaba_key_id": "LTAI{20w}", "heroku_key": "HRKU-{8h}-{4h}-{4h}-{4h}-{12h}", "age_key": "AGE-SECRET-KEY-1{58u}",
    "jwt": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI{20w}.{43w}", "asana_token": "1/{16d}:{32h}", "dropbox_token": "sl.{130w}",
    "artifactory_token": "AKCp8{68w}", "clojars_token": "CLOJARS_{60h}", "nuget_key": "oy2{43h}",
    "sonar_token": "squ_{40h}", "sourcegraph_token": "sgp_{16h}_{40h}", "buildkite_token": "bkua_{40h}",
    "circleci_token": "CCIPAT_{22w}_{40h}", "harness_token": "pat.{22w}.{24h}.{20w}", "octopus_key": "API-{26u}",
    "deno_token": "ddp_{36w}", "nvidia_key": "nvapi-{64w}", "cerebras_key": "csk-{48h}", "fireworks_key": "fw_4{23w}",
    "together_key": "tgp_v1_{43w}", "elevenlabs_key": "sk_{48h}", "jina_key": "jina_{32h}{28w}",
    "voyage_key": "pa-7Q{41w}", "langfuse_key": "sk-lf-{8h}-{4h}-{4h}-{4h}-{12h}", "wandb_key": "wandb_v1_{70w}",
    "kaggle_token": "KGAT_{32h}", "google_key, new": "AQ.Ab8RN6{44w}", "e2b_key": "e2b_{40h}",
    "browserbase_key": "bb_live_{27w}", "apify_token": "apify_api_{36w}", "aws_bedrock_key": "ABSK{110w}",
    "cloudflare_token": "v1.0-{24h}-{146h}", "render_key": "rnd_4b{26w}", "neon_key": "napi_{64h}",
    "tailscale_key": "tskey-auth-{17w}-{32w}", "openshift_token": "sha256~{43w}", "yandex_token": "y0_{55w}",
    "prefect_key": "pnu_{36w}", "mapbox_token": "sk.eyJ1Ijoi{50w}.{22w}", "maxmind_key": "{6w}_{29w}_mmk",
    "firebase_key": "AAAA{7w}:APA91b{134w}", "adafruit_key": "aio_{28w}", "brevo_key": "xkeysib-{64h}-{16w}",
    "resend_key": "re_4b{6w}_{24w}", "mailgun_key, new": "{32h}-{8h}-{8h}", "facebook_token": "EAAC{120w}",
    "plaid_token": "access-sandbox-{8h}-{4h}-{4h}-{4h}-{12h}", "razorpay_key": "rzp_live_{14w}",
    "flutterwave_key": "FLWSECK_TEST-{32h}-X", "easypost_key": "EZAK{54w}", "shippo_token": "shippo_live_{40h}",
    "duffel_token": "duffel_live_{43w}", "zoho_token": "1000.{32h}.{32h}", "salesforce_token": "00D{12w}!AQ{90w}",
    "trello_token": "ATTA{64h}", "clickup_token": "pk_{8d}_{32u}", "onepassword_key": "A3-{6u}-{11u}-{5u}-{5u}-{5u}",
    "readme_key": "rdme_{70h}", "honeycomb_key": "hcaik_{58h}", "launchdarkly_key": "api-{8h}-{4h}-{4h}-{4h}-{12h}",
    "api_key": "somebody_live_4b{26w}", "api_key, with dashes": "somebody-secret-4b{30w}",
}  # fmt: skip
"""Tokens as the services describe them: `{36w}` are 36 letters and digits, l letters, d digits, h hexadecimal digits,
u capitals and digits. Written down apart from the patterns that have to find them."""

_SETS: Final = {"w": LETTERS + "0123456789", "l": LETTERS, "d": "0123456789", "h": "0123456789abcdef",
                "u": "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"}  # fmt: skip

NAMES: Final = (
    "password", "apiKey", "api_key", "secret", "clientSecret", "client_secret", "access_token", "refreshToken", "token",
    "Authorization", "X-Api-Key", "private_key", "credentials", "db_password", "passphrase", "Cookie", "webhookSecret",
)  # fmt: skip
CONTEXTS: Final = (
    "postgres://bob:{}@db.example/x", "https://h.example/x?access_token={}&a=1", "password={} user=bob",
    "Authorization: Bearer {}", "export API_KEY={}", "--password {} --verbose", "<password>{}</password>",
    'config = {{"client_secret": "{}"}}', "the token is {}", "Cookie: sid={}; theme=dark", "db password: {}",
)  # fmt: skip


def secrets(dice: random.Random) -> Iterator[tuple[str, str]]:
    """A token of each known shape, by its kind."""
    for kind, shape in PUBLIC_SHAPES.items():
        yield kind, re.sub(r"\{(\d+)(\w)\}", lambda part: random_text(dice, _SETS[part[2]], int(part[1])), shape)


def positives() -> Iterator[Case]:
    """Messages that hold a secret."""
    dice = random.Random(4)
    places = sorted(PLACES)
    for kind, secret in secrets(dice):
        for how, encoded in ENCODINGS.items():
            for place in dice.sample(places, 4):
                yield Case(kind, how, secret, planted(place, f"see {encoded(secret)} there"))
    for how in NAMES:
        for _ in range(4):
            secret = random_text(dice, _SETS["w"], 9) + "7a"
            yield Case("by name", how, secret, call({"outer": [{how: secret}]}))
            yield Case("by name", f"{how} in a text", secret, answered(f"got {json.dumps({how: secret})}"))
    for how in CONTEXTS:
        for _ in range(4):
            secret = random_text(dice, _SETS["w"], 11) + "4b"
            yield Case("by context", how, secret, answered(how.format(secret)))


_PROSE: Final = (
    "The password must have 12 characters; your token expires after an hour.",
    "See the section on authentication keys.",
    "Set API_KEY to your key.", "Bearer authentication is required.", "max_tokens=100 temperature=0.7",
    "def token(self): return self._token", "Usage: run --token TOKEN --secret-file FILE", "basic knowledge of secrets",
    "https://h.example/docs?page=2&sort=key#tokens", "user@host.example wrote to git@github.com:owner/repo.git",
    "secret: ${SECRET}", "password: ********", "connect(password=password, token=config.token)",
    "sk-learn and pip-tools",
)  # fmt: skip


def negatives() -> Iterator[tuple[str, Message]]:
    """Messages that hold none, by what they hold."""
    dice = random.Random(5)
    for number in range(40):
        data = dice.randbytes(16)
        yield "uuid", call({"id": str(UUID(bytes=data)), "trace": UUID(bytes=data).hex})
        yield "git", answered(f"commit {sha1(data).hexdigest()}\nindex {sha1(data).hexdigest()[:7]}..ab12cd3 100644")
        yield "hash", answered(f"sha256:{sha256(data).hexdigest()} sha512-{b64encode(dice.randbytes(64)).decode()}")
        image = b64encode(b"\x89PNG\r\n\x1a\n" + dice.randbytes(300 + 50 * number)).decode()
        yield (
            "image",
            planted("a text", "x")._replace(
                body={"id": 1, "result": {"content": [{"type": "image", "mimeType": "image/png", "data": image}]}}
            ),
        )
        words = " ".join(dice.choice(_PROSE) for _ in range(6))
        yield "prose", answered(words)
        yield "encoded prose", answered(f"{b64encode(words.encode()).decode()} {words.encode().hex()}")
        yield "numbers", call({"at": "2026-11-30T07:00:00.000Z", "n": dice.random(), "version": f"1.{number}.0-beta.2"})
        yield "schema", planted("a text", "x")._replace(body=_schema(dice))
        yield "paths", answered(f"/home/user/project-{number}/src/authentication/token_parser.py:{number}:12 in parse")
        yield (
            "cursor",
            planted("a text", "x")._replace(
                body={"id": 1, "result": {"tools": [], "nextCursor": b64encode(dice.randbytes(24)).decode()}}
            ),
        )


def _schema(dice: random.Random) -> dict[str, object]:
    names = dice.sample(["password", "token", "apiKey", "secret", "path", "count", "maxTokens", "auth", "key"], 5)
    properties = {name: {"type": "string", "description": f"the {name} to use"} for name in names}
    schema = {"type": "object", "properties": properties, "required": names}
    return {"id": 1, "result": {"tools": [{"name": f"get_{names[0]}", "description": "x", "inputSchema": schema}]}}


KINDS: Final = frozenset(shape.name for shape in SHAPES)
