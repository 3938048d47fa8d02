import { html, type Html } from '#lib/html';
import type { Delivery } from '../../routes/events/event.ts';

/** Answers of receivers that refused, by the ids of their deliveries. */
export type Answers = ReadonlyMap<string, string>;

const outcomes: Readonly<Record<string, string>> = {
  blocked: 'the address is not allowed',
  connect: 'no connection',
  timeout: 'no answer in time',
  tls: 'TLS failed',
};

/** The receiver's last answer. */
export function lastAnswer({ attempts, last_outcome: outcome, last_http_status: status }: Delivery): string {
  if (status !== null) return `answered ${status}`;
  if (outcome !== null) return outcomes[outcome] ?? outcome.replaceAll('_', ' ');
  return attempts === 0 ? 'not sent yet' : '–';
}

/** The text of its answer, where that is a reason. */
export function reasonGiven({ id }: Pick<Delivery, 'id'>, answers: Answers): Html | undefined {
  const said = answers.get(id);
  return said === undefined ? undefined : html`<code class="reason">${said}</code>`;
}

export const attemptCount = (attempts: number): string => (attempts === 1 ? '1 attempt' : `${attempts} attempts`);
