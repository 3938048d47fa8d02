import { plainAddress } from '#lib/net';
import type { ProblemCode } from '#lib/problem';
import { formatMicros } from '#lib/runtime';
import { headerText, isCredential, readHeaders } from '../receiving/http-headers.ts';

/** A webhook that was refused, as the request path hands it over: nothing is worked out yet, since few of a flood are kept. */
export interface Rejection {
  tenant: string;
  sourceId: string;
  id: string;
  atMs: number;
  code: ProblemCode;
  clientAddress: string;
  /** Node's flat list of names and values. */
  rawHeaders: readonly string[];
  /** Lower-case. It explains a failure, and a signature is no secret. */
  signatureHeader: string;
  /** The bytes read, or else announced. */
  bodyBytes: number | undefined;
  bodyBeginning: Buffer | undefined;
}

/** A row of the table `rejections`. */
export interface RejectionRow {
  tenant: string;
  source_id: string;
  id: string;
  at: string;
  code: string;
  client_address: string;
  headers: string;
  body_bytes: number | null;
  body: Buffer | null;
}

const maxValueLength = 1_024;
const maxHeaders = 100;
/** Length to which a forwarded text is cut that is no address. */
const maxAddressLength = 64;
const redacted = '[redacted]';
const smellsOfASecret = /auth|bearer|cookie|credential|jwt|key|pass|secret|session|token/;

export function toRejectionRow(rejection: Rejection): RejectionRow {
  const { clientAddress } = rejection;
  return {
    tenant: rejection.tenant,
    source_id: rejection.sourceId,
    id: rejection.id,
    at: formatMicros(Math.round(rejection.atMs * 1000)),
    code: rejection.code,
    client_address: writable(plainAddress(clientAddress) ?? clientAddress.slice(0, maxAddressLength)),
    headers: JSON.stringify(shownHeaders(rejection)),
    body_bytes: rejection.bodyBytes ?? null,
    body: rejection.bodyBeginning ?? null,
  };
}

function shownHeaders({ rawHeaders, signatureHeader }: Rejection): Record<string, string> {
  const headers = readHeaders(rawHeaders);
  const shown = Object.create(null) as Record<string, string>;
  for (const name of Object.keys(headers).slice(0, maxHeaders)) {
    const isSecret = isCredential(name) || (name !== signatureHeader && smellsOfASecret.test(name));
    shown[writable(name)] = isSecret ? redacted : shorten(writable(headerText(headers, name) ?? ''));
  }
  return shown;
}

const shorten = (text: string): string =>
  text.length <= maxValueLength ? text : `${text.slice(0, maxValueLength)}… (${text.length} characters)`;

/** Postgres stores neither NUL nor half a surrogate pair: one such header would fail its whole batch. */
const writable = (text: string): string => text.replaceAll('\0', '\uFFFD').toWellFormed();
