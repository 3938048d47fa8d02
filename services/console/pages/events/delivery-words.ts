import type { Delivery } from '../../routes/events/event.ts';

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

export const attemptCount = (attempts: number): string => (attempts === 1 ? '1 attempt' : `${attempts} attempts`);
