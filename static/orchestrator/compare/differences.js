/* What an answer says that no other one says, sentence by sentence. */

function normalised(sentence) {
    return sentence.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
}

function sentencesOf(text) {
    return text.match(/[^.!?。؟\n]+[.!?。؟]*\s*|\n+/gu) ?? [];
}

/* For each answer [{text, own}]; `own` where none of the others has that sentence. */
export function differences(answers) {
    const known = answers.map((answer) => new Set(sentencesOf(answer).map(normalised)));
    return answers.map((answer, index) =>
        sentencesOf(answer).map((text) => {
            const plain = normalised(text);
            const shared = known.some((one, other) => other !== index && one.has(plain));
            return { text, own: plain !== '' && !shared && answers.length > 1 };
        }),
    );
}
