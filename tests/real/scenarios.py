"""What the client of `driver.py` does, server by server."""

from __future__ import annotations

from typing import Any

import mcp.types as t

CHAT = "notifications/message"
FEATURES = "demo://resource/static/document/features.md"

Client = Any  # the class in driver.py, which imports this module


async def everything(client: Client) -> None:
    """server-everything: all that stdio can carry."""
    session = client.session
    # The server looks at the client's capabilities only after `initialized`: it then adds tools and asks for roots.
    await client.seen("notifications/tools/list_changed", 5)
    await client.seen(CHAT, 1)
    await client.step("ping", session.send_ping)
    await client.step("setLevel", lambda: session.set_logging_level("debug"))
    await client.step("tools/list", session.list_tools)
    await everything_tools(client)
    await everything_questions(client)
    await everything_data(client)
    await client.cancelled("trigger-long-running-operation", steps=2, duration=0.6)
    await client.call("echo", message="after the cancel")
    await client.step("ping again", session.send_ping)


async def everything_tools(client: Client) -> None:
    """Answers of every kind, equal requests, errors, progress, calls at once."""
    await client.call("echo", message="hé 中 😀  ")
    await client.call("get-sum", a=2, b=3)
    await client.call("get-sum", a=2, b=3)
    await client.call("get-sum", a="two")
    await client.call("no-such-tool")
    await client.call("get-structured-content", location="Chicago")
    await client.call("get-tiny-image")
    await client.call("get-annotated-message", messageType="error", includeImage=True)
    await client.call("get-resource-links", count=2)
    await client.call("trigger-long-running-operation", duration=0.3, steps=3)
    await client.overlapping(
        ("trigger-long-running-operation", {"duration": 0.6, "steps": 2}),
        ("trigger-long-running-operation", {"duration": 0.4, "steps": 4}),
        ("echo", {"message": "meanwhile"}),
    )


async def everything_questions(client: Client) -> None:
    """Sampling, elicitation and roots: answered first, then refused."""
    await client.call("get-roots-list")
    await client.change_roots()
    await client.seen(CHAT, 2)
    await client.call("get-roots-list")
    await client.call("trigger-sampling-request", prompt="say something", maxTokens=20)
    await client.call("trigger-elicitation-request")
    client.refuse()
    await client.call("trigger-sampling-request", prompt="and now?", maxTokens=20)
    await client.call("trigger-elicitation-request")


async def everything_data(client: Client) -> None:
    """Resources, prompts, completion, subscription."""
    session = client.session
    template = t.ResourceTemplateReference(type="ref/resource", uri="demo://resource/dynamic/text/{resourceId}")
    prompt = t.PromptReference(type="ref/prompt", name="completable-prompt")
    await client.step("resources/list", session.list_resources)
    await client.step("templates/list", session.list_resource_templates)
    await client.step("read", lambda: session.read_resource(FEATURES))
    await client.step("read nothing", lambda: session.read_resource("demo://no/such"))
    await client.step("prompts/list", session.list_prompts)
    await client.step("prompt", lambda: session.get_prompt("simple-prompt"))
    await client.step("prompt with arguments", lambda: session.get_prompt("args-prompt", {"city": "Oslo"}))
    await client.step("prompt without arguments", lambda: session.get_prompt("args-prompt", {}))
    await client.step("no such prompt", lambda: session.get_prompt("no-such-prompt"))
    await client.step("complete", lambda: session.complete(prompt, {"name": "department", "value": "E"}))
    await client.step("complete uri", lambda: session.complete(template, {"name": "resourceId", "value": "1"}))
    await client.step("subscribe", lambda: session.subscribe_resource(FEATURES))
    await client.call("toggle-subscriber-updates")
    await client.seen("notifications/resources/updated", 1)
    await client.call("toggle-subscriber-updates")
    await client.step("unsubscribe", lambda: session.unsubscribe_resource(FEATURES))


async def memory(client: Client) -> None:
    """server-memory: reads and writes of a state."""
    await client.step("tools/list", client.session.list_tools)
    await client.call("read_graph")
    entities = [{"name": name, "entityType": "person", "observations": [f"{name} is here"]} for name in ("ann", "bob")]
    await client.call("create_entities", entities=entities)
    await client.call("read_graph")
    await client.call("create_relations", relations=[{"from": "ann", "to": "bob", "relationType": "knows"}])
    await client.call("read_graph")
    await client.call("search_nodes", query="ann")
    await client.call("open_nodes", names=["bob"])
    await client.call("open_nodes", names=7)
    await client.call("delete_entities", entityNames=["ann"])
    await client.call("read_graph")


async def memory_reads(client: Client) -> None:
    """What the first reads gave, as long as nothing is written."""
    for _ in range(3):
        await client.call("read_graph")


async def time(client: Client) -> None:
    """mcp-server-time, which is written in Python on an SDK of its own."""
    await client.step("tools/list", client.session.list_tools)
    await client.call("get_current_time", timezone="Asia/Tokyo")
    await client.call("convert_time", source_timezone="UTC", time="12:00", target_timezone="Asia/Tokyo")
    await client.call("convert_time", source_timezone="No/Where", time="12:00", target_timezone="UTC")
    await client.call("no_such_tool")


async def miss(client: Client) -> None:
    """Something that no recording has."""
    await client.call("echo", message="never recorded")
    await client.call("get-sum", a=2, b=3)


SCENARIOS = {scenario.__name__: scenario for scenario in (everything, memory, memory_reads, time, miss)}
