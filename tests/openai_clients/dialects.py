"""Asks the gateway with the official Python clients of OpenAI and Anthropic, in all dialects that they speak, and prints
what they made of it as JSON. tests/api/gateway_clients_test.py says what that has to be."""

import json

import anthropic
import openai
import pydantic

client = openai.OpenAI(max_retries=0)
claude = anthropic.Anthropic(max_retries=0)
USER = [{"role": "user", "content": "hi"}]
TOOL = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"], "additionalProperties": False}


class Person(pydantic.BaseModel):
    name: str
    age: int


def failure(ask):
    try:
        return {"answered": str(ask())}
    except (openai.APIStatusError, anthropic.APIStatusError) as error:
        return [type(error).__name__, error.status_code, bool(error.request_id)]
    except (openai.APIError, anthropic.APIError) as error:
        return [type(error).__name__]


def streamed_response(**arguments):
    with client.responses.stream(**arguments) as stream:
        names = [event.type for event in stream]
        final = stream.get_final_response()
    return [final.status, final.output_text, [item.type for item in final.output], names[0], names[-1]]


def continued():
    first = client.responses.create(model="plain", input="hi")
    second = client.responses.create(model="echo", input="and?", previous_response_id=first.id)
    items = [item.content for item in client.responses.input_items.list(second.id)]
    again = client.responses.retrieve(first.id).output_text
    client.responses.delete(first.id)
    return [first.output_text, second.output_text, items, again, failure(lambda: client.responses.retrieve(first.id))]


def streamed_message(**arguments):
    with claude.messages.stream(max_tokens=4000, messages=USER, **arguments) as stream:
        text = "".join(stream.text_stream)
        final = stream.get_final_message()
    return [text, final.stop_reason, [block.type for block in final.content], final.usage.output_tokens > 0]


def message(**arguments):
    answer = claude.messages.create(**{"max_tokens": 4000, "messages": USER, **arguments})
    return [answer.stop_reason, [block.type for block in answer.content], answer.content[-1].model_dump(exclude_none=True)]


def tool_round():
    tools = [{"name": "weather", "input_schema": TOOL}]
    first = claude.messages.create(model="claude tools", max_tokens=100, messages=USER, tools=tools)
    [call] = [block for block in first.content if block.type == "tool_use"]
    return message(model="claude plain", tools=tools, messages=USER + [
        {"role": "assistant", "content": first.content},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call.id, "content": "3 degrees"}]}])


parsed = client.responses.parse(model="person", input="who?", text_format=Person)
TOOLS = [{"type": "function", "name": "weather", "parameters": TOOL, "strict": True}]

print(json.dumps({
    "response": [client.responses.create(model="plain", input="hi").output_text, parsed.output_parsed.model_dump()],
    "response of the other protocol": client.responses.parse(model="claude person", input="who?", text_format=Person).output_parsed.age,
    "response streamed": streamed_response(model="plain", input="hi"),
    "response of a tool": [[item.name, json.loads(item.arguments)] for item in
                           client.responses.create(model="tools", input="hi", tools=TOOLS).output],
    "response of a tool streamed": streamed_response(model="tools", input="hi", tools=TOOLS),
    "thoughts streamed": streamed_response(model="claude thinks", input="hi", reasoning={"effort": "low", "summary": "auto"}),
    "prompt by name": client.responses.create(model="echo", prompt={"id": "greeting", "version": "1", "variables": {"name": "Ann"}}).output_text,
    "continued": continued(),
    "chat parsed": client.chat.completions.parse(model="person", messages=USER, response_format=Person).choices[0].message.parsed.age,
    "choices": [c.message.content for c in client.chat.completions.create(model="two", messages=USER, n=2, logprobs=True).choices],
    "embeddings": [round(v, 2) for v in client.embeddings.create(model="vectors", input="one").data[0].embedding],
    "completion": client.completions.create(model="plain", prompt="hi").choices[0].text,
    "completion streamed": "".join(c.choices[0].text for c in client.completions.create(model="plain", prompt="hi", stream=True)),
    "message": message(model="claude plain"),
    "message of the other protocol": message(model="plain", system="Be brief."),
    "message streamed": streamed_message(model="claude plain"),
    "message streamed of the other protocol": streamed_message(model="plain"),
    "message of a tool": message(model="tools", tools=[{"name": "weather", "input_schema": TOOL}]),
    "message of a tool streamed": streamed_message(model="tools", tools=[{"name": "weather", "input_schema": TOOL}]),
    "tool results": tool_round(),
    "message with thoughts": streamed_message(model="claude thinks", thinking={"type": "enabled", "budget_tokens": 1024}),
    "refused": [failure(lambda: claude.messages.create(model="nobody", max_tokens=9, messages=USER)),
                failure(lambda: claude.messages.create(model="busy", max_tokens=9, messages=USER)),
                failure(lambda: claude.with_options(api_key="wrong").messages.create(model="plain", max_tokens=9, messages=USER)),
                failure(lambda: claude.messages.create(model="ollama", max_tokens=9, messages=USER, service_tier="auto")),
                failure(lambda: client.responses.create(model="claude plain", input="hi", background=True)),
                failure(lambda: streamed_message(model="breaks"))],
}))
