import { html, type Html } from '#lib/html';

type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'idle';

/** Each has a shape of its own: the colour only repeats what word and shape say. */
const shapes: Readonly<Record<Tone, string>> = { good: '✓', bad: '✕', warn: '▲', busy: '…', idle: '■' };

/** The tone of each status of the API, whatever has it. */
const tones: Readonly<Record<string, Tone>> = {
  active: 'good',
  cancelled: 'idle',
  cancelling: 'busy',
  closed: 'good',
  completed: 'good',
  dead: 'bad',
  dead_lettered: 'bad',
  delivered: 'good',
  deprecated: 'warn',
  disabled: 'idle',
  enabled: 'good',
  ended: 'idle',
  erased: 'idle',
  failed: 'bad',
  failing: 'bad',
  half_open: 'warn',
  open: 'bad',
  parked: 'warn',
  paused: 'warn',
  pending: 'busy',
  processing: 'busy',
  queued: 'busy',
  received: 'busy',
  replayed: 'good',
  retrying: 'warn',
  running: 'busy',
  sent: 'busy',
  waiting: 'busy',
};

/** @param label in place of the status itself */
export const statusBadge = (
  status: string,
  label = status.replaceAll('_', ' '),
  tone = tones[status] ?? 'idle',
): Html => html`<span class="badge badge-${tone}"><span aria-hidden="true">${shapes[tone]}</span> ${label}</span>`;
