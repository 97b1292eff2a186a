"""Asks the front for OpenAI's clients with the official Python client, which finds address and key in its own
variables, and prints what it got as JSON. tests/api/orchestrator_front_test.py says what that has to be."""

import asyncio
import json

import openai

client = openai.OpenAI(max_retries=0)
USER = [{"role": "user", "content": "hi there"}]
TOOLS = [{"type": "function", "function": {"name": "look_up", "parameters": {"type": "object"}}}]


def failure(ask):
    try:
        return {"answered": str(ask())}
    except openai.APIStatusError as error:
        return {"class": type(error).__name__, "status": error.status_code, "code": error.code, "param": error.param,
                "type": error.type, "request_id": bool(error.request_id)}
    except openai.APIError as error:
        return {"class": type(error).__name__, "code": error.code}


def create(**arguments):
    return client.chat.completions.create(**{"model": "plain", "messages": USER, **arguments})


def completion(**arguments):
    answer = create(**arguments)
    choice = answer.choices[0]
    return {"text": choice.message.content, "finish": choice.finish_reason, "role": choice.message.role,
            "tokens": answer.usage.total_tokens, "model": answer.model, "object": answer.object,
            "tools": [[c.function.name, c.function.arguments] for c in choice.message.tool_calls or []]}


def streamed(**arguments):
    text, finish, tokens, tools = "", None, None, []
    for chunk in create(stream=True, stream_options={"include_usage": True}, **arguments):
        for choice in chunk.choices:
            text += choice.delta.content or ""
            finish = choice.finish_reason or finish
            tools += [[c.function.name, c.function.arguments] for c in choice.delta.tool_calls or []]
        tokens = chunk.usage.total_tokens if chunk.usage else tokens
    return {"text": text, "finish": finish, "tokens": tokens, "tools": tools}


def accumulated():
    with client.chat.completions.stream(model="plain", messages=USER) as stream:
        return stream.get_final_completion().choices[0].message.content


async def concurrently():
    asynchronous = openai.AsyncOpenAI(max_retries=0)
    answers = await asyncio.gather(*[asynchronous.chat.completions.create(model="plain", messages=USER)
                                     for _ in range(4)])
    return [answer.choices[0].message.content for answer in answers]


print(json.dumps({
    "models": [model.id for model in client.models.list()],
    "model": client.models.retrieve("plain").owned_by,
    "completion": completion(),
    "stream": streamed(),
    "accumulated": accumulated(),
    "concurrently": asyncio.run(concurrently()),
    "tools": completion(model="tools", tools=TOOLS, tool_choice="required"),
    "tools streamed": streamed(model="tools", tools=TOOLS),
    "tool results": completion(model="echo", messages=USER + [
        {"role": "assistant", "tool_calls": [{"id": "1", "type": "function", "function": {"name": "look_up", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "1", "content": "found"}])["text"],
    "wishes": json.loads(completion(model="wishes", response_format={"type": "json_object"}, frequency_penalty=0.5, tools=TOOLS,
                                    tool_choice={"type": "function", "function": {"name": "look_up"}})["text"]),
    "wishes of the other protocol": json.loads(completion(
        model="anthropic wishes", tools=TOOLS, tool_choice="required", messages=[{"role": "system", "content": "S"}] + USER,
        response_format={"type": "json_schema", "json_schema": {"name": "n", "schema": {"type": "array"}}})["text"]),
    "smart": completion(model="orch:smart")["text"],
    "spliced": streamed(model="breaks")["text"],
    "unknown model": failure(lambda: create(model="nobody")),
    "unknown model retrieved": failure(lambda: client.models.retrieve("nobody")),
    "wrong member": failure(lambda: create(temperature=9)),
    "wrong message": failure(lambda: create(messages=[{"role": "user", "content": "x"}, {"role": "nobody", "content": "x"}])),
    "wrong key": failure(lambda: client.with_options(api_key="wrong").models.list()),
    "busy": failure(lambda: create(model="busy")),
    "broken": failure(lambda: create(model="broken", messages=[{"role": "user", "content": "fail"}])),
    "broken stream": failure(lambda: streamed(model="last", messages=[{"role": "user", "content": "break"}])),
}))
