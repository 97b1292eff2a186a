/* A message of the API as one of the page. */
export function messageOf({ role, content, created_at: at, trace_id: trace, from_person: fromPerson, author, vote, answer }) {
    return {
        role: role === 'user' ? 'user' : 'assistant',
        text: content,
        at: at ?? null,
        state: 'done',
        trace: fromPerson ? null : (trace ?? null),
        fromPerson: fromPerson ?? false,
        author: author || null,
        vote: vote ?? null,
        result: answer ?? null,
    };
}
