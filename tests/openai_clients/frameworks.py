"""Asks the gateway with what people build on: LangChain, instructor, the client of LiteLLM and the command `llm`, and prints
what they made of it as JSON. tests/api/gateway_clients_test.py says what that has to be."""

import json
import os
import subprocess
import sys
from pathlib import Path

import anthropic
import instructor
import litellm
import openai
import pydantic
from langchain_anthropic import ChatAnthropic
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI, OpenAIEmbeddings

BASE, KEY = os.environ["OPENAI_BASE_URL"], os.environ["OPENAI_API_KEY"]
USER = [{"role": "user", "content": "hi"}]


class Person(pydantic.BaseModel):
    name: str
    age: int


@tool
def weather(city: str) -> str:
    """The weather."""
    return "3 degrees in " + city


def chain(**options):
    return ChatOpenAI(max_retries=0, **options)


def llm(*arguments):
    done = subprocess.run([Path(sys.executable).with_name("llm"), "prompt", "--key", KEY, *arguments], capture_output=True, text=True)
    return done.stdout.strip() or done.stderr.strip()


def litellm_streamed(model):
    return "".join(c.choices[0].delta.content or "" for c in litellm.completion(model=model, messages=USER, stream=True))


Path(os.environ["LLM_USER_PATH"]).mkdir(exist_ok=True)
(Path(os.environ["LLM_USER_PATH"]) / "extra-openai-models.yaml").write_text(
    "".join(f"- model_id: gateway-{name}\n  model_name: {name}\n  api_base: {BASE}\n  api_key_name: gateway\n  supports_tools: true\n  supports_schema: true\n"
            for name in ("plain", "person")))

print(json.dumps({
    "langchain": [chain(model="plain").invoke("hi").content, "".join(c.content for c in chain(model="plain").stream("hi")),
                  chain(model="plain", use_responses_api=True).invoke("hi").text],
    "langchain tools": [[c["name"], c["args"]] for c in chain(model="tools").bind_tools([weather]).invoke("hi").tool_calls],
    "langchain object": chain(model="person").with_structured_output(Person).invoke("who?").age,
    "langchain anthropic": [ChatAnthropic(model="claude plain", max_tokens=100, max_retries=0).invoke("hi").content,
                            "".join(c.text for c in ChatAnthropic(model="plain", max_tokens=100, max_retries=0).stream("hi"))],
    "langchain embeddings": len(OpenAIEmbeddings(model="vectors", check_embedding_ctx_length=False).embed_query("one")),
    "instructor": instructor.from_openai(openai.OpenAI()).chat.completions.create(
        model="person tool", messages=USER, response_model=Person, max_retries=0).age,
    "instructor anthropic": instructor.from_anthropic(anthropic.Anthropic()).chat.completions.create(
        model="person tool", messages=USER, max_tokens=100, response_model=Person, max_retries=0).age,
    "litellm": [litellm.completion(model="openai/plain", messages=USER).choices[0].message.content, litellm_streamed("openai/plain"),
                litellm.completion(model="anthropic/claude plain", messages=USER).choices[0].message.content,
                litellm_streamed("anthropic/claude plain"),
                len(litellm.embedding(model="openai/vectors", input=["one"]).data[0]["embedding"])],
    "llm": [llm("-m", "gateway-plain", "hi"), llm("-m", "gateway-plain", "--no-stream", "hi"),
            llm("-m", "gateway-person", "--schema", "name,age int", "who?")],
}))
