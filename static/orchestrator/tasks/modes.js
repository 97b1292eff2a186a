/* Ways in which several calls make one answer, each with an example that starts with one click. */
import { t } from '../../shared/i18n.js';
import { ApiError } from '../../shared/ui/errors.js';
import { formDialog } from '../../shared/ui/form-dialog.js';
import { html } from '../../shared/ui/lit.js';
import { answerTimeoutMs, client, loadCallable, sayError } from '../models.js';

const voters = 3;
const linesOf = (text) => text.split('\n').map((line) => line.trim()).filter(Boolean);

/* name → the request of a text; a batch has one prompt per line. */
const modes = {
    consensus: async (text) => ['/api/v1/consensus', { prompt: text, models: (await loadCallable()).models.slice(0, voters).map(({ id }) => id) }],
    debate: (text) => ['/api/v1/debate', { topic: text }],
    pipeline: (text) => ['/api/v1/pipeline', { prompt: text, multi_model: true }],
    batch: (text) => ['/api/v1/batch', { prompts: linesOf(text) }],
};

async function send(name, text) {
    const [path, body] = await modes[name](text);
    return client.post(/** @type {any} */ (path), body, { timeoutMs: answerTimeoutMs });
}

/* onRun(id) opens the run that was started. */
export function createModes(update, onRun) {
    let running = null;

    async function start(name) {
        running = name;
        update();
        try {
            const { data } = /** @type {{ data: any }} */ (await send(name, t(`tasks.example_${name}`)));
            onRun(data.task_id);
        } catch (error) {
            if (!(error instanceof ApiError)) throw error;
            sayError(error);
        } finally {
            running = null;
            update();
        }
    }

    async function askFor(name) {
        const data = await formDialog({
            id: 'mode',
            wide: true,
            title: t(`tasks.kind_${name}`),
            action: t('tasks.run'),
            fields: [{ name: 'text', kind: 'textarea', wide: true, label: () => t(name === 'batch' ? 'tasks.prompts' : 'tasks.prompt'), rows: 5 }],
            values: { text: t(`tasks.example_${name}`) },
            send: ({ text = '' }) => send(name, text),
        });
        if (data !== undefined) onRun(data.task_id);
    }

    const card = (name) => html`<article class="mode" aria-labelledby=${`mode-${name}-title`}>
        <h3 id=${`mode-${name}-title`}>${t(`tasks.kind_${name}`)}</h3>
        <p class="section-note">${t(`tasks.about_${name}`)}</p>
        <p class="mode-example" dir="auto">${t(`tasks.example_${name}`)}</p>
        <div class="button-row">
            <button type="button" class="button" data-size="small" id=${`run-${name}`} ?disabled=${running !== null} @click=${() => start(name)}>${t(running === name ? 'tasks.running' : 'tasks.run_example')}</button>
            <button type="button" class="button" data-kind="quiet" data-size="small" id=${`write-${name}`} ?disabled=${running !== null} @click=${() => askFor(name)}>${t('tasks.own_prompt')}</button>
        </div>
    </article>`;

    return {
        view: () => html`<section class="card section stack" data-for="models:analyst models:admin" aria-labelledby="modes-title">
            <h2 id="modes-title">${t('tasks.new_run')}</h2>
            <div class="modes">${Object.keys(modes).map(card)}</div>
        </section>`,
    };
}
