/**
 * The headers of each kind of request, and the reasons of failures, with who may see them: one definition for every view. The API applies it to each
 * answer that has some, and console, command and copies as curl show the API's answers alone. The dispatcher and the ingress apply the column of the
 * tenant when they record headers, so that values which nobody may see are stored nowhere.
 */
import { isReservedHeader, isSensitiveHeader } from './endpoint-headers.ts';
import { header } from './headers.ts';
import { secretMask } from './private-settings.ts';

/** A key or session of the tenant with `read`, the operator included; or a customer's portal session. */
export type HeaderViewer = 'tenant' | 'customer';

type Shown = 'value' | 'masked' | 'hidden';

interface HeaderKind extends Readonly<Record<HeaderViewer, Shown>> {
  /** For the documentation. */
  is: string;
}

export const headerKinds = {
  own: {
    is: 'attempts: headers of Hookline (`content-type`, `webhook-*`, `hookline-*`, signatures included)',
    tenant: 'value',
    customer: 'value',
  },
  set: {
    is: 'endpoints and attempts: headers that are set at the endpoint, or passed by `pass_headers`',
    tenant: 'value',
    customer: 'hidden',
  },
  setSecret: {
    is: 'the same, if the name counts as secret',
    tenant: 'masked',
    customer: 'hidden',
  },
  answered: { is: 'attempts: headers of the receiver’s answer', tenant: 'value', customer: 'value' },
  answeredWay: {
    is: 'the same, if the name tells of a proxy on the way: `Via`, `Proxy-*`',
    tenant: 'value',
    customer: 'hidden',
  },
  answeredSecret: {
    is: 'the same, if the name counts as secret, but for `WWW-Authenticate`',
    tenant: 'masked',
    customer: 'masked',
  },
  received: { is: 'requests of events: headers of the provider', tenant: 'value', customer: 'value' },
  receivedAddress: {
    is: 'the same, if the name tells an address or a way: `Forwarded`, `X-Forwarded-*`, `Via`, `X-Real-IP`, `CF-Connecting-IP` and their like',
    tenant: 'value',
    customer: 'hidden',
  },
  receivedSecret: {
    is: 'the same, if the name counts as secret, or the scheme reads its signature from it',
    tenant: 'masked',
    customer: 'masked',
  },
  record: { is: 'dead letters: headers of the record', tenant: 'value', customer: 'hidden' },
  recordSecret: {
    is: 'the same: values that are sealed for `pass_headers`, and headers of the provider in it whose names count as secret',
    tenant: 'masked',
    customer: 'hidden',
  },
  failure: {
    is: 'attempts, deliveries and health: `detail`, the reason of a failure',
    tenant: 'value',
    customer: 'value',
  },
  ownFailure: {
    is: 'the same, where it tells of the endpoint’s proxy or client certificate: a customer is told that the connection or the TLS handshake failed',
    tenant: 'value',
    customer: 'hidden',
  },
  rejected: { is: 'rejected webhooks: headers of the provider', tenant: 'value', customer: 'hidden' },
  rejectedSecret: {
    is: 'the same, if the name counts as secret and is not that of the signature which was verified',
    tenant: 'masked',
    customer: 'hidden',
  },
} as const satisfies Record<string, HeaderKind>;

type KindName = keyof typeof headerKinds;

/** Undefined: the header is not named either. */
function shownAs(viewer: HeaderViewer, kind: KindName, value: string): string | undefined {
  const shown: Shown = headerKinds[kind][viewer];
  if (shown === 'hidden') return undefined;
  return shown === 'masked' ? secretMask : value;
}

const filtered = (
  headers: Readonly<Record<string, string>>,
  viewer: HeaderViewer,
  kindOf: (name: string) => KindName,
): Record<string, string> => {
  const left: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const shown = shownAs(viewer, kindOf(name), headers[name] ?? '');
    if (shown !== undefined) setOwn(left, name, shown);
  }
  return left;
};

const kindOfSet = (name: string): KindName => (isSensitiveHeader(name) ? 'setSecret' : 'set');
// Headers for a proxy are the operator's alone.
const kindOfSent = (name: string): KindName =>
  isReservedHeader(name) && !/^proxy-/i.test(name) ? 'own' : kindOfSet(name);
const kindOfAnswered = (name: string): KindName => {
  if (isSensitiveHeader(name) && !/-authenticate$/i.test(name)) return 'answeredSecret';
  return /^(?:via$|proxy-)/i.test(name) ? 'answeredWay' : 'answered';
};

/** The headers that are set at an endpoint. */
export const setHeadersFor = (viewer: HeaderViewer, headers: Readonly<Record<string, string>>) =>
  filtered(headers, viewer, kindOfSet);

/** The headers that an attempt sent. */
export const sentHeadersFor = (viewer: HeaderViewer, headers: Readonly<Record<string, string>>) =>
  filtered(headers, viewer, kindOfSent);

/** Sentences of libs/http-client about settings that are the operator's, and the part of the way that a customer is told of instead. */
const ownFailures: readonly (readonly [RegExp, string])[] = [
  [/(?<=^|: )the proxy did not answer (?=within )/, 'the connection was not established '],
  [/(?<=^|: )the proxy\b.*$/s, 'the connection failed'],
  [/(?<=^|: )(?:the client certificate|the server refused our certificate).*$/s, 'the TLS handshake failed'],
];

/** @param detail of an attempt, or that of a delivery, which may begin with the reason that it ended */
export function detailFor(viewer: HeaderViewer, detail: string | null): string | null {
  const found = ownFailures.find(([pattern]) => detail !== null && pattern.test(detail));
  if (detail === null || found === undefined) return detail;
  return shownAs(viewer, 'ownFailure', detail) ?? detail.replace(...found);
}

/** The headers of the answer to an attempt. */
export const answeredHeadersFor = (viewer: HeaderViewer, headers: Readonly<Record<string, string>>) =>
  filtered(headers, viewer, kindOfAnswered);

const namesAddress =
  /^(?:via|forwarded|x-forwarded(?:-.*)?|x-original-.*|x-envoy-.*|.*-(?:real|client|connecting|remote|source|external)-(?:ip|addr|address)|.*remote-?addr(?:ess)?)$/i;

/** The headers of the request that a webhook came with. @param headers null: a value that was not kept, because it may be a secret */
export const receivedHeadersFor = (
  viewer: HeaderViewer,
  headers: readonly { name: string; value: string | null }[],
): { name: string; value: string }[] =>
  headers.flatMap(({ name, value }) => {
    const isSecret = value === null || isSensitiveHeader(name);
    const kind = namesAddress.test(name) ? 'receivedAddress' : isSecret ? 'receivedSecret' : 'received';
    const shown = shownAs(viewer, kind, value ?? secretMask);
    return shown === undefined ? [] : [{ name, value: shown }];
  });

const sealedInRecords: readonly string[] = [header.sealedHeaders, header.passedCredentials];

/** The value of a header of a record, which the tenant alone may see. Values that can't be read stay as they are. */
export function recordHeaderText(name: string, text: string): string {
  if (sealedInRecords.includes(name)) return secretMask;
  if (name !== header.httpHeaders && name !== header.request) return text;
  try {
    const read = JSON.parse(text) as Record<string, unknown>;
    return JSON.stringify(
      name === header.httpHeaders ? withoutSecrets(read) : { ...read, repeated: withoutSecrets(read['repeated']) },
    );
  } catch {
    return text;
  }
}

const withoutSecrets = (headers: unknown): unknown =>
  typeof headers === 'object' && headers !== null
    ? Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, isSensitiveHeader(name) ? secretMask : value]),
      )
    : headers;

/** Sets an own property even for `__proto__`, which can't be assigned: names of headers are the choice of others. */
export function setOwn<Value>(object: Record<string, Value>, name: string, value: Value): void {
  if (name !== '__proto__') object[name] = value;
  else Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true });
}
