/*
 * Conversations of this browser: the service knows none, only the tasks of a session. Kept in the
 * local storage, so that they outlive the tab.
 */
const key = 'orch_threads';
const currentKey = 'orch_current_thread';
const most = 50;
const titleLength = 50;

function read() {
    try {
        const list = JSON.parse(localStorage.getItem(key)) ?? [];
        return Array.isArray(list) ? list : [];
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

export function titleOf(messages) {
    const text = messages.find(({ role }) => role === 'user')?.content ?? '';
    return text.length > titleLength ? `${text.slice(0, titleLength)}...` : text;
}

export function createThreads() {
    let all = read();
    let current = all.find(({ id }) => id === localStorage.getItem(currentKey)) ?? null;

    const threads = {
        list: () => all,
        current: () => current,
        messages: () => current?.messages ?? [],

        begin() {
            current = null;
            write(currentKey, '');
        },

        open(id) {
            current = all.find((thread) => thread.id === id) ?? null;
            write(currentKey, current?.id ?? '');
        },

        remove(id) {
            all = all.filter((thread) => thread.id !== id);
            if (current?.id === id) threads.begin();
            threads.save();
        },

        add(message) {
            const now = new Date().toISOString();
            current ??= { id: crypto.randomUUID(), title: '', created_at: now, updated_at: now, messages: [] };
            current.messages = [...current.messages, message];
            current.title = titleOf(current.messages);
            current.updated_at = now;
            all = [current, ...all.filter((thread) => thread !== current)].slice(0, most);
            threads.save();
            return message;
        },

        save() {
            write(key, JSON.stringify(all.map((thread) => ({ ...thread, messages: thread.messages.filter(({ state }) => !state) }))));
            write(currentKey, current?.id ?? '');
        },
    };
    return threads;
}

/* A thread as text to keep. */
export function textOf(messages) {
    return messages.map(({ role, content }) => `## ${role}\n\n${content}\n`).join('\n');
}
