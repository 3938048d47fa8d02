import type { ReadApi } from '../../api-calls/console-api.ts';
import { path, withQuery } from '../../api-calls/paths.ts';
import { readPayload } from '../../api-calls/read-payload.ts';
import { attemptLines } from '../../pages/compare/attempt-lines.ts';
import { payloadLines } from '../../pages/compare/payload-lines.ts';

/** The sides that can be compared: the payload of an event, or an attempt of a delivery. */
export type SideName = { kind: 'payload'; eventId: string } | { kind: 'attempt'; deliveryId: string; number: number };

export interface Side {
  name: SideName;
  lines: readonly string[];
  /** The bytes that must be the same for the two to be equal. */
  bytes: Buffer;
}

/** As the API has them. */
export interface Attempt {
  attempt: number;
  at: string;
  outcome: string;
  http_status: number | null;
  detail: string | null;
  request: { method: string; url: string; headers: Readonly<Record<string, string>> } | null;
  response_headers: Readonly<Record<string, string>> | null;
  response_excerpt: string | null;
  response_excerpt_encoding: 'text' | 'base64';
}

const mostAttempts = 1_000;

/** `evt_…`, or a delivery and the number of its attempt: `dlv_…/2`, also with `:` or `.` between. Undefined for anything else. */
export function readSideName(text: string): SideName | undefined {
  if (/^evt_[0-9a-z]{1,100}$/.test(text)) return { kind: 'payload', eventId: text };
  const [, deliveryId, number] = /^(dlv_[0-9a-z]{1,100})[/:.](\d{1,6})$/.exec(text) ?? [];
  return deliveryId === undefined ? undefined : { kind: 'attempt', deliveryId, number: Number(number) };
}

/** @returns the status that says why there is no such attempt. @throws ApiError 404, 410 */
export async function readSide(api: ReadApi, name: SideName): Promise<Side | 404 | 410> {
  if (name.kind === 'payload') {
    const payload = await readPayload(api, name.eventId);
    return { name, lines: await payloadLines(payload), bytes: payload.bytes };
  }
  const listed = await api.list<Attempt>(
    withQuery(path`/deliveries/${name.deliveryId}/attempts`, { limit: mostAttempts }),
  );
  const attempt = listed.ok ? listed.items.find(({ attempt: number }) => number === name.number) : undefined;
  if (attempt === undefined) {
    const { attempts } = await api.get<{ attempts: number }>(path`/deliveries/${name.deliveryId}`);
    return name.number >= 1 && name.number <= attempts ? 410 : 404;
  }
  const lines = attemptLines(attempt);
  return { name, lines, bytes: Buffer.from(lines.join('\n')) };
}
