/* Analyze a file: choose it, say what its columns are, send it, read the result. */
import { t } from '../../../shared/i18n.js';
import { formatBytes, formatInteger } from '../../../shared/numbers.js';
import { apiAddress } from '../../../shared/place.js';
import { createClient } from '../../../shared/ui/client.js';
import { ApiError } from '../../../shared/ui/errors.js';
import { createForm } from '../../../shared/ui/form.js';
import { html, nothing } from '../../../shared/ui/lit.js';
import { errorNotice, tokenForm } from '../../../shared/ui/notice.js';
import { createDropzone, createUpload } from '../../../shared/ui/upload.js';
import { exampleFile } from './example.js';
import { controlOf, fieldsOf, isInBrowser, mappingOf, tickedOf } from './fields.js';
import { headOf } from './head.js';
import { fileView } from './view.js';
import { findingOf } from './result.js';
import { questionOf, rowsMaxBytes } from './rows.js';
import { createTask } from './task.js';

const url = '/api/v1/results/file';
const taskBytes = 16 * 1024 * 1024; /* files of more are tasks, with progress */
const urlOf = ({ size }) => (size > taskBytes ? `${url}/tasks` : url);
const client = createClient();
const accept = '.csv,.tsv,.txt,.ndjson,.jsonl,text/csv,application/x-ndjson';

/* Which field an answer is about, by its code. */
const fieldOfCode = { data_arms: 'arm', unknown_control: 'control', too_many_users: 'further_mann_whitney', data_analyses: 'further_mann_whitney' };

function atField(error) {
    const name = fieldOfCode[error.code];
    return name === undefined ? error : { ...error, items: [{ loc: [name], msg: error.message, type: 'value_error' }] };
}

/* The tool has file, head (null before a file), form, answer, error, stale, and what view.js draws. */
function create(update) {
    /** @type {any} */
    const tool = { file: null, head: null, form: null, answer: null, error: null, stale: false, empty: false, busy: false, question: null };

    const settle = (patch) => {
        Object.assign(tool, patch);
        update();
    };

    let taking = null; /* the file that was chosen last */
    let sent = null; /* values of the form when the file was sent */

    async function take(file) {
        taking = file;
        tool.upload.clear();
        tool.task.stop();
        const head = await headOf(file);
        if (taking !== file) return;
        if (head.rows.length === 0) return settle({ file: null, head: null, form: null, answer: null, error: null, empty: true });
        const form = createForm(update, { fields: fieldsOf(head), onInput: () => settle({ stale: tool.answer !== null }), onSubmit: send });
        form.write(tickedOf(head));
        settle({ file, head, form, answer: null, error: null, stale: false, empty: false });
        document.getElementById('file-columns')?.focus();
    }

    /* Reads the rows here and asks for their sums. */
    async function askForSums(values) {
        if (tool.file.size > rowsMaxBytes) return fail(new ApiError('rejected', t('upload.too_large', { limit: formatBytes(rowsMaxBytes) })));
        const { file } = tool;
        settle({ busy: true });
        try {
            const question = await questionOf(file, values, [controlOf(tool.head, values), values.treatment]);
            const { data } = await client.post(question.path, question.body);
            show(data, { file, values, question });
        } catch (error) {
            if (!(error instanceof ApiError)) throw error;
            if (tool.file === file) fail(error);
        } finally {
            settle({ busy: false });
        }
    }

    /* An answer about another file than the one in sight is dropped; one about other columns is out of date. */
    function show(answer, { file, values, question }) {
        if (tool.file !== file) return;
        settle({ answer, question, error: null, stale: JSON.stringify(values) !== JSON.stringify(tool.form.values()) });
    }

    function send() {
        if (tool.form.unclear() || tool.isBusy()) return;
        tool.form.clearProblems();
        settle({ error: null, stale: tool.answer !== null });
        if (isInBrowser(tool.form.values())) return askForSums(tool.form.values());
        sent = tool.form.values();
        tool.mapping = mappingOf(sent);
        tool.upload.add([tool.file]);
    }

    function fail(error) {
        const about = tool.form.showError(atField(error));
        settle({ error: about ? null : error });
    }

    tool.dropzone = createDropzone(update, { accept, multiple: false, onFiles: ([file]) => file && take(file) });
    tool.task = createTask(update, { client, onEnd: (answer) => show(answer, { file: tool.file, values: sent, question: null }), onFail: fail });
    tool.isBusy = () => tool.busy || tool.upload.busy() || tool.task.runs();
    tool.upload = createUpload(update, {
        url: urlOf,
        multiple: false,
        extra: () => ({ mapping: JSON.stringify(tool.mapping) }),
        forgetDone: true,
        onDone: (answer, file) => (file.size > taskBytes ? tool.task.follow(answer) : show(answer, { file, values: sent, question: null })),
        onFail: fail,
    });
    tool.example = () => take(exampleFile());
    tool.notices = () => {
        if (tool.error === null) return nothing;
        return tool.error.kind === 'unauthorized' ? tokenForm(tool.error, send) : errorNotice(tool.error, { retry: send });
    };
    tool.announcement = () => (tool.answer === null ? '' : findingOf(tool.answer, tool).verdict.title);
    tool.command = () => ({ url: apiAddress(urlOf(tool.file)), mapping: tool.mapping, name: tool.file.name });
    tool.chosen = () => html`<p class="prose"><strong dir="auto">${tool.file.name}</strong> · ${formatBytes(tool.file.size)} · ${t('file.columns_found', { count: formatInteger(tool.head.columns.length) })}</p>`;
    tool.view = () => fileView(tool);
    return tool;
}

export const file = { create };
