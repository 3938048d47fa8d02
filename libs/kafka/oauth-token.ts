/**
 * Tokens for SASL OAUTHBEARER, one for each new connection: from a file that something else renews, or from a URL that grants them for client
 * credentials (RFC 6749, 4.4). kafkajs asks again when a broker ends the session of a token.
 */
import { readFileSync } from 'node:fs';
import type { KafkaConfig } from '#lib/config';
import { AppError, type Clock, systemClock } from '#lib/runtime';

type Settings = Pick<
  KafkaConfig,
  'kafkaOauthTokenFile' | 'kafkaOauthTokenUrl' | 'kafkaOauthClientId' | 'kafkaOauthClientSecret' | 'kafkaOauthScope'
>;
type TokenSource = () => Promise<{ value: string }>;

const grantTimeoutMs = 5_000;
/** A granted token is used for this share of its life, so that it is valid for a while on each connection. */
const usedShare = 0.8;
/** The session of a connection ends with its token: see client.ts for what happens with one that ends too soon. */
const leastLeftSeconds = 15;
/** Where the answer has no `expires_in`. */
const assumedLifeSeconds = 60;

/**
 * The source throws plain errors, which are retried as any broker that is away; none has a token or a secret.
 *
 * @throws AppError config_invalid if the file can't be read
 */
export function createTokenSource(settings: Settings, clock: Clock = systemClock): TokenSource {
  return settings.kafkaOauthTokenFile === '' ? fromUrl(settings, clock) : fromFile(settings.kafkaOauthTokenFile);
}

function fromFile(file: string): TokenSource {
  const read = (): string => {
    const token = readFileSync(file, 'utf8').trim();
    if (token === '') throw new Error(`${file} is empty`);
    return token;
  };
  try {
    read();
  } catch (error) {
    throw new AppError('config_invalid', `no token for Kafka: ${(error as Error).message}`, { cause: error });
  }
  return async () => ({ value: read() });
}

interface Granted {
  value: string;
  lifeSeconds: number;
}

function fromUrl(settings: Settings, clock: Clock): TokenSource {
  let current: { value: string; untilMs: number } | undefined;
  let asking: Promise<string> | undefined;

  async function ask(): Promise<string> {
    const askedAtMs = clock.monotonicMs();
    const { value, lifeSeconds } = await requestToken(settings);
    current = { value, untilMs: askedAtMs + 1000 * Math.min(usedShare * lifeSeconds, lifeSeconds - leastLeftSeconds) };
    return value;
  }

  return async () => {
    if (current !== undefined && clock.monotonicMs() < current.untilMs) return { value: current.value };
    // Connections that are opened together share a request.
    asking ??= ask().finally(() => (asking = undefined));
    return { value: await asking };
  };
}

async function requestToken(settings: Settings): Promise<Granted> {
  const { kafkaOauthTokenUrl: url, kafkaOauthScope: scope } = settings;
  const pair = [settings.kafkaOauthClientId, settings.kafkaOauthClientSecret].map(encodeURIComponent).join(':');
  const answer = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}`, accept: 'application/json' },
    body: new URLSearchParams({ grant_type: 'client_credentials', ...(scope !== '' && { scope }) }),
    redirect: 'error',
    signal: AbortSignal.timeout(grantTimeoutMs),
  }).catch((error: unknown) => {
    const { message, cause } = error as Error;
    throw new Error(`no token from ${url}: ${cause instanceof Error ? cause.message : message}`);
  });
  const body = (await answer.json().catch(() => undefined)) as Record<string, unknown> | undefined;
  const { access_token: value, expires_in: life, error } = body ?? {};
  if (!answer.ok || typeof value !== 'string' || value === '') {
    const code = typeof error === 'string' && /^[a-z_]{1,40}$/.test(error) ? ` ${error}` : '';
    throw new Error(`no token from ${url}: it answered ${answer.status}${code}`);
  }
  const lifeSeconds = Number(life);
  return { value, lifeSeconds: lifeSeconds > 0 ? lifeSeconds : assumedLifeSeconds };
}
