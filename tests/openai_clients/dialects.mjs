// Asks the gateway with the official Node clients of OpenAI and Anthropic and with the Vercel AI SDK, in all dialects that
// they speak, and prints what they made of it as JSON. tests/api/gateway_clients_test.py says what that has to be.

import Anthropic from "@anthropic-ai/sdk";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { embed, generateObject, generateText, stepCountIs, streamText, tool } from "ai";
import OpenAI from "openai";
import { zodTextFormat } from "openai/helpers/zod";
import { z } from "zod";

const client = new OpenAI({ maxRetries: 0 });
const claude = new Anthropic({ maxRetries: 0 });
const user = [{ role: "user", content: "hi" }];
const city = { type: "object", properties: { city: { type: "string" } }, required: ["city"], additionalProperties: false };
const person = z.object({ name: z.string(), age: z.number() });

async function failure(ask) {
    try {
        return { answered: String(await ask()) };
    } catch (error) {
        return [error.constructor.name, error.status ?? null];
    }
}

async function streamedResponse(options) {
    const stream = client.responses.stream({ input: "hi", ...options });
    const names = [];
    for await (const event of stream) names.push(event.type);
    const final = await stream.finalResponse();
    const text = final.output.flatMap((item) => item.content ?? []).map((part) => part.text).join("");
    return [final.status, text, final.output.map((item) => item.type), names.at(0), names.at(-1)];
}

async function streamedMessage(options) {
    const stream = claude.messages.stream({ max_tokens: 4000, messages: user, ...options });
    let text = "";
    stream.on("text", (piece) => { text += piece; });
    const final = await stream.finalMessage();
    return [text, final.stop_reason, final.content.map((block) => block.type), final.usage.output_tokens > 0];
}

const sdk = { openai: createOpenAI({ baseURL: process.env.OPENAI_BASE_URL }),
              anthropic: createAnthropic({ baseURL: process.env.ANTHROPIC_BASE_URL + "/v1" }) };
const weather = tool({ description: "The weather.", inputSchema: z.object({ city: z.string() }), execute: async () => "3 degrees" });

async function streamedText(model) {
    const { textStream, finishReason } = streamText({ model, prompt: "hi" });
    let text = "";
    for await (const piece of textStream) text += piece;
    return [text, await finishReason];
}

async function used(model) {
    const { text, steps } = await generateText({ model, prompt: "hi", tools: { weather }, stopWhen: stepCountIs(2) });
    return [text, steps.length, steps[0].toolCalls.map((call) => call.input)];
}

const first = await client.responses.create({ model: "plain", input: "hi" });

console.log(JSON.stringify({
    response: [first.output_text, (await client.responses.parse({
        model: "person", input: "who?", text: { format: zodTextFormat(person, "person") } })).output_parsed],
    "response streamed": await streamedResponse({ model: "plain" }),
    "response of a tool streamed": await streamedResponse({
        model: "tools", tools: [{ type: "function", name: "weather", parameters: city, strict: true }] }),
    continued: (await client.responses.create({ model: "echo", input: "and?", previous_response_id: first.id })).output_text,
    "prompt by name": (await client.responses.create({ model: "echo", prompt: { id: "greeting", version: "1", variables: { name: "Ann" } } })).output_text,
    embeddings: (await client.embeddings.create({ model: "vectors", input: "one" })).data[0].embedding.map((v) => Math.round(v * 100) / 100),
    message: (await claude.messages.create({ model: "claude plain", max_tokens: 9, messages: user })).content[0].text,
    "message streamed": await streamedMessage({ model: "claude plain" }),
    "message streamed of the other protocol": await streamedMessage({ model: "plain" }),
    "message of a tool streamed": await streamedMessage({ model: "tools", tools: [{ name: "weather", input_schema: city }] }),
    "message with thoughts": await streamedMessage({ model: "claude thinks", thinking: { type: "enabled", budget_tokens: 1024 } }),
    refused: [await failure(() => claude.messages.create({ model: "nobody", max_tokens: 9, messages: user })),
              await failure(() => claude.messages.create({ model: "busy", max_tokens: 9, messages: user })),
              await failure(() => streamedMessage({ model: "breaks" }))],
    "ai sdk": [(await generateText({ model: sdk.openai("plain"), prompt: "hi" })).text, await streamedText(sdk.openai("plain")),
               await streamedText(sdk.openai.chat("plain")), (await generateText({ model: sdk.anthropic("claude plain"), prompt: "hi" })).text,
               await streamedText(sdk.anthropic("claude plain"))],
    "ai sdk objects": [(await generateObject({ model: sdk.openai("person"), schema: person, prompt: "who?" })).object,
                       (await generateObject({ model: sdk.openai.chat("person"), schema: person, prompt: "who?" })).object],
    "ai sdk tools": [await used(sdk.openai("once")), await used(sdk.anthropic("claude once"))],
    "ai sdk embedding": (await embed({ model: sdk.openai.textEmbeddingModel("vectors"), value: "one" })).embedding.length,
}));
