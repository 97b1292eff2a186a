"""What a model says, in the words of each provider's protocol: whole answers, and the events of streams. `say` has `text`,
`thoughts` (a list of [text, signature] or {"sealed": data}), `tools` (a list of [id, name, arguments]), `finish`,
`choices` (texts of several choices), `logprobs`, `refusal` and `stopped_by`."""

import json

FINISH = {"anthropic": {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use"},
          "gemini": {"stop": "STOP", "length": "MAX_TOKENS", "tool_calls": "STOP"}}


def finish_of(protocol, say):
    word = say.get("finish") or ("tool_calls" if say.get("tools") else "stop")
    return FINISH.get(protocol, {}).get(word, word)


def pieces(text, size=7):
    return [text[i:i + size] for i in range(0, len(text), size)]


def logprobs_of(text):
    return {"content": [{"token": text, "logprob": -0.25, "bytes": None, "top_logprobs": []}]}


# OpenAI, Azure and Mistral

def openai_message(say, text):
    message = {"role": "assistant", "content": text}
    if say.get("thoughts"):
        message["reasoning_content"] = "".join(t[0] for t in say["thoughts"])
    if say.get("refusal"):
        message["refusal"] = say["refusal"]
    if say.get("tools"):
        message["tool_calls"] = [{"id": id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
                                 for id, name, arguments in say["tools"]]
    return message


def openai_whole(say, model, usage):
    choices = [{"index": i, "message": openai_message(say, text), "finish_reason": finish_of("openai", say),
                "logprobs": logprobs_of(text) if say.get("logprobs") else None}
               for i, text in enumerate(say.get("choices") or [say.get("text")])]
    return {"id": "x", "object": "chat.completion", "created": 1, "model": model, "choices": choices,
            "usage": {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}}


def openai_events(say, model, usage):
    def chunk(delta, index=0, **more):
        return {"id": "x", "model": model, "choices": [{"index": index, "delta": delta, **more}]}

    yield chunk({"role": "assistant", "content": ""})
    for thought in say.get("thoughts", []):
        for piece in pieces(thought[0]):
            yield chunk({"reasoning_content": piece})
    for index, text in enumerate(say.get("choices") or [say.get("text") or ""]):
        for piece in pieces(text):
            yield chunk({"content": piece}, index, **({"logprobs": logprobs_of(piece)} if say.get("logprobs") else {}))
    if say.get("refusal"):
        yield chunk({"refusal": say["refusal"]})
    for index, (id, name, arguments) in enumerate(say.get("tools", [])):
        yield chunk({"tool_calls": [{"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": ""}}]})
        for piece in pieces(json.dumps(arguments)):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    for index in range(len(say.get("choices") or [0])):
        yield chunk({}, index, finish_reason=finish_of("openai", say))
    yield {"choices": [], "usage": {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}}
    yield "[DONE]"


# Anthropic

def anthropic_blocks(say):
    for thought in say.get("thoughts", []):
        if isinstance(thought, dict):
            yield {"type": "redacted_thinking", "data": thought["sealed"]}
        else:
            yield {"type": "thinking", "thinking": thought[0], "signature": thought[1]}
    if say.get("text"):
        yield {"type": "text", "text": say["text"]}
    for id, name, arguments in say.get("tools", []):
        yield {"type": "tool_use", "id": id, "name": name, "input": arguments}


def anthropic_whole(say, model, usage):
    return {"id": "msg_x", "type": "message", "role": "assistant", "model": model, "content": list(anthropic_blocks(say)),
            "stop_reason": "stop_sequence" if say.get("stopped_by") else finish_of("anthropic", say),
            "stop_sequence": say.get("stopped_by"), "usage": {"input_tokens": usage[0], "output_tokens": usage[1]}}


def anthropic_events(say, model, usage):
    yield {"type": "message_start", "message": {"id": "msg_x", "type": "message", "role": "assistant", "model": model, "content": [],
                                                "usage": {"input_tokens": usage[0], "output_tokens": 1}}}
    yield {"type": "ping"}
    for index, block in enumerate(anthropic_blocks(say)):
        begun = {"text": {"type": "text", "text": ""}, "thinking": {"type": "thinking", "thinking": "", "signature": ""},
                 "tool_use": {**block, "input": {}}}.get(block["type"], block)
        yield {"type": "content_block_start", "index": index, "content_block": begun}
        deltas = {"text": [{"type": "text_delta", "text": p} for p in pieces(block.get("text", ""))],
                  "thinking": [{"type": "thinking_delta", "thinking": p} for p in pieces(block.get("thinking", ""))] +
                              [{"type": "signature_delta", "signature": block.get("signature")}],
                  "tool_use": [{"type": "input_json_delta", "partial_json": p} for p in pieces(json.dumps(block.get("input")))]}
        for delta in deltas.get(block["type"], []):
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    yield {"type": "message_delta", "delta": {"stop_reason": "stop_sequence" if say.get("stopped_by") else finish_of("anthropic", say),
                                              "stop_sequence": say.get("stopped_by")}, "usage": {"output_tokens": usage[1]}}
    yield {"type": "message_stop"}


# Gemini

def gemini_parts(say):
    for thought in say.get("thoughts", []):
        yield {"text": thought[0], "thought": True}
    if say.get("text"):
        yield {"text": say["text"]}
    for _, name, arguments in say.get("tools", []):
        yield {"functionCall": {"name": name, "args": arguments}, "thoughtSignature": "c2ln"}


def gemini_usage(usage):
    return {"promptTokenCount": usage[0], "candidatesTokenCount": usage[1], "totalTokenCount": sum(usage)}


def gemini_whole(say, model, usage):
    return {"candidates": [{"index": 0, "content": {"role": "model", "parts": list(gemini_parts(say))},
                            "finishReason": finish_of("gemini", say)}], "modelVersion": model, "usageMetadata": gemini_usage(usage)}


def gemini_events(say, model, usage):
    for part in gemini_parts(say):
        yield {"candidates": [{"index": 0, "content": {"role": "model", "parts": [part]}}], "modelVersion": model}
    yield {"candidates": [{"index": 0, "content": {"role": "model", "parts": []}, "finishReason": finish_of("gemini", say)}],
           "usageMetadata": gemini_usage(usage)}


# Ollama

def ollama_message(say, text):
    message = {"role": "assistant", "content": text}
    if say.get("thoughts"):
        message["thinking"] = say["thoughts"][0][0]
    if say.get("tools"):
        message["tool_calls"] = [{"function": {"name": name, "arguments": arguments}} for _, name, arguments in say["tools"]]
    return message


def ollama_end(say, model, usage, message):
    return {"model": model, "message": message, "done": True, "done_reason": "stop", "prompt_eval_count": usage[0],
            "eval_count": usage[1]}


def ollama_whole(say, model, usage):
    return ollama_end(say, model, usage, ollama_message(say, say.get("text") or ""))


def ollama_events(say, model, usage):
    if say.get("thoughts"):
        yield {"model": model, "message": ollama_message({**say, "tools": []}, ""), "done": False}
    for piece in pieces(say.get("text") or ""):
        yield {"model": model, "message": {"role": "assistant", "content": piece}, "done": False}
    if say.get("tools"):
        yield {"model": model, "message": ollama_message({**say, "thoughts": []}, ""), "done": False}
    yield ollama_end(say, model, usage, {"role": "assistant", "content": ""})


WHOLE = {"openai": openai_whole, "anthropic": anthropic_whole, "gemini": gemini_whole, "ollama": ollama_whole}
EVENTS = {"openai": openai_events, "anthropic": anthropic_events, "gemini": gemini_events, "ollama": ollama_events}
