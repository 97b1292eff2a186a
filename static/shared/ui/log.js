/* Lines as they come: the newest stays in sight until the reader scrolls back or holds the log. */
import { t } from '../i18n.js';
import { badge } from './badge.js';
import { html, ref, repeat } from './lit.js';

/* limit: how many lines are kept. A line is {time?, level?, tone?, text}, text being a template too. */
export function createLog(update, { limit = 500 } = {}) {
    let lines = [];
    let held = [];
    let paused = false;
    let count = 0;
    let follow = true;
    let place = null;

    function scroll() {
        if (follow && place) place.scrollTop = place.scrollHeight;
    }

    function keep(added) {
        lines = [...lines, ...added].slice(-limit);
        update();
        setTimeout(scroll);
    }

    const log = {
        add(line) {
            const numbered = { ...line, id: ++count };
            if (paused) held = [...held, numbered].slice(-limit);
            else keep([numbered]);
        },
        clear() {
            lines = held = [];
            update();
        },
        pause(wanted) {
            paused = wanted;
            if (!paused) keep(held.splice(0));
            update();
        },
        paused: () => paused,
        size: () => lines.length,

        view({ label, empty = t('state.empty') }) {
            return html`<div class="log-frame">
                <div
                    class="log"
                    role="log"
                    aria-label=${label}
                    tabindex="0"
                    ${ref((element) => (place = element ?? null))}
                    @scroll=${() => (follow = place.scrollHeight - place.scrollTop - place.clientHeight < 24)}
                >
                    ${lines.length === 0 ? html`<p class="log-empty">${empty}</p>` : null}
                    ${repeat(
                        lines,
                        ({ id }) => id,
                        (line) =>
                            html`<div class="log-line">
                                ${line.time ? html`<time class="log-time" dir="ltr">${line.time}</time>` : null}
                                ${line.level ? badge(line.level, line.tone ?? 'plain') : null}
                                <span class="log-text" dir="auto">${line.text}</span>
                            </div>`,
                    )}
                </div>
                <div class="button-row">
                    <button
                        type="button"
                        class="button"
                        data-size="small"
                        aria-pressed=${String(paused)}
                        @click=${() => log.pause(!paused)}
                    >
                        ${paused ? t('log.resume', { count: held.length }) : t('log.pause')}
                    </button>
                    <button type="button" class="button" data-kind="quiet" data-size="small" @click=${log.clear}>
                        ${t('log.clear')}
                    </button>
                </div>
            </div>`;
        },
    };
    return log;
}
