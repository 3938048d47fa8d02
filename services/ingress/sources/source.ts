import {
  dedupRules,
  isTagName,
  sealHeader,
  secretsContext,
  sourceDefaults,
  type SourceSettings,
  sourceSchemes,
  type StoredSecret,
} from '#lib/contract';
import type { Rate } from '#lib/rate-limit';
import { parseRfc3339, toAppError } from '#lib/runtime';
import type { SecretBox } from '#lib/secret-box';
import {
  type IdentityRule,
  identityRule,
  isUsableSecret,
  type SchemeSettings,
  schemeSettings,
  type SignatureScheme,
  signatureSchemes,
} from '#lib/signatures';
import { createOrderingKey, type OrderingKey } from '../receiving/ordering-key.ts';
import {
  createRecordHeaders,
  type IdentifierRule,
  type LocatorRule,
  parseLocatorRule,
  type RecordHeaders,
} from '../receiving/record-headers.ts';
import { createSenderGate, isAllowedIps, isClientCertificateSettings, type SenderGate } from './sender-gate.ts';

/** A row of the table `sources`. */
export interface SourceRow {
  tenant: string;
  id: string;
  scheme: string;
  settings: unknown;
  secrets: Buffer;
  deleted_at: string | null;
  changed_at: string;
  buried: boolean;
  /** Null unless it rejects webhooks and accepts none: rejections/rejecting-sources.ts. */
  rejecting_since: string | null;
  /** `dedupRules` of #lib/contract. */
  dedup_rule: number;
}

export interface ActiveSource {
  state: 'active';
  id: string;
  tenant: string;
  senderGate: SenderGate;
  scheme: SignatureScheme;
  /** The WWW-Authenticate header of a 401 (RFC 9110, 11.6.1). */
  signatureChallenge: string;
  schemeSettings: SchemeSettings;
  /** Secrets that are valid at this time; the old one of a rotation ends. */
  secretsAt(nowMs: number): readonly string[];
  responseStatus: 200 | 202 | 204;
  /** The rate of all its senders, over all processes. */
  rateLimit: Rate | undefined;
  orderingKey: OrderingKey;
  recordHeaders: RecordHeaders;
  /** By which a provider's GET shows that it may have its challenge answered; without one there is no GET. */
  verifyToken: string | undefined;
  keepsRejectedBodies: boolean;
}

/** `unusable`: it exists, but this process can't read it. Its senders are told to retry, not that it doesn't exist. */
export type Source = ActiveSource | { state: 'deleted' | 'unusable'; id: string; tenant: string };

/** The source of a row, made ready for many requests; or what is wrong with the row. */
export function readSource(row: SourceRow, secretBox: SecretBox): { source: Source } | { problem: string } {
  const { id, tenant } = row;
  if (row.deleted_at !== null) return { source: { state: 'deleted', id, tenant } };
  const schemeName = sourceSchemes.find((known) => known === row.scheme);
  if (schemeName === undefined) return { problem: `scheme ${JSON.stringify(row.scheme)} is not known here` };
  const scheme = signatureSchemes[schemeName];
  const settings = parseSettings(row.settings);
  if (typeof settings === 'string') return { problem: settings };
  const secrets = openSecrets(row, secretBox);
  if (typeof secrets === 'string') return { problem: secrets };
  const unverifiable = secrets.map(({ secret }) => scheme.problemsOf?.({ settings, secret })[0]);
  // Refusing all that comes would lose it; of a source that is not ready the sender keeps it. One good secret of a rotation will do.
  const [unready] = unverifiable.includes(undefined) ? [] : unverifiable;
  if (unready !== undefined) return { problem: `scheme ${schemeName}: ${unready.field} ${unready.message}` };
  const identity = identityRule(schemeName, settings, row.dedup_rule);
  const identifyBy = parseIdentifierRules(identity.places);
  const typeBy = parseRules(settings.event_type_from ?? scheme.typeBy);
  const orderBy = parseRules(settings.ordering_key ?? []);
  const tagNames = Object.keys(settings.tags_from ?? {});
  const tagRules = parseRules(Object.values(settings.tags_from ?? {}));
  if (identifyBy === undefined || typeBy === undefined || orderBy === undefined || tagRules === undefined) {
    const names = 'dedup_id, event_type_from, ordering_key or tags_from';
    return { problem: `settings: ${names} has what is neither \`header:Name\` nor a JSON pointer` };
  }
  const readBy = schemeSettings(schemeName, settings);
  return {
    source: {
      state: 'active',
      id,
      tenant,
      senderGate: createSenderGate(settings),
      scheme,
      signatureChallenge: `Webhook-Signature realm="webhooks", scheme="${schemeName}"`,
      schemeSettings: readBy,
      secretsAt: secretsAt(secrets),
      responseStatus: settings.response_status ?? sourceDefaults.response_status,
      rateLimit: settings.rate_limit && { perSecond: settings.rate_limit.per_second, burst: settings.rate_limit.burst },
      orderingKey: createOrderingKey(orderBy),
      recordHeaders: createRecordHeaders({
        tenant,
        sourceId: id,
        identifyBy,
        countedWith: parseCountedWith(identity.with),
        identifiesForms: row.dedup_rule !== dedupRules.exact,
        typeBy,
        tagsBy: Object.fromEntries(tagRules.map((rule, index) => [tagNames[index] as string, rule])),
        signatureHeaders: [...new Set([readBy.signatureHeader, scheme.signatureHeader])],
        dedupTtlSeconds: settings.dedup_ttl_seconds ?? sourceDefaults.dedup_ttl_seconds,
        seal: (name, value) => sealHeader(secretBox, { tenant, name }, value),
      }),
      verifyToken: settings.verify_token,
      keepsRejectedBodies: settings.keep_rejected_bodies ?? false,
    },
  };
}

interface ValidSecret {
  secret: string;
  expiresAtMs: number;
}

function secretsAt(secrets: readonly ValidSecret[]): ActiveSource['secretsAt'] {
  const all = secrets.map(({ secret }) => secret);
  if (secrets.every(({ expiresAtMs }) => expiresAtMs === Number.POSITIVE_INFINITY)) return () => all;
  return (nowMs) => secrets.filter(({ expiresAtMs }) => nowMs < expiresAtMs).map(({ secret }) => secret);
}

function openSecrets(row: SourceRow, secretBox: SecretBox): ValidSecret[] | string {
  let stored: unknown;
  try {
    stored = JSON.parse(secretBox.open(row.secrets, secretsContext('sources', row.tenant, row.id)));
  } catch (error) {
    // JSON.parse quotes what it was given.
    return error instanceof SyntaxError ? 'secrets: not JSON' : `secrets: ${toAppError(error).message}`;
  }
  if (!Array.isArray(stored) || stored.length === 0) return 'secrets: not a list of at least one';
  const secrets: ValidSecret[] = [];
  for (const entry of stored as (Partial<StoredSecret> | null)[]) {
    const { secret, expires_at: expiresAt } = entry ?? {};
    if (typeof secret !== 'string' || !isUsableSecret(secret)) return 'secrets: one is empty';
    const expiresAtMs = expiresAt === undefined ? Number.POSITIVE_INFINITY : (parseRfc3339(expiresAt) ?? NaN) / 1000;
    if (Number.isNaN(expiresAtMs)) return 'secrets: an expires_at is no time';
    secrets.push({ secret, expiresAtMs });
  }
  return secrets;
}

const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((entry) => typeof entry === 'string') && value.length > 0;

const isPlaces = (value: unknown): boolean =>
  Array.isArray(value) && value.every((entry) => typeof entry === 'string' || isTexts(entry)) && value.length > 0;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isTagRule = ([name, place]: [string, unknown]): boolean => isTagName(name) && typeof place === 'string';

const settingChecks: { [K in keyof SourceSettings]-?: (value: unknown) => boolean } = {
  signature_header: (value) => typeof value === 'string' && /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/.test(value),
  dedup_id: isPlaces,
  dedup: (value) => value === 'on' || value === 'off',
  dedup_ttl_seconds: (value) => Number.isSafeInteger(value) && Number(value) > 0,
  event_type_from: isTexts,
  tags_from: (value) => isObject(value) && Object.entries(value).every(isTagRule),
  timestamp_tolerance_seconds: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  response_status: (value) => value === 200 || value === 202 || value === 204,
  hmac: isObject,
  public_url: (value) => typeof value === 'string' && URL.canParse(value),
  ordering_key: isTexts,
  allowed_ips: isAllowedIps,
  rate_limit: (value) => isObject(value) && Number(value['per_second']) > 0 && Number(value['burst']) > 0,
  client_certificate: isClientCertificateSettings,
  verify_token: (value) => typeof value === 'string' && value !== '',
  keep_rejected_bodies: (value) => typeof value === 'boolean',
};

function parseSettings(value: unknown): SourceSettings | string {
  if (typeof value !== 'object' || value === null) return 'settings: not an object';
  for (const [name, isValid] of Object.entries(settingChecks)) {
    const setting = (value as Record<string, unknown>)[name];
    if (setting !== undefined && !isValid(setting)) return `settings: ${name} is not valid`;
  }
  return value;
}

function parseRules(texts: readonly string[]): LocatorRule[] | undefined {
  const rules = texts.map(parseLocatorRule);
  return rules.every((rule) => rule !== undefined) ? rules : undefined;
}

function parseIdentifierRules(places: IdentityRule['places']): IdentifierRule[] | undefined {
  const rules = places.map((place): IdentifierRule | undefined => {
    if (typeof place === 'string') return parseLocatorRule(place);
    const all = parseRules(place);
    return all && { all };
  });
  return rules.every((rule) => rule !== undefined) ? rules : undefined;
}

function parseCountedWith(counted: IdentityRule['with']): 'body' | 'receipt' | LocatorRule | null {
  if (counted === null || counted === 'body' || counted === 'receipt') return counted;
  return parseLocatorRule(counted) ?? null;
}
