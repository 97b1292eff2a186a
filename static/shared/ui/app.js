/*
 * A page: one state, one pure view, drawn again after each change. Components that keep something of
 * their own (resources, forms, lists) are made with the page's `update`.
 */
import { onLocale } from '../i18n.js';
import { ownPath } from '../place.js';
import { render } from './lit.js';

/*
 * Draws view(state, app) into `root`, now and after each app.set(patch) or app.update(), once per
 * turn of the event loop, and when the language changes.
 */
export function mount(root, view, state = {}) {
    let queued = false;
    const draw = () => {
        queued = false;
        render(view(state, app), root);
    };
    const app = {
        state,
        update() {
            if (queued) return;
            queued = true;
            queueMicrotask(draw);
        },
        set(patch) {
            Object.assign(state, patch);
            app.update();
        },
    };
    onLocale(app.update);
    root.replaceChildren();
    draw();
    return app;
}

/* The parameters of the address by the pattern of static/pages.json: '/projects/{id}'. */
export function pathParameters(pattern, path = ownPath()) {
    const names = [...pattern.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const expression = pattern.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '([^/]+)');
    const found = new RegExp(`^${expression}$`).exec(path);
    if (found === null) return {};
    return Object.fromEntries(
        names.map((name, index) => [name, decodeURIComponent(found[index + 1])]),
    );
}

/* A function that runs `action` once there has been a pause of `ms`; .cancel() and .now() end it. */
export function afterPause(ms, action) {
    let timer = null;
    const wait = (...values) => {
        clearTimeout(timer);
        timer = setTimeout(() => action(...values), ms);
    };
    wait.cancel = () => clearTimeout(timer);
    wait.now = (...values) => {
        clearTimeout(timer);
        return action(...values);
    };
    return wait;
}
