import { AppError, type Clock, isAppError, type Logger } from '#lib/runtime';
import { registryAddress } from './registry-address.ts';

/** A parsed .avsc file. */
export type AvroSchema = Readonly<Record<string, unknown>>;

export interface SubjectSchema {
  subject: string;
  schema: AvroSchema;
}

export interface RegistryOptions {
  registryUrl: string;
  clock: Clock;
  log: Logger;
}

export interface RegisterSchemasOptions extends RegistryOptions {
  /** How long a registry that does not answer is tried. Default 60,000. */
  timeoutMs?: number;
}

/** The subject of a topic's values, by Confluent's TopicNameStrategy. */
export const valueSubject = (topic: string): string => `${topic}-value`;

const requestTimeoutMs = 5_000;
const retryMs = 500;
const contentType = 'application/vnd.schemaregistry.v1+json';

/**
 * Registers the schemas that are missing, each subject with compatibility BACKWARD unless it has a rule of its own. The rule comes
 * first: a registry that has none for a subject takes any schema for it, and the usual client then refuses the subject.
 *
 * @returns the schemas' ids, in order
 * @throws AppError registry_unavailable; config_invalid where the registry refuses a schema (incompatible with the one before)
 */
export async function registerSchemas(
  schemas: readonly SubjectSchema[],
  options: RegisterSchemasOptions,
): Promise<number[]> {
  const deadlineMs = options.clock.monotonicMs() + (options.timeoutMs ?? 60_000);
  const ids: number[] = [];
  for (const schema of schemas) {
    ids.push(await untilAnswered(options, deadlineMs, () => register(options.registryUrl, schema)));
  }
  return ids;
}

/** The id of a schema within its subject; undefined if it is not registered. @throws AppError registry_unavailable */
export async function lookUpSchemaId(
  registryUrl: string,
  { subject, schema }: SubjectSchema,
): Promise<number | undefined> {
  const { status, body } = await request(registryUrl, 'POST', `/subjects/${encodeURIComponent(subject)}`, {
    schema: JSON.stringify(schema),
  });
  return status === 200 && typeof body.id === 'number' ? body.id : undefined;
}

/** Whether there is a schema of this id, as the registry itself says. @throws AppError registry_unavailable */
export async function hasSchema(registryUrl: string, id: number): Promise<boolean> {
  const { status } = await request(registryUrl, 'GET', `/schemas/ids/${id}`);
  if (status === 200) return true;
  // 400, 422: no schema can have such an id. Any other says something about us.
  if ([400, 404, 422].includes(status)) return false;
  throw new AppError('registry_unavailable', `the schema registry answers ${status}`);
}

/** Retries while the registry doesn't answer. @throws the error of `ask` at the deadline */
export async function untilAnswered<T>(
  { clock, log }: RegistryOptions,
  deadlineMs: number,
  ask: () => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isAppError(error, 'registry_unavailable') || clock.monotonicMs() >= deadlineMs) throw error;
      log.debug({ event: 'registry.unavailable', err: error });
      await clock.sleep(retryMs);
    }
  }
}

async function register(registryUrl: string, { subject, schema }: SubjectSchema): Promise<number> {
  const config = `/config/${encodeURIComponent(subject)}`;
  const rule = await request(registryUrl, 'GET', config);
  if (rule.status === 404 || rule.body.compatibilityLevel === 'NONE') {
    const set = await request(registryUrl, 'PUT', config, { compatibility: 'BACKWARD' });
    if (set.status !== 200) throw refused(`compatibility for ${subject}`, set);
  }
  const versions = `/subjects/${encodeURIComponent(subject)}/versions`;
  const registered = await request(registryUrl, 'POST', versions, { schema: JSON.stringify(schema) });
  if (registered.status !== 200 || typeof registered.body.id !== 'number') {
    throw refused(`the schema of ${subject}`, registered);
  }
  return registered.body.id;
}

interface Answer {
  status: number;
  body: Record<string, unknown>;
}

async function request(registryUrl: string, method: string, path: string, body?: unknown): Promise<Answer> {
  let answer: Answer;
  const { url, credentials } = registryAddress(registryUrl);
  try {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        accept: contentType,
        ...(body !== undefined && { 'content-type': contentType }),
        ...(credentials && { authorization: basic(credentials) }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(requestTimeoutMs),
    });
    const text = await response.text();
    answer = { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) };
  } catch (error) {
    throw new AppError('registry_unavailable', `the schema registry at ${url} does not answer`, {
      cause: error,
    });
  }
  if (answer.status >= 500 || answer.status === 429) {
    throw new AppError('registry_unavailable', `the schema registry answers ${answer.status}`);
  }
  // Not an answer about the schema; credentials may be about to change, so this is retried.
  if (answer.status === 401 || answer.status === 403) {
    throw new AppError('registry_unavailable', `the schema registry does not know us: it answers ${answer.status}`);
  }
  return answer;
}

const basic = ({ username, password }: { username: string; password: string }): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

function refused(what: string, { status, body }: Answer): AppError {
  return new AppError('config_invalid', `the schema registry refuses ${what}: ${status} ${JSON.stringify(body)}`);
}
