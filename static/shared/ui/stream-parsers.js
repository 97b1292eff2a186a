/* Takes streams of text apart as they arrive: server-sent events, and one JSON value per line. */
import { ApiError } from './errors.js';

/* Feeds `take` whole lines; a line may come in pieces, and a piece may hold many lines. */
function lineSplitter(take) {
    let rest = '';
    return {
        *push(text) {
            const lines = (rest + text).split(/\r\n|\n|\r(?!$)/);
            rest = lines.pop();
            for (const line of lines) yield* take(line);
        },
        *end() {
            if (rest !== '') yield* take(rest.replace(/\r$/, ''));
            rest = '';
        },
    };
}

/*
 * Server-sent events as {event, data, id, retry}; `data` is parsed where it is JSON, the text
 * otherwise. Comments keep a connection alive and are passed over. What the end cuts off is no event.
 */
export function createEventParser() {
    let event = {};
    let data = [];
    let id = null;

    function* take(line) {
        if (line === '') {
            if (data.length > 0) yield { event: 'message', ...event, data: valueOf(data.join('\n')), id };
            event = {};
            data = [];
            return;
        }
        const [, name, value] = /^([^:]*):? ?(.*)$/s.exec(line);
        if (name === 'data') data.push(value);
        else if (name === 'event') event.event = value;
        else if (name === 'id') id = value;
        else if (name === 'retry' && /^\d+$/.test(value)) event.retry = Number(value);
    }

    const splitter = lineSplitter(take);
    return { push: splitter.push, end: splitter.end };
}

function valueOf(text) {
    try {
        return JSON.parse(text);
    } catch {
        return text;
    }
}

/* One JSON value per line; blank lines are passed over. */
export function createLineParser() {
    function* take(line) {
        if (line.trim() === '') return;
        try {
            yield JSON.parse(line);
        } catch {
            throw new ApiError('malformed', line.slice(0, 200));
        }
    }
    return lineSplitter(take);
}
