import { eventStatuses, openStatuses } from '#lib/contract';

/** Colours for a terminal. They are put on text whose control characters have been replaced: no text of others makes any. */
const codes = { good: 32, bad: 31, waiting: 33 } as const;

type Tone = keyof typeof codes;

export const coloured = (tone: Tone, text: string): string => `\u001b[${codes[tone]}m${text}\u001b[0m`;

const tones: Readonly<Record<string, Tone>> = {
  ...toned('waiting', [...openStatuses, ...eventStatuses, 'running', 'queued', 'replaying']),
  ...toned('good', ['delivered', 'completed', 'ready', 'up', 'allowed', 'verified', 'replayed']),
  ...toned('bad', ['dead_lettered', 'failed', 'silent', 'not_ready', 'down', 'dead', 'cancelled', 'disabled']),
};

/** A state that is a cell of its own: between the beginning of the line, two blanks, or its end. */
const state = new RegExp(`(?<=^|  )(?:${Object.keys(tones).join('|')})(?=  |$)`, 'gm');

/** Colours the states in lines and tables. */
export const colourStates = (text: string): string =>
  text.replace(state, (word) => coloured(tones[word] ?? 'waiting', word));

function toned(tone: Tone, words: readonly string[]): Record<string, Tone> {
  return Object.fromEntries(words.map((word) => [word, tone]));
}
