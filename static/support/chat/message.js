/* A message of the API as one of the page. */
import { t } from '../../shared/i18n.js';

export function messageOf({ role, content, created_at: at, trace_id: trace, from_person: fromPerson, author, vote, answer, withheld }) {
    return {
        role: role === 'user' ? 'user' : 'assistant',
        text: withheld ? t('chat.withheld') : content,
        at: at ?? null,
        state: 'done',
        trace: fromPerson ? null : (trace ?? null),
        fromPerson: fromPerson ?? false,
        author: author || null,
        vote: vote ?? null,
        result: answer ?? null,
    };
}
