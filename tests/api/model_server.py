"""A loopback server that speaks like the providers of language models: the chat of OpenAI (and of Mistral, which
is the same, and of Azure, whose addresses differ), Anthropic, Gemini and Ollama, whole and streamed, embeddings and reranking. What it does is said by the name of the
model: `echo`, `wait:0.5`, `status:429`, `stall`, `quiet`, `cut`, `fault`, `nonsense`, `empty`, `huge`,
`tool:NAME:ARGUMENTS`, `say:JSON` (model_protocols.py), `wishes`, `refuse:STATUS:BODY`, `body:JSON` and `events:JSON` (an answer, or the list of events of
a stream, as it stands), or any other, which answers what the last rule for it says.

    with ModelServer() as server:
        server.answers["gpt-5.4"] = "four"
        ...
        server.calls          # every request: protocol, model, prompt, headers
        server.billed_nano    # what it has counted, in billionths of a dollar
"""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from model_protocols import EVENTS, WHOLE

PRICES = {"openai": (5000, 15000), "anthropic": (3000, 15000), "ollama": (0, 0),
          "gemini": (1000, 4000)}  # per token, in billionths of a dollar


def tokens_of(text):
    return max(1, len(text.split()))


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def do_POST(self):
        server = self.server.owner
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path.partition("?")[0].endswith(("/embeddings", "/api/embed", ":batchEmbedContents")):
            self.embed(body)
            return
        if self.path.endswith("/rerank"):
            self.rerank(body)
            return
        protocol = ("anthropic" if self.path.endswith("/messages") else "gemini" if "enerateContent" in self.path else
                    "ollama" if self.path.endswith("/api/chat") else "openai")
        if protocol == "gemini":  # model and stream are in the path
            name, _, verb = self.path.partition("/models/")[2].partition(":")
            body = {**body, "model": name, "stream": verb.startswith("stream")}
        prompt = (body["contents"][-1]["parts"][-1].get("text", "") if protocol == "gemini" else body["messages"][-1]["content"])
        if isinstance(prompt, list):
            prompt = " ".join(part.get("text", "") for part in prompt)
        call = {"protocol": protocol, "model": body["model"], "prompt": prompt, "headers": dict(self.headers),
                "stream": bool(body.get("stream")), "body": body, "path": self.path}
        with server.lock:
            server.calls.append(call)
            server.running += 1
            server.most = max(server.most, server.running)
        try:
            self.behave(server, protocol, body, prompt)
        finally:
            with server.lock:
                server.running -= 1

    def behave(self, server, protocol, body, prompt):
        rule = server.rule_for(body, prompt)
        kind, _, value = rule.partition(":")
        if kind == "wait":
            seconds, _, text = value.partition(":")
            time.sleep(float(seconds))
            self.answer(protocol, body, prompt, text or "waited")
        elif self.misbehave(kind, value, bool(body.get("stream"))):
            pass
        elif kind == "events":
            self.send_events(protocol, json.loads(value))
        elif kind == "empty":
            self.answer(protocol, body, prompt, " \n ")
        elif kind in ("cut", "fault", "hang", "quiet"):
            self.stream(protocol, body, prompt, value or "half an answer", kind)
        elif kind == "wishes":  # what the call asks for beside its messages
            wishes = ("tool_choice", "response_format", "format", "frequency_penalty", "presence_penalty", "system")
            self.answer(protocol, body, prompt, json.dumps({name: body[name] for name in wishes if name in body}))
        elif kind == "tool":
            self.call_tool(body, prompt, *value.split(":", 1))
        elif kind == "say":
            self.say(protocol, body, prompt, json.loads(value))
        else:
            self.answer(protocol, body, prompt, prompt if kind == "echo" else rule.removeprefix("text:"))

    def misbehave(self, kind, value, streamed):
        """What does not depend on the question; False when the rule is none of that."""
        first, _, rest = value.partition(":")
        if kind == "status":
            self.refuse(int(first), rest)
        elif kind == "refuse":
            self.refuse(int(first), "", rest.encode())
        elif kind == "body":
            self.send_whole(200, value.encode())
        elif kind == "stall":
            self.stall(value)
        elif kind == "nonsense":
            self.send_whole(200, b"<html>not json")
        elif kind == "huge":
            self.send_whole(200, b" " * (8 << 20))
        elif kind == "close":
            self.close_connection = True
        elif kind in ("cut", "fault", "hang") and not streamed:
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b'{"choices": [{"mess')
            self.close_connection = True
        else:
            return False
        return True

    def refuse(self, code, retry, data=b'{"error":{"message":"refused"}}'):
        self.send_response(code)
        if retry:
            self.send_header("Retry-After", retry)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def send_whole(self, status, data):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def stall(self, seconds):
        time.sleep(float(seconds or 30))
        self.close_connection = True

    def count(self, protocol, prompt, text):
        """What is billed from the moment that the figures are told; None is not told yet, or was before."""
        used = tokens_of(prompt) if prompt is not None else 0, tokens_of(text) if text is not None else 0
        prices = PRICES[protocol]
        with self.server.owner.lock:
            self.server.owner.billed_nano += used[0] * prices[0] + used[1] * prices[1]
        return used

    def answer(self, protocol, body, prompt, text):
        if body.get("stream"):
            self.stream(protocol, body, prompt, text, "whole")
            return
        used = self.count(protocol, prompt, text)
        if protocol == "gemini":
            document = WHOLE["gemini"]({"text": text}, body["model"], used)
        elif protocol == "anthropic":
            document = {"content": [{"type": "text", "text": text}], "model": body["model"],
                        "usage": {"input_tokens": used[0], "output_tokens": used[1]}, "stop_reason": "end_turn"}
        elif protocol == "ollama":
            document = {"message": {"role": "assistant", "content": text}, "model": body["model"], "done": True,
                        "done_reason": "stop", "prompt_eval_count": used[0], "eval_count": used[1]}
        else:
            document = {"choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
                        "model": body["model"], "usage": {"prompt_tokens": used[0], "completion_tokens": used[1]}}
        self.send_whole(200, json.dumps(document).encode())

    def call_tool(self, body, prompt, name, arguments):
        """In OpenAI's form only."""
        used = self.count("openai", prompt, name)
        usage = {"prompt_tokens": used[0], "completion_tokens": used[1]}
        calls = [{"index": 0, "id": "call_1", "type": "function", "function": {"name": name, "arguments": arguments}}]
        if not body.get("stream"):
            self.send_whole(200, json.dumps({"choices": [{"message": {"role": "assistant", "content": None, "tool_calls": calls},
                                                          "finish_reason": "tool_calls"}], "usage": usage}).encode())
            return
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.event({"choices": [{"delta": {"tool_calls": calls}, "finish_reason": "tool_calls"}], "usage": usage})
        self.event("[DONE]")
        self.wfile.write(b"0\r\n\r\n")

    def say(self, protocol, body, prompt, say):
        used = self.count(protocol, prompt, json.dumps(say))
        if not body.get("stream"):
            self.send_whole(200, json.dumps(WHOLE[protocol](say, body["model"], used)).encode())
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for event in EVENTS[protocol](say, body["model"], used):
            if protocol == "ollama":
                self.chunk(json.dumps(event) + "\n")
            else:
                self.event(event, event.get("type") if protocol == "anthropic" else None)
        self.wfile.write(b"0\r\n\r\n")

    def send_events(self, protocol, events):
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for document in events:
            self.event(document)
        if protocol == "openai":
            self.event("[DONE]")
        self.wfile.write(b"0\r\n\r\n")

    def event(self, document, name=None):
        data = document if isinstance(document, str) else json.dumps(document)
        text = (f"event: {name}\n" if name else "") + f"data: {data}\n\n"
        self.chunk(text)

    def chunk(self, text):
        self.wfile.write(f"{len(text.encode()):x}\r\n".encode() + text.encode() + b"\r\n")
        self.wfile.flush()

    def stream(self, protocol, body, prompt, text, end):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            self.pieces(protocol, body, prompt, text, end)
        except OSError:
            self.server.owner.left.append(time.monotonic())
            self.close_connection = True

    def pieces(self, protocol, body, prompt, text, end):
        words = text.split(" ")
        pieces = [w + " " for w in words[:-1]] + [words[-1]]
        if protocol == "anthropic":
            self.count(protocol, prompt, None)
            self.event({"type": "message_start", "message": {"model": body["model"],
                                                            "usage": {"input_tokens": tokens_of(prompt)}}}, "message_start")
        for piece in pieces:
            if protocol == "anthropic":
                self.event({"type": "content_block_delta", "delta": {"type": "text_delta", "text": piece}},
                           "content_block_delta")
            elif protocol == "ollama":
                self.chunk(json.dumps({"model": body["model"], "message": {"content": piece}, "done": False}) + "\n")
            elif protocol == "gemini":
                self.event({"candidates": [{"content": {"role": "model", "parts": [{"text": piece}]}}]})
            else:
                self.event({"choices": [{"delta": {"content": piece}}]})
            time.sleep(self.server.owner.pause)
            if self.server.owner.heard and not self.server.owner.heard.acquire(timeout=10):
                end = "cut"
                break
        if end == "cut":
            self.close_connection = True
            self.connection.close()
            return
        if end == "hang":
            while True:
                time.sleep(0.05)
                if protocol == "ollama":
                    self.chunk("\n")
                else:
                    self.event({"choices": []} if protocol == "openai" else {"type": "ping"} if protocol == "anthropic" else {"candidates": []})
        if end == "quiet":  # words, and then nothing
            self.stall(30)
            return
        if end == "fault" and protocol == "ollama":
            self.chunk('{"error":"overloaded"}\n')
            self.wfile.write(b"0\r\n\r\n")
            return
        if end == "fault":
            self.event({"type": "error", "error": {"message": "overloaded"}}, "error")
            self.wfile.write(b"0\r\n\r\n")
            return
        used = self.count(protocol, None if protocol == "anthropic" else prompt, text)
        if protocol == "anthropic":
            self.event({"type": "message_delta", "delta": {"stop_reason": "end_turn"},
                        "usage": {"output_tokens": used[1]}}, "message_delta")
            self.event({"type": "message_stop"}, "message_stop")
        elif protocol == "ollama":
            self.chunk(json.dumps({"message": {"content": ""}, "done": True, "done_reason": "stop",
                                   "prompt_eval_count": used[0], "eval_count": used[1]}) + "\n")
        elif protocol == "gemini":
            *_, last = EVENTS["gemini"]({}, body["model"], used)
            self.event(last)
        else:
            self.event({"choices": [], "usage": {"prompt_tokens": used[0], "completion_tokens": used[1]}})
            self.event("[DONE]")
        self.wfile.write(b"0\r\n\r\n")

    def embed(self, body):
        owner = self.server.owner
        texts = [r["content"]["parts"][0]["text"] for r in body["requests"]] if "requests" in body else body["input"]
        owner.embedded.append(texts)
        owner.embeddings.append({"path": self.path, "body": body, "headers": dict(self.headers)})
        texts = [texts] if isinstance(texts, str) else texts
        if owner.embedding_status != 200:
            self.refuse(owner.embedding_status, "")
            return
        model = body["model"] if "model" in body else self.path.partition("/models/")[2].partition(":")[0]
        kind, _, value = owner.rule_of(model, texts[0]).partition(":")
        if self.misbehave(kind, value, False):
            return
        vectors = [owner.vectors.get(text if isinstance(text, str) else None, [1.0, 0.0]) for text in texts]
        if "requests" in body:
            document = {"embeddings": [{"values": vector} for vector in vectors]}
        elif self.path.endswith("/api/embed"):
            document = {"model": body["model"], "embeddings": vectors, "prompt_eval_count": len(texts)}
        else:
            data = [{"embedding": vector, "index": i} for i, vector in enumerate(vectors)]
            document = {"data": data, "model": body["model"], "usage": {"prompt_tokens": len(texts), "total_tokens": len(texts)}}
        self.send_whole(200, json.dumps(document).encode())

    def rerank(self, body):
        owner = self.server.owner
        owner.reranked.append({**body, "token": self.headers["Authorization"]})
        if owner.reranker_status != 200:
            self.refuse(owner.reranker_status, "")
            return
        results = [{"index": i, "relevance_score": owner.score(text)} for i, text in enumerate(body["documents"])]
        self.send_whole(200, json.dumps({"results": results[::-1]}).encode())


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512

    def handle_error(self, *_):
        pass


class ModelServer:
    def __init__(self):
        self.answers = {}  # model -> rule, or a list of rules for one call after the other, or a function of the prompt
        self.calls, self.embedded, self.embeddings, self.left = [], [], [], []
        self.vectors, self.embedding_status = {}, 200
        self.reranked, self.reranker_status, self.score = [], 200, lambda text: 0.5
        self.billed_nano = self.running = self.most = 0
        self.pause = 0.0
        self.heard = None  # a semaphore that the client of a test releases: each word waits until the last was heard
        self.lock = threading.Lock()

    def __enter__(self):
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.owner = self
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def rule_for(self, body, prompt):
        """For tests that look at more of a request than its last message."""
        return self.rule_of(body["model"], prompt)

    def rule_of(self, model, prompt):
        with self.lock:
            rule = self.answers.get(model, model)
            if isinstance(rule, list):
                rule = rule.pop(0) if len(rule) > 1 else rule[0]
        return rule(prompt) if callable(rule) else rule

    def reset(self):
        with self.lock:
            self.answers.clear()
            self.calls.clear()
            self.embedded.clear()
            self.embeddings.clear()
            self.vectors.clear()
            self.embedding_status = 200
            self.pause = 0.0
            self.heard = None
            self.most = 0

    @property
    def settings(self):
        """What makes the orchestrator call here."""
        return {"ORCH_EXECUTION_PROFILE": "api-only", "ORCH_OPENAI_BASE_URL": self.url + "/v1",
                "ORCH_OPENAI_API_KEY": "openai-secret-key", "ORCH_ANTHROPIC_BASE_URL": self.url,
                "ORCH_ANTHROPIC_API_KEY": "anthropic-secret-key", "ORCH_MISTRAL_BASE_URL": self.url + "/v1",
                "ORCH_MISTRAL_API_KEY": "mistral-secret-key"}
