/*
 * Conversations of this browser: the service knows none, only runs. Kept in the local storage, so that they outlive the
 * tab. A conversation has one to four columns {model, messages}; those of earlier versions had one list of messages.
 */
const key = 'orch_threads';
const currentKey = 'orch_current_thread';
const most = 50;
const titleLength = 50;

function withColumns({ messages, ...thread }) {
    return thread.columns ? thread : { ...thread, columns: [{ model: null, messages: messages ?? [] }] };
}

function read() {
    try {
        const list = JSON.parse(localStorage.getItem(key)) ?? [];
        return Array.isArray(list) ? list.map(withColumns) : [];
    } catch {
        return [];
    }
}

function write(name, value) {
    try {
        localStorage.setItem(name, value);
    } catch {
        /* storage forbidden or full: conversations last as long as the page */
    }
}

export function titleOf(columns) {
    const text = columns.flatMap(({ messages }) => messages).find(({ role }) => role === 'user')?.content ?? '';
    return text.length > titleLength ? `${text.slice(0, titleLength)}...` : text;
}

/* What is kept of a column: its model, and the turns that have ended. */
function kept({ model, messages }) {
    const turns = [];
    for (let i = 1; i < messages.length; i += 2)
        if (!messages[i].state) turns.push(messages[i - 1], messages[i]);
    return { model, messages: turns };
}

export function createThreads() {
    let all = read();
    let current = all.find(({ id }) => id === localStorage.getItem(currentKey)) ?? null;

    const threads = {
        list: () => all,
        current: () => current,

        begin() {
            current = null;
            write(currentKey, '');
        },

        open(id) {
            current = all.find((thread) => thread.id === id) ?? null;
            write(currentKey, current?.id ?? '');
            return current;
        },

        remove(id) {
            all = all.filter((thread) => thread.id !== id);
            if (current?.id === id) threads.begin();
            write(key, JSON.stringify(all));
        },

        /* Begins the current conversation if there is none, and returns it. */
        touch(columns) {
            const now = new Date().toISOString();
            current ??= { id: crypto.randomUUID(), title: '', created_at: now, updated_at: now, columns: [] };
            current.title = titleOf(columns);
            current.updated_at = now;
            all = [current, ...all.filter((thread) => thread !== current)].slice(0, most);
            return current;
        },

        save(thread, columns) {
            if (!all.includes(thread)) return;
            thread.columns = columns.map(kept);
            write(key, JSON.stringify(all));
            write(currentKey, current?.id ?? '');
        },
    };
    return threads;
}

/* A conversation as text to keep; nameOf(model) is its heading where there are several columns. */
export function textOf(columns, nameOf) {
    const text = ({ messages }) => messages.map(({ role, content }) => `## ${role}\n\n${content}\n`).join('\n');
    if (columns.length === 1) return text(columns[0]);
    return columns.map((column) => `# ${nameOf(column.model)}\n\n${text(column)}`).join('\n');
}
