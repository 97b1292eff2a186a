/* Looks metrics of the catalog up by name, shows what they are, and takes one into the design as goal, secondary or guardrail. */
import { t } from '../../shared/i18n.js';
import { formatNumber, formatPercent } from '../../shared/numbers.js';
import { createCombobox } from '../../shared/ui/combobox.js';
import { html } from '../../shared/ui/lit.js';
import { attempt } from '../attempt.js';
import { known } from '../figures.js';
import { factList } from '../finding.js';
import { guardrailsMax, roles } from './from_catalog.js';

const shownMax = 20;

function factsOf({ kind, direction, owner, window_days: days, minimum_effect_pct: effect, livedata = null }) {
    return [
        [t('field.metric_type'), t(`metric.${kind}`)],
        [t('catalog.goal'), t(`catalog.goal_${direction}`)],
        [t('catalog.owner'), owner],
        [t('catalog.window_days'), known(days) ? formatNumber(days) : null],
        [t('catalog.minimum_effect'), known(effect) ? formatPercent(effect / 100) : null],
        [t('catalog.source'), known(livedata) ? t('catalog.source_livedata') : null],
    ];
}

const noteOf = ({ kind, owner }) => [t(`metric.${kind}`), owner].filter(Boolean).join(' · ');

/*
 * take(role, answer of the API about the metric) gives the key of an objection, or null when the design has it;
 * guardrails() names those of the design, drop(name) takes one out.
 */
/** @param {() => void} update @param {{client: Client<'experiments'>, take: Function, drop: Function, guardrails: () => string[]}} options */
export function createChooser(update, { client, take, drop, guardrails }) {
    let found = /** @type {experiments.CatalogMetric[]} */ ([]);
    let metric = /** @type {experiments.CatalogMetric | null} */ (null);
    let said = /** @type {{tone: string, text: string} | null} */ (null);

    async function find(text, signal) {
        const { data } = await client.get('/api/v1/metrics', { query: { q: text, limit: shownMax }, signal });
        found = data.metrics;
        return found.map(({ id, definition }) => ({ value: id, title: definition.name, note: noteOf(definition) }));
    }

    const search = createCombobox(update, {
        id: 'catalog-search',
        label: () => t('plan.from_catalog'),
        placeholder: () => t('plan.catalog_search'),
        find,
        onChoose: (option) => {
            metric = found.find(({ id }) => id === option?.value) ?? null;
            said = null;
        },
    });

    const choose = (role) =>
        attempt(async () => {
            const chosen = metric;
            const { data } = await client.get(/** @type {const} */ (`/api/v1/metrics/${encodeURIComponent(chosen.id)}`));
            const { name } = chosen.definition;
            const objection = take(role, data);
            said = objection === null ? { tone: 'good', text: t(`plan.catalog_taken_${role}`, { name }) } : { tone: 'caution', text: t(objection, { name, count: guardrailsMax }) };
            if (objection === null) {
                search.set(null);
                metric = null;
            }
            update();
        });

    const guardrailList = (names) => html`<ul class="stack" id="plan-guardrails" aria-label=${t('plan.guardrails')}>
        ${names.map(
            (name) =>
                html`<li class="button-row">
                    <span dir="auto">${t('plan.guardrail_is', { name })}</span>
                    <button type="button" class="button" data-size="small" aria-label=${`${t('plan.remove')}: ${name}`} @click=${() => drop(name)}>${t('plan.remove')}</button>
                </li>`,
        )}
    </ul>`;

    return {
        view: () => html`<div class="field-wide stack" id="from-catalog">
            ${search.view()}
            ${metric === null
                ? null
                : html`<div class="stack" id="catalog-found">
                      ${factList(factsOf(metric.definition))}
                      <div class="button-row">${roles.map((role) => html`<button type="button" class="button" data-size="small" data-role=${role} @click=${() => choose(role)}>${t(`plan.catalog_as_${role}`)}</button>`)}</div>
                  </div>`}
            <p class="field-hint" role="status" data-tone=${said?.tone ?? 'none'}>${said === null ? t('plan.catalog_hint') : said.text}</p>
            ${guardrails().length === 0 ? null : guardrailList(guardrails())}
        </div>`,
    };
}
