"""What the tests of redaction plant: secrets that look like real ones and belong to nobody, and the places for them."""

from __future__ import annotations

import json
from typing import Final

from mcpmock.wire.message import Json, Message, Object, message_from

GITHUB: Final = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
JWT: Final = (
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4ifQ."
    "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c"
)
PEM: Final = (
    "-----BEGIN RSA PRIVATE KEY-----\n"
    + "MIIEpAIBAAKCAQEA7Zq7yKcLmN3fP1qXbVsJ2hT9wRdE5uYgC8oAiL4nMzKxQpWv\n" * 3
    + "-----END RSA PRIVATE KEY-----"
)

TOKENS: Final[dict[str, str]] = {
    "github_token": GITHUB,
    "gitlab_token": "glpat-" + "xY7kLm92QpRsTuVw3zAb",
    "openai_key": "sk-" + "proj-Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z",
    "anthropic_key": "sk-ant-" + "api03-Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAA",
    "google_key": "AIza" + "SyD3mO4nQ5rS6tU7vW8xY9zA0bC1dE2fG3h",
    "aws_key_id": "AKIA" + "IOSFODNN7EXAMPLE",
    "slack_token": "xoxb-" + "123456789012-1234567890123-AbCdEfGhIjKlMnOpQrStUvWx",
    "stripe_key": "sk_" + "live_4eC39HqLyjWDarjtT1zdp7dc",
    "sendgrid_key": "SG." + "ngeVfQFYQlKU0ufo8x5d1A.TwL2iGABf9DHoTf09kqeF8tAmbihYzrnopKc1s5cr1A",
    "twilio_key": "SK" + "0123456789abcdef0123456789abcdef",
    "npm_token": "npm_" + "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb3d",
    "pypi_token": "pypi-" + "AgEIcHlwaS5vcmcCJDU0ZTMwYzQ1LWFiY2QtNGUyMi1hZWE",
    "huggingface_token": "hf_" + "AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEfGh",
    "telegram_token": "110201543:" + "AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1",
    "notion_token": "ntn_" + "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb3dEf6hIj9kLm",
    "linear_key": "lin_api_" + "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb3dEf6h",
    "figma_token": "figd_" + "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z",
    "shopify_token": "shpat_" + "0123456789abcdef0123456789abcdef",
    "digitalocean_token": "dop_v1_" + "0123456789abcdef" * 4,
    "databricks_token": "dapi" + "0123456789abcdef0123456789abcdef",
    "sentry_token": "sntrys_" + "eyJpYXQiOjE2ODczMzY1NDMuNjk4NTksInVybCI6bnVsbCwi",
    "postman_key": "PMAK-" + "0123456789abcdef01234567-0123456789abcdef0123456789abcdef01",
    "vault_token": "hvs." + "CAESIJlU02LnEoAb3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z",
    "doppler_token": "dp.pt." + "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb3dEf6h",
    "atlassian_token": "ATATT3" + "xFfGF0Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb3dEf6hIj9kLm",
    "jwt": JWT,
}
"""A token of each of the best known shapes, by the name of its placeholder."""

PLACES: Final[dict[str, str]] = {
    "an argument": '{"method":"tools/call","id":1,"params":{"name":"t","arguments":{"q":$SECRET}}}',
    "a nested argument": '{"method":"tools/call","id":1,"params":{"name":"t","arguments":{"a":[{"b":["x",$SECRET]}]}}}',
    "a text": '{"id":1,"result":{"content":[{"type":"text","text":$SECRET}]}}',
    "structured content": '{"id":1,"result":{"content":[],"structuredContent":{"x":{"name":$SECRET}}}}',
    "an embedded resource": '{"id":1,"result":{"content":[{"type":"resource","resource":{"uri":"a:b","text":$SECRET}}]}'
    "}",
    "a resource": '{"id":1,"result":{"contents":[{"uri":"file:///x","mimeType":"text/plain","text":$SECRET}]}}',
    "a description": '{"id":1,"result":{"tools":[{"name":"t","description":$SECRET,"inputSchema":{"type":"object"}}]}}',
    "the default of a schema": '{"id":1,"result":{"tools":[{"name":"t","inputSchema":{"properties":'
    '{"a":{"default":$SECRET}}}}]}}',
    "instructions": '{"id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{},"instructions":$SECRET}}',
    "a log": '{"method":"notifications/message","params":{"level":"info","data":$SECRET}}',
    "a structured log": '{"method":"notifications/message","params":{"level":"info","data":{"seen":[$SECRET]}}}',
    "progress": '{"method":"notifications/progress","params":{"progressToken":1,"progress":1,"message":$SECRET}}',
    "an error": '{"id":1,"error":{"code":-32000,"message":$SECRET}}',
    "an error's data": '{"id":1,"error":{"code":-32000,"message":"x","data":{"request":$SECRET}}}',
    "a question": '{"id":1,"method":"sampling/createMessage","params":{"systemPrompt":$SECRET,"messages":[]}}',
    "a question's message": '{"id":1,"method":"sampling/createMessage","params":{"messages":['
    '{"role":"user","content":{"type":"text","text":$SECRET}}]}}',
    "a client's answer": '{"id":1,"result":{"action":"accept","content":{"x":$SECRET}}}',
    "a root": '{"id":1,"result":{"roots":[{"uri":$SECRET}]}}',
    "a prompt's argument": '{"method":"prompts/get","id":1,"params":{"name":"p","arguments":{"x":$SECRET}}}',
    "a prompt": '{"id":1,"result":{"messages":[{"role":"user","content":{"type":"text","text":$SECRET}}]}}',
    "a completion": '{"id":1,"result":{"completion":{"values":[$SECRET]}}}',
    "an unknown method": '{"method":"vendor/login","id":1,"params":[$SECRET]}',
    "_meta": '{"method":"tools/call","id":1,"params":{"name":"t","_meta":{"vendor.example/session":$SECRET}}}',
    "the name of a member": '{"id":1,"result":{"structuredContent":{$SECRET:1}}}',
    "the reason of a cancel": '{"method":"notifications/cancelled","params":{"requestId":1,"reason":$SECRET}}',
}
"""Messages in which `$SECRET` is the place for a string."""


def planted(place: str, value: str) -> Message:
    """The message with a string in that place."""
    return made(json.loads(PLACES[place].replace("$SECRET", json.dumps(value))))


def made(body: Object) -> Message:
    """The message that a body is."""
    message = message_from(body)
    assert isinstance(message, Message)
    return message


def call(arguments: Json, **members: Json) -> Message:
    """A `tools/call` with these arguments."""
    return made({"id": 1, "method": "tools/call", "params": {"name": "t", "arguments": arguments, **members}})


def answered(text: str) -> Message:
    """The answer of a tool, a text."""
    return made({"id": 1, "result": {"content": [{"type": "text", "text": text}]}})
