/*
 * Keys and tenants of live data. Below the portal an administrator's session may see them; else the administration's
 * own key is asked for, which lives in this tab alone.
 */
import { t } from '../../shared/i18n.js';
import { roleIn } from '../../shared/person.js';
import { isUnderPortal } from '../../shared/place.js';
import { createClient } from '../../shared/ui/client.js';
import { confirm } from '../../shared/ui/dialog.js';
import { ApiError } from '../../shared/ui/errors.js';
import { createForm } from '../../shared/ui/form.js';
import { focusIssued } from '../../shared/ui/issued.js';
import { createResource } from '../../shared/ui/resource.js';
import { onAccessToken, recall, remember } from '../../shared/ui/session.js';
import { typeName } from '../words.js';
import { view } from './view.js';

const types = ['order', 'user', 'product', 'session'];

const pathOf = (id) => /** @type {const} */ (`/v1/admin/keys/${encodeURIComponent(id)}`);

export function createKeys(update) {
    /** @type {Record<string, string>} */
    const headers = {};
    /** @type {Client<'livedata'>} */
    const client = createClient({ headers, ...(isUnderPortal ? { service: 'livedata' } : {}) });
    const state = { admin: null, made: null, problem: null, busy: false };

    function set(patch) {
        Object.assign(state, patch);
        update();
    }

    const keys = createResource(update, async (signal) => (await client.get('/v1/admin/keys', { signal })).data.keys);
    const summary = createResource(update, async (signal) => (await client.get('/v1/admin/summary', { signal })).data);
    const tenants = createResource(update, async (signal) => (await client.get('/v1/admin/analytics/usage', { signal })).data.tenants);

    const form = createForm(update, {
        id: 'key',
        fields: [
            { name: 'name', kind: 'text', label: () => t('keys.name'), maxLength: 100 },
            { name: 'tenant', kind: 'text', label: () => t('keys.tenant'), initial: 'default', maxLength: 64 },
            { name: 'rate_limit_rpm', kind: 'count', label: () => t('keys.rate'), initial: 120 },
            ...types.map((type) => ({ name: `type_${type}`, kind: 'flag', label: () => typeName(type) })),
        ],
        onSubmit: create,
    });

    const hasSession = () => roleIn('data') === 'admin';

    /* One question to see whether the key is right: each refusal counts against the reader's address. */
    async function start() {
        await keys.load();
        if (keys.error?.kind === 'unauthorized') return;
        tenants.load();
        summary.load();
    }

    function use(key) {
        headers['X-Admin-Key'] = key;
        remember('admin', key);
        set({ admin: key, problem: null });
        start();
    }

    async function act(action) {
        set({ busy: true, problem: null });
        try {
            await action();
            await keys.reload();
        } catch (error) {
            if (!(error instanceof ApiError)) throw error;
            if (!form.showError(error)) set({ problem: error });
        } finally {
            set({ busy: false });
        }
    }

    function show(name, key) {
        set({ made: { name, key } });
        focusIssued();
    }

    function create(values) {
        const { name, tenant, rate_limit_rpm } = values;
        const chosen = types.filter((type) => values[`type_${type}`]);
        form.clearProblems();
        act(async () => {
            const { data } = await client.post('/v1/admin/keys', { name, tenant, rate_limit_rpm, allowed_entity_types: chosen.length > 0 ? chosen : null });
            form.write({});
            show(data.name, data.key);
        });
    }

    const actions = {
        use,
        rotate: (id, name) => act(async () => show(name, (await client.request('POST', `${pathOf(id)}/rotate`)).data.new_key)),
        revoke: (id) => act(() => client.request('POST', `${pathOf(id)}/revoke-old`)),
        async remove(id, name) {
            const sure = await confirm({ title: t('keys.delete_title', { name }), text: t('keys.delete_text'), action: t('keys.delete') });
            if (sure) act(() => client.request('DELETE', pathOf(id)));
        },
    };

    /* Who has the tab forget its token means this one, too. */
    onAccessToken((token) => {
        if (token !== null) return;
        remember('admin', null);
        set({ admin: null, made: null });
    });
    form.write({});

    return {
        load() {
            if (recall('admin') !== null) use(recall('admin'));
            else if (hasSession()) start();
        },
        view: () => view({ keys, tenants, summary, form, actions, ...state, isKnown: state.admin !== null || hasSession() }),
    };
}
