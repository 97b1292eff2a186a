/* The feature flag of an experiment: its key, what each variation stands for, whom the design lets in, how programs ask for
 * it, and what a user would get of it and why. */
import { t } from '../../shared/i18n.js';
import { formatInteger } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { codeblock } from '../../shared/ui/codeblock.js';
import { ApiError } from '../../shared/ui/errors.js';
import { createForm } from '../../shared/ui/form.js';
import { html } from '../../shared/ui/lit.js';
import { errorNotice, notice } from '../../shared/ui/notice.js';
import { createResource, resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';
import { tabs } from '../../shared/ui/tabs.js';
import { writeQuantity } from '../../shared/ui/units.js';
import { armName } from '../arms.js';
import { shownTime } from '../plan/nested.js';
import { writers } from '../roles.js';
import { createChange } from './flag_change.js';
import { attributesIn, resultOf } from './flag_preview.js';
import { flagLanguages, flagSnippetOf } from './flag_snippets.js';
import { createTargeting, targetingFacts } from './flag_targeting.js';
import { createFlagForm, sentFlag } from './flag_values.js';

const code = (text) => html`<code dir="ltr">${text}</code>`;
const json = (value) => code(JSON.stringify(value));

/* What is set beside the values, as names and texts. */
/** @param {experiments.Flag} flag */
function settingsOf({ default_variation: index, fixed_variation: fixed, forced, ramp, ramp_held_at: held, holdout }) {
    const steps = ramp.map((step, at) => html`<div>${shownTime(step.starts_at)} · ${writeQuantity(step.share, 'fraction')} ${at === held ? badge(t('experiment.flag_held'), 'caution') : null}</div>`);
    return [
        ['default', armName(index)],
        ...(Number.isInteger(fixed) ? [['fixed', armName(fixed)]] : []),
        ...(forced.length > 0 ? [['forced', formatInteger(forced.length)]] : []),
        ...(ramp.length > 0 ? [['ramp', held === -1 ? html`${steps} ${badge(t('experiment.flag_held_before'), 'caution')}` : steps]] : []),
        ...(holdout ? [['holdout', html`<span dir="auto">${holdout.name}</span> · ${writeQuantity(holdout.share, 'fraction')}`]] : []),
    ];
}

/** @param {{ flag: experiments.Flag }} saved */
function flagFacts({ flag }) {
    const { key, enabled, variants, value_type: type } = flag;
    return html`<p>${code(key)} ${badge(t(enabled ? 'experiment.flag_on' : 'experiment.flag_off'), enabled ? 'good' : 'plain', { dot: true })}</p>
        ${variants.length === 0
            ? html`<p class="section-note">${t('experiment.flag_unset')}</p>`
            : html`${table({
                  caption: t('experiment.flag'),
                  columns: [
                      { name: 'name', title: t('split.variant'), cell: ({ name }) => html`<span dir="auto">${name}</span>` },
                      { name: 'value', title: `${t('experiment.value')} (${type})`, cell: ({ value }) => json(value) },
                  ],
                  rows: variants,
              })}
                  <dl class="facts" id="flag-settings">
                      ${settingsOf(flag).map(([name, value]) => html`<div class="fact"><dt>${t(`experiment.flag_${name}`)}</dt><dd>${value}</dd></div>`)}
                  </dl>`}`;
}

/* A card of something that is shown, and edited below what is saved. */
function editable({ id, title, change, ready, facts, editor }) {
    const button = html`<button type="button" class="button" data-size="small" data-for=${writers} data-edit @click=${change.open}>${t('experiment.rule_edit')}</button>`;
    return html`<section class="card section stack" aria-labelledby=${`${id}-title`} id=${id}>
        <div class="section-head"><h2 id=${`${id}-title`}>${title}</h2>${ready && !change.isOpen ? button : null}</div>
        ${facts} ${change.isOpen ? html`${change.notice()} ${editor()}` : null}
    </section>`;
}

const saveButtons = (change) => html`<div class="button-row">
    <button type="submit" class="button" data-kind="primary" ?disabled=${change.busy}>${t(change.overtaken ? 'experiment.overtaken_save' : 'experiment.rule_save')}</button>
    <button type="button" class="button" @click=${change.close}>${t('confirm.cancel')}</button>
</div>`;

/*
 * design: {project, path, changed(project)}: the resource of the project, where it is saved, and what happens then.
 * api: the address that programs use.
 *
 * @param {Client<'experiments'>} client
 * @param {`/api/v1/experiments/${string}`} base
 */
export function createFlag(update, client, base, { design, api }) {
    let preview = null;
    let failure = null;
    let busy = false;
    let language = 'javascript';
    const flag = createResource(update, async (signal) => {
        const { data, etag } = await client.get(/** @type {const} */ (`${base}/flag`), { signal });
        return { flag: data, version: etag };
    });
    const form = createForm(update, {
        id: 'preview',
        fields: [
            { name: 'user', kind: 'text', label: () => t('experiment.flag_user'), placeholder: 'user-1', maxLength: 200 },
            { name: 'attributes', kind: 'textarea', optional: true, label: () => t('experiment.flag_attributes'), hint: () => t('experiment.flag_attributes_hint'), placeholder: '{"country": "DE"}', wide: true },
        ],
        onSubmit: ask,
    });
    const values = createFlagForm(update, {
        count: () => design.project.data?.payload.setup.variants_count ?? 2,
        held: () => Number.isInteger(flag.data?.flag.ramp_held_at),
        save: (given) => change.save(given),
    });
    const change = createChange(update, {
        conflict: 'flag_conflict',
        seen: () => flag.data,
        begin: (seen) => values.begin(seen.flag),
        reload: () => flag.reload(),
        send: async (given, seen) => {
            const { data, etag } = await client.put(/** @type {const} */ (`${base}/flag`), sentFlag(given, seen.flag), { headers: { 'If-Match': seen.version } });
            flag.set({ flag: data, version: etag });
        },
        explain: values.showError,
    });
    /* Asked for when the rules are edited; where there are none, rules ask for none. */
    const segments = createResource(update, async (signal) => (await client.get('/api/v1/segments', { query: { limit: 200 }, signal })).data.segments.map(({ definition }) => definition.name));
    const targeting = createTargeting(update, { segments: () => segments.data ?? null, save: () => rules.save(targeting.sent()) });
    const rules = createChange(update, {
        conflict: 'project_conflict',
        seen: () => design.project.data,
        begin: ({ payload }) => {
            segments.load();
            targeting.begin(payload.setup);
        },
        reload: () => design.project.reload(),
        send: async (given, { payload, updated_at: version }) => {
            const { data } = await client.put(design.path, { ...payload, setup: { ...payload.setup, ...given } }, { headers: { 'If-Match': version } });
            design.changed(data);
        },
        explain: targeting.explain,
    });

    async function ask({ user, attributes }) {
        const context = attributesIn(attributes);
        preview = null;
        failure = context === null ? notice({ tone: 'caution', body: t('experiment.flag_attributes_wrong') }) : null;
        busy = context !== null;
        update();
        if (context === null) return;
        try {
            preview = (await client.post(/** @type {const} */ (`${base}/flag/preview`), { context: { ...context, targetingKey: user } })).data;
        } catch (error) {
            if (!(error instanceof ApiError)) throw error;
            failure = errorNotice(error);
        } finally {
            busy = false;
            update();
        }
    }

    function choose(name) {
        language = name;
        update();
    }

    const fields = () => html`<div class="field-grid">${values.names.map((name) => values.field(name))}</div>`;

    const flagCard = () =>
        editable({
            id: 'flag',
            title: t('experiment.flag'),
            change,
            ready: flag.data && design.project.data,
            facts: resourceView(flag, { quiet: true, skeleton: { lines: 2, height: 'line' }, ready: flagFacts }),
            editor: () => values.view(html`${fields()} ${saveButtons(change)}`, { label: t('experiment.flag'), busy: change.busy }),
        });

    const targetingCard = () =>
        editable({
            id: 'targeting',
            title: t('experiment.targeting'),
            change: rules,
            ready: design.project.data,
            facts: resourceView(design.project, { quiet: true, skeleton: { lines: 1, height: 'line' }, ready: ({ payload }) => targetingFacts(payload.setup) }),
            editor: () => targeting.view(saveButtons(rules)),
        });

    const codeCard = () => html`<section class="card section stack" aria-labelledby="flag-code-title" id="flag-code">
        <div class="section-head"><h2 id="flag-code-title">${t('experiment.flag_code')}</h2></div>
        ${tabs({
            id: 'flag-language',
            label: t('experiment.flag_code'),
            tabs: Object.entries(flagLanguages).map(([name, { title }]) => ({ name, title })),
            current: language,
            onSelect: choose,
            panel: (name) => codeblock(flagSnippetOf(name, api, flag.data.flag), { language: flagLanguages[name].title }),
        })}
        <p class="section-note">${t('experiment.flag_code_note')}</p>
    </section>`;

    return {
        load: flag.load,
        view: () => html`${flagCard()} ${targetingCard()} ${flag.data?.flag.variants.length > 0 ? codeCard() : null}
            <section class="card section stack" aria-labelledby="preview-title" id="flag-preview">
                <div class="section-head"><h2 id="preview-title">${t('experiment.flag_preview')}</h2></div>
                <p class="section-note">${t('experiment.flag_preview_note')}</p>
                ${form.view(null, { label: t('experiment.flag_preview'), action: t('experiment.flag_ask'), busy })} ${failure} ${preview === null ? null : resultOf(preview)}
            </section>`,
    };
}
