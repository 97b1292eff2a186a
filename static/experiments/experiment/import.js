/*
 * Events from a file: chosen, shown with its columns matched to fields, and sent in parts to the routes
 * that take lines. A conversion without a key of its own gets one of the file's content and its line,
 * so that a file that is sent twice counts once.
 */
import { t } from '../../shared/i18n.js';
import { formatInteger } from '../../shared/numbers.js';
import { ApiError } from '../../shared/ui/errors.js';
import { html } from '../../shared/ui/lit.js';
import { errorNotice, notice } from '../../shared/ui/notice.js';
import { table } from '../../shared/ui/table.js';
import { armName } from '../arms.js';
import { armsAreClear, armSelects, importCheck } from './import_check.js';
import { consequence, fieldsOf, guessArms, guessColumns, guessKind, namesIn, readFile, recordOf } from './records.js';

const linesAtOnce = 2000;
const bytesAtOnce = 700000;
const previewed = 5;
const shownErrors = 20;
const required = ['user_id', 'variation'];

async function digestOf(text) {
    const bytes = new TextEncoder().encode(text);
    if (!globalThis.crypto?.subtle) return `${bytes.length}-${bytes.reduce((sum, byte) => (sum * 31 + byte) >>> 0, 7).toString(16)}`;
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
    return [...hash.slice(0, 12)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/* Parts of a file that a request may hold: {text, first} with the number of the first row. */
export function partsOf(records) {
    const parts = [];
    let lines = [];
    let bytes = 0;
    let first = 0;
    records.forEach((record, index) => {
        const line = JSON.stringify(record);
        if (lines.length > 0 && (lines.length === linesAtOnce || bytes + line.length > bytesAtOnce)) {
            parts.push({ text: lines.join('\n'), first });
            [lines, bytes, first] = [[], 0, index];
        }
        lines.push(line);
        bytes += 3 * line.length; /* characters may take more bytes than one */
    });
    if (lines.length > 0) parts.push({ text: lines.join('\n'), first });
    return parts;
}

/**
 * @param {() => void} update
 * @param {Client<'experiments'>} client
 * @param {`/api/v1/experiments/${string}`} base
 * @param {{ done: () => void, clear: () => void }} page
 */
export function createImport(update, client, base, { done, clear }) {
    let state = empty();
    /* what the plan and the experiment say */
    let plan = { exposed: 0, type: 'binary', baseline: 0 };

    function empty() {
        return { name: null, kind: 'exposures', columns: [], rows: [], chosen: /** @type {Record<string, string>} */ ({}), arms: {}, digest: '', sent: null, total: 0, result: null, error: null, armCount: 2, metric: '', known: /** @type {string[]} */ ([]), onlyKnown: false, confirmed: false };
    }

    function set(patch) {
        state = { ...state, ...patch };
        update();
    }

    /* The names that the file holds beside those of the plan are left out where some are of the plan. */
    function propose(patch) {
        state = { ...state, ...patch, result: null, error: null, confirmed: false };
        state.onlyKnown = namesIn(state.rows, { columns: state.chosen, known: state.known }).some(({ known }) => known);
        state.arms = guessArms(state.rows, state.chosen.variation, state.armCount);
        update();
    }

    const match = (kind) => propose({ kind, chosen: guessColumns(kind, state.columns, state.rows, state.known) });

    async function choose(file, { arms, metric, known }) {
        if (!file) return;
        const text = await file.text();
        try {
            const { columns, rows } = readFile(text);
            if (rows.length === 0) throw new SyntaxError();
            state = { ...empty(), name: file.name, columns, rows, armCount: arms, metric, known, digest: await digestOf(text) };
            match(guessKind(columns, rows, known));
        } catch (error) {
            if (!(error instanceof SyntaxError)) throw error;
            set({ ...empty(), error: t('experiment.file_unreadable', { name: file.name }) });
        }
    }

    const mapping = () => ({ kind: state.kind, columns: state.chosen, arms: state.arms, metric: state.metric, known: state.known, onlyKnown: state.onlyKnown });
    const recordAt = (row, index) => recordOf(row, mapping(), `${state.digest}-${index + 1}`);
    const isReady = () => required.every((field) => !fieldsOf(state.kind).includes(field) || state.chosen[field]) && armsAreClear(state);
    const chooseColumn = (field, name) => propose({ chosen: /** @type {Record<string, string>} */ ({ ...state.chosen, [field]: name }) });

    const actions = {
        choose: chooseColumn,
        confirm: (confirmed) => set({ confirmed }),
        setArm: (value, arm) => set({ arms: { ...state.arms, [value]: /^\d+$/.test(arm) ? Number(arm) : arm === 'out' ? 'out' : null }, confirmed: false }),
        setOnlyKnown: (onlyKnown) => set({ onlyKnown }),
    };

    async function send() {
        const all = state.rows.map((row, index) => ({ record: recordAt(row, index), row: index + 1 }));
        const taken = all.filter(({ record }) => record !== null);
        const result = { recorded: 0, deduplicated: 0, skipped: all.length - taken.length, refused: 0, errors: [] };
        set({ sent: 0, total: taken.length, result: null, error: null });
        try {
            for (const { text, first } of partsOf(taken.map(({ record }) => record))) {
                const kind = /** @type {'exposures' | 'conversions'} */ (state.kind);
                const path = /** @type {const} */ (`${base}/${kind}/lines`);
                const form = new Blob([text], { type: 'application/x-ndjson' });
                const { data } = await client.request('POST', path, { form, headers: { 'Content-Type': 'application/x-ndjson' }, timeoutMs: 60000 });
                result.recorded += data.recorded;
                result.deduplicated += data.deduplicated;
                result.refused += data.refused;
                result.errors.push(...data.errors.map(({ line, message }) => ({ line: taken[first + line - 1].row, message })));
                set({ sent: Math.min(taken.length, first + text.split('\n').length) });
            }
            set({ sent: null, result });
        } catch (error) {
            if (!(error instanceof ApiError)) throw error;
            set({ sent: null, result: result.recorded > 0 ? result : null, error });
        }
        done();
    }

    function columnSelect(field) {
        const none = required.includes(field) ? t('experiment.choose_column') : t(`experiment.default_${field}`, { metric: state.metric });
        return html`<div class="field">
            <label class="field-label" for=${`column-${field}`}>${t(`experiment.field_${field}`)}</label>
            <select class="select" id=${`column-${field}`} @change=${(event) => chooseColumn(field, event.target.value)}>
                <option value="" .selected=${state.chosen[field] === ''}>${none}</option>
                ${state.columns.map((name) => html`<option value=${name} .selected=${state.chosen[field] === name}>${name}</option>`)}
            </select>
        </div>`;
    }

    function preview() {
        const first = state.rows.slice(0, previewed).map(recordAt);
        const shown = (field) => (field === 'variation' ? 'variation_index' : field);
        return table({
            caption: t('experiment.preview'),
            columns: fieldsOf(state.kind)
                .filter((field) => field !== 'idempotency_key')
                .map((field) => ({
                    name: field,
                    title: t(`experiment.field_${field}`),
                    cell: (record) => {
                        const value = record?.[shown(field)];
                        return field === 'variation' && value !== undefined ? armName(value) : html`<span dir="auto">${value ?? '–'}</span>`;
                    },
                })),
            rows: first,
        });
    }

    function resultView({ recorded, deduplicated, skipped, refused, errors }) {
        const parts = [
            t('experiment.imported', { count: formatInteger(recorded) }),
            deduplicated > 0 ? t('experiment.import_known', { count: formatInteger(deduplicated) }) : null,
            skipped > 0 ? t('experiment.import_skipped', { count: formatInteger(skipped) }) : null,
            refused > 0 ? t('experiment.import_refused', { count: formatInteger(refused) }) : null,
        ];
        return notice({
            tone: refused > 0 ? 'caution' : 'good',
            body: html`<p role="status" id="import-result">${parts.filter(Boolean).join(' ')}</p>
                ${errors.length === 0
                    ? null
                    : html`<ul class="assumption-list">
                          ${errors.slice(0, shownErrors).map(({ line, message }) => html`<li>${t('experiment.import_line', { line: formatInteger(line), message })}</li>`)}
                      </ul>`}
                <p>${t('experiment.clear_offer')}</p>`,
            actions: html`<button type="button" class="button" data-size="small" @click=${clear}>${t('experiment.clear')}</button>`,
        });
    }

    function matching() {
        const kinds = ['exposures', 'conversions'];
        const effect = consequence(state.rows, mapping());
        const counts = { count: formatInteger(effect.taken), total: formatInteger(state.rows.length) };
        return html`<p class="section-note" dir="auto">${t('experiment.file_rows', { name: state.name, count: formatInteger(state.rows.length) })}</p>
            <div class="mapping">
                <div class="field">
                    <label class="field-label" for="import-kind">${t('experiment.file_holds')}</label>
                    <select class="select" id="import-kind" @change=${(event) => match(event.target.value)}>
                        ${kinds.map((kind) => html`<option value=${kind} .selected=${state.kind === kind}>${t(`experiment.kind_${kind}`)}</option>`)}
                    </select>
                </div>
                ${fieldsOf(state.kind).map(columnSelect)}
            </div>
            ${armSelects(state, actions)}
            <h3>${t('experiment.preview')}</h3>
            ${preview()} ${importCheck(state, effect, plan, actions)}
            <div class="button-row">
                <button type="button" class="button" data-kind="primary" id="import" ?disabled=${state.sent !== null || !isReady() || effect.taken === 0} @click=${send}>
                    ${t(effect.taken < state.rows.length ? 'experiment.import_part' : 'experiment.import', counts)}
                </button>
                ${state.sent === null ? null : html`<progress max=${state.total || 1} value=${state.sent} aria-label=${t('experiment.importing')}></progress>`}
            </div>`;
    }

    return {
        reset: () => set(empty()),
        view: (context) => {
            plan = context;
            return html`<div class="stack" id="upload">
                <p class="section-note">${t('experiment.upload_note')}</p>
                <div class="field">
                    <label class="field-label" for="events-file">${t('experiment.events_file')}</label>
                    <input
                        class="input"
                        type="file"
                        id="events-file"
                        accept=".csv,.tsv,.txt,.json,.jsonl,.ndjson,text/csv,application/x-ndjson,application/json"
                        @change=${(event) => choose(event.target.files[0], context)}
                    />
                </div>
                ${typeof state.error === 'string' ? notice({ tone: 'danger', body: state.error, alert: true }) : state.error ? errorNotice(state.error) : null}
                ${state.result ? resultView(state.result) : null} ${state.name ? matching() : null}
            </div>`;
        },
    };
}
