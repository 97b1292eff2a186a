/*
 * What became of uploaded files: indexed at once, or later by a task that is asked about until it is
 * over. The newest first.
 */
import { client } from '../service.js';

const pollMs = 1000;
const over = ['SUCCESS', 'FAILURE', 'REVOKED'];

export function createOutcomes(update, { onIndexed }) {
    let items = [];

    async function follow(item) {
        for (;;) {
            await new Promise((resolve) => setTimeout(resolve, pollMs));
            try {
                const { data } = await client.get(`/api/tasks/${encodeURIComponent(item.task)}`);
                Object.assign(item, { status: data.status, meta: data.meta, result: data.result });
            } catch (error) {
                if (error.kind !== 'network' && error.kind !== 'timeout') Object.assign(item, { status: 'LOST', error });
            }
            update();
            if (over.includes(item.status) || item.status === 'LOST') break;
        }
        if (item.status === 'SUCCESS') onIndexed();
    }

    return {
        items: () => items,

        /* The answer to an upload. */
        add(answer) {
            const item = { name: answer.filename, answer, task: answer.task_id ?? null, status: answer.task_id ? 'PENDING' : null };
            items = [item, ...items];
            update();
            if (item.task === null) onIndexed();
            else follow(item);
        },
    };
}

/* {count, reason} of the pages that were not read; null when all were. */
export function unreadOf({ answer, result }) {
    const [, count, reason] = /(\d+) scanned page\(s\) were not read: (.*)\.$/s.exec(result?.message ?? answer.message ?? '') ?? [];
    return count ? { count: Number(count), reason } : null;
}

/* {kind, values}: what to say of an item. kind: indexed, replaced, same, partial, failed, waiting, working, again. */
export function stateOf({ answer, status, meta, result }) {
    const text = result?.detail ?? result?.message ?? answer.message;
    if (status === null || status === 'SUCCESS') {
        const partial = (status === null ? answer.status : result?.status) === 'partial';
        if (partial) return { kind: 'partial', text };
        const { deduplicated, replaced, version, chunks } = result ?? answer;
        if (deduplicated) return { kind: 'same', version };
        return { kind: replaced ? 'replaced' : 'indexed', version, chunks };
    }
    if (status === 'PROCESSING') return { kind: 'working', text: meta?.step ?? '' };
    if (status === 'RETRY') return { kind: 'again', text: meta?.detail ?? '' };
    if (status === 'PENDING' || status === 'STARTED') return { kind: 'waiting', text: '' };
    return { kind: 'failed', text: text ?? '' };
}
