/* A long file is a task: followed until it ends, called off when it is no longer wanted. */
import { t } from '../../../shared/i18n.js';
import { formatBytes } from '../../../shared/numbers.js';
import { ApiError } from '../../../shared/ui/errors.js';
import { html } from '../../../shared/ui/lit.js';

const everyMs = 1000;
const pathOf = (id) => `/api/v1/results/file/tasks/${encodeURIComponent(id)}`;

function stateText({ state, bytes_read: read, bytes }) {
    if (state === 'waiting') return t('file.task_waiting');
    if (read >= bytes) return t('file.task_comparing');
    return t('file.task_read', { done: formatBytes(read), bytes: formatBytes(bytes) });
}

/* onEnd(result) or onFail(error) is called once for each task that was not called off. */
export function createTask(update, { client, onEnd, onFail }) {
    /** @type {any} */
    let task = null;
    let timer;

    const set = (now) => {
        task = now;
        update();
    };

    function fail(error) {
        set(null);
        onFail(error);
    }

    function look() {
        const { state, result, failure, reason } = task;
        if (state === 'failed') return fail(new ApiError('rejected', failure ?? '', { code: reason }));
        if (state === 'done') {
            set(null);
            return onEnd(result);
        }
        timer = setTimeout(ask, everyMs);
    }

    /* One question that fails on its way is asked again. */
    async function ask() {
        const { id } = task;
        try {
            const { data } = await client.get(pathOf(id));
            if (task?.id !== id) return;
            set(data);
            look();
        } catch (error) {
            if (!(error instanceof ApiError)) throw error;
            if (task?.id !== id) return;
            if (error.kind === 'missing' || error.kind === 'unauthorized') fail(error);
            else timer = setTimeout(ask, everyMs);
        }
    }

    return {
        runs: () => task !== null,
        follow(begun) {
            set(begun);
            look();
        },
        stop() {
            if (task === null) return;
            clearTimeout(timer);
            const { id } = task;
            set(null);
            client.delete(pathOf(id)).catch(() => {}); /* it would be forgotten in a day */
        },
        view() {
            return html`<div class="card section stack" id="task">
                <p role="status">${stateText(task)}</p>
                <progress max=${task.bytes || 1} .value=${task.bytes_read} aria-label=${stateText(task)}></progress>
                <div class="button-row"><button type="button" class="button" data-size="small" id="stop-task" @click=${this.stop}>${t('file.task_stop')}</button></div>
            </div>`;
        },
    };
}
