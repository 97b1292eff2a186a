/** Frames of an event stream, however the bytes of it are cut. */
import { LiveDataError } from './errors.js';
import type { PipelineEvent } from './types.js';

export class Frames {
    /** Of the last frame that had one: where a stream goes on. */
    lastId: string | undefined;
    #rest = '';
    #data: string[] = [];

    /** The events that are whole now. */
    *feed(text: string): Generator<PipelineEvent> {
        const lines = (this.#rest + text).split('\n');

        this.#rest = lines.pop() ?? '';
        for (const line of lines) yield* this.#take(line.endsWith('\r') ? line.slice(0, -1) : line);
    }

    /** What is there when the stream ends counts as a frame. */
    *end(): Generator<PipelineEvent> {
        const rest = this.#rest;

        this.#rest = '';
        yield* this.#take(rest.endsWith('\r') ? rest.slice(0, -1) : rest);
        yield* this.#take('');
    }

    *#take(line: string): Generator<PipelineEvent> {
        if (line.startsWith('data:')) this.#data.push(line.slice(line[5] === ' ' ? 6 : 5));
        else if (line.startsWith('id:')) this.lastId = line.slice(3).trim();
        else if (line === '' && this.#data.length > 0) {
            const text = this.#data.join('\n');

            this.#data = [];
            yield parse(text);
        }
    }
}

function parse(text: string): PipelineEvent {
    try {
        return JSON.parse(text) as PipelineEvent;
    } catch (error) {
        throw new LiveDataError(`Failed to read SSE stream: ${String(error)}`, undefined, { cause: error });
    }
}
