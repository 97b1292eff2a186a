"""Lists and calls tools with the official client of Python, and prints what it was told as JSON: the version, the names of all
tools and resources, prompts, and of each call in MCP_CALLS ({name: arguments}) the result. MCP_MODE: `legacy` begins with
`initialize`, `auto` with what is newest. MCP_PROGRAM passes the messages on, if it is set. tests/api/mcp_test.py says what
that has to be."""

import asyncio
import json
import os
from contextlib import asynccontextmanager

from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client


async def pages(ask, member):
    found, cursor = [], None
    while True:
        page = await ask(cursor=cursor)
        found += getattr(page, member)
        cursor = page.next_cursor
        if not cursor:
            return found


async def call(client, name, arguments):
    try:
        told = await client.call_tool(name, arguments)
    except Exception as error:  # what a program of a user would see
        return {"raised": f"{type(error).__name__}: {error}"}
    texts = [part.text for part in told.content if part.type == "text"]
    return {"error": told.is_error, "text": texts, "structure": told.structured_content, "meta": told.meta}


@asynccontextmanager
async def connected():
    url, token, mode = os.environ["MCP_URL"], os.environ.get("MCP_TOKEN"), os.environ["MCP_MODE"]
    if "MCP_PROGRAM" in os.environ:
        started = StdioServerParameters(command=os.environ["MCP_PROGRAM"], args=[url], env={"ASSAY_MCP_TOKEN": token or ""})
        async with Client(stdio_client(started), mode=mode) as client:
            yield client
        return
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with create_mcp_http_client(headers=headers) as http, \
            Client(streamable_http_client(url, http_client=http), mode=mode) as client:
        yield client


async def main():
    async with connected() as client:
        tools = await pages(client.list_tools, "tools")
        calls = json.loads(os.environ.get("MCP_CALLS", "{}"))
        if not calls:  # everything that reads and asks for nothing
            calls = {tool.name: {} for tool in tools if tool.annotations.read_only_hint and not tool.input_schema["required"]}
        told = {"version": client.protocol_version, "tools": [tool.name for tool in tools],
                "results": {name: await call(client, name, arguments) for name, arguments in calls.items()}}
        resources = await pages(client.list_resources, "resources")
        told["resources"] = [str(one.uri) for one in resources]
        if resources:
            contents = (await client.read_resource(resources[0].uri)).contents
            told["read"] = json.loads(contents[0].text)
        prompts = (await client.list_prompts()).prompts
        told["prompts"] = [one.name for one in prompts]
        given = {one.name: "checkout & <button>" for one in prompts[0].arguments}
        told["prompt"] = (await client.get_prompt(prompts[0].name, given)).messages[0].content.text
        print(json.dumps(told))


if __name__ == "__main__":
    asyncio.run(main())
