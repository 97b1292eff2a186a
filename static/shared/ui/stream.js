/*
 * A stream that stays: server-sent events read by fetch (so that a token goes along), begun again
 * with the id of the last event when it breaks off, later and later, until somebody stops it.
 */
import { ApiError } from './errors.js';

const firstWaitMs = 1000;
const longestWaitMs = 30000;
const longMs = 10000; // a stream that ended by itself after so long is begun again at once

function pause(ms, signal) {
    return new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        signal.addEventListener('abort', () => {
            clearTimeout(timer);
            resolve();
        });
    });
}

/* Errors that no further attempt will mend. */
function isFinal(error) {
    return error instanceof ApiError && ['unauthorized', 'forbidden', 'missing', 'rejected', 'validation'].includes(error.kind);
}

/**
 * client.events(path, options) into onEvent({event, data, id}). onState('connecting', 'open',
 * 'waiting', 'closed', 'failed', error). onMissed() at each connection that cannot go on from an
 * event: what happened before it has to be read elsewhere. Returns {close()}.
 *
 * @param {{client: any, path: string, options?: any, onEvent: (event: any) => void, onMissed?: () => void,
 *     onState?: (state: string, error?: ApiError) => void}} how
 */
export function openStream({ client, path, options = {}, onEvent, onMissed = () => {}, onState = () => {} }) {
    const stop = new AbortController();
    let lastId = null;
    let waitMs = firstWaitMs;

    async function once() {
        const headers = { ...options.headers, ...(lastId === null ? {} : { 'Last-Event-ID': lastId }) };
        const onOpen = () => lastId === null && !stop.signal.aborted && onMissed();
        onState('connecting');
        for await (const event of client.events(path, { ...options, headers, onOpen, signal: stop.signal })) {
            if (waitMs !== firstWaitMs || lastId === null) onState('open');
            waitMs = event.retry ?? firstWaitMs;
            lastId = event.id ?? lastId;
            onEvent(event);
        }
    }

    async function run() {
        while (!stop.signal.aborted) {
            const began = Date.now();
            try {
                await once();
                if (Date.now() - began > longMs) continue; // streams of people end after a minute
            } catch (error) {
                if (stop.signal.aborted) break;
                if (isFinal(error)) {
                    onState('failed', error);
                    return;
                }
            }
            if (stop.signal.aborted) break;
            onState('waiting');
            await pause(waitMs * (0.75 + Math.random() / 2), stop.signal);
            waitMs = Math.min(longestWaitMs, waitMs * 2);
        }
        onState('closed');
    }

    run();
    return { close: () => stop.abort() };
}
