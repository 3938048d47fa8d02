/** A client as documented: it repeats a request with the same key until the answer tells the outcome. */
import { hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type HttpAnswer, httpPost } from '../../support/http-post.ts';
import { keepAliveAgent } from '../../support/keep-alive-agent.ts';
import { apis, type ApiName, type Call, type Intent, isSettled } from './history.ts';

export interface Client {
  /**
   * Sends any number at once, each to any of the processes.
   *
   * @returns false if it gave up, or the client was closed
   */
  askUntilSettled(intent: Intent, how?: How): Promise<boolean>;
  readonly log: readonly Call[];
  close(): void;
}

export interface How {
  /** With the intent's key, and another body. */
  altered?: boolean;
  /** The process of the first try, with the longest time-out. */
  firstAt?: ApiName;
}

interface Options {
  urlOf(name: ApiName): string;
  adminKey: string;
  random: () => number;
  /** Longer than anything is away. */
  giveUpMs?: number;
}

/** Most clients are gone before a process that sleeps wakes up; some hear what it says then. */
const patienceMs = { most: 3_000, some: 30_000, share: 0.2 };
/** Sooner than Retry-After says: the more requests meet one that is in progress, the better. */
const retry = { baseMs: 50, capMs: 1_000 };

export function createClient({ urlOf, adminKey, random, giveUpMs = 120_000 }: Options): Client {
  const log: Call[] = [];
  let isClosed = false;
  const agents = new Map(apis.map((name) => [name, keepAliveAgent(128)]));

  const ask = async (intent: Intent, { altered = false, firstAt }: How): Promise<Call> => {
    const process = firstAt ?? apis[Math.floor(random() * apis.length)] ?? 'api';
    const isPatient = firstAt !== undefined || random() < patienceMs.share;
    const startedAtMs = Date.now();
    const answered = await httpPost({
      url: `${urlOf(process)}${intent.path}`,
      headers: {
        authorization: `Bearer ${adminKey}`,
        'content-type': 'application/json',
        'hookline-tenant': intent.tenant,
        'idempotency-key': intent.key,
      },
      body: Buffer.from(altered ? `${intent.body} ` : intent.body),
      timeoutMs: isPatient ? patienceMs.some : patienceMs.most,
      ...(agents.has(process) && { agent: agents.get(process) }),
    }).then(readAnswer, (error: NodeJS.ErrnoException) => ({ ...noAnswer, detail: error.code ?? error.message }));
    const call = { intent: intent.number, process, altered, startedAtMs, endedAtMs: Date.now(), ...answered };
    log.push(call);
    return call;
  };

  return {
    async askUntilSettled(intent, { firstAt, ...how } = {}) {
      const deadlineMs = performance.now() + giveUpMs;
      for (let tries = 0; ; tries += 1) {
        if (isSettled(await ask(intent, tries === 0 && firstAt ? { ...how, firstAt } : how))) return true;
        if (isClosed || performance.now() >= deadlineMs) return false;
        await delay(Math.min(retry.capMs, retry.baseMs * 2 ** tries) * (0.5 + random() / 2));
      }
    },
    log,
    close() {
      isClosed = true;
      agents.forEach((agent) => agent.destroy());
    },
  };
}

type Answered = Pick<Call, 'status' | 'replayed' | 'answerSha256' | 'id' | 'detail'>;

const noAnswer = { status: null, replayed: false, answerSha256: '', id: null } as const;

function readAnswer({ status, headers, body }: HttpAnswer): Answered {
  const { location = '' } = headers;
  const { id = null, code = '' } = parseBody(body);
  // One that says to come again says when.
  const detail = [409, 503].includes(status) && headers['retry-after'] === undefined ? `${code}, no Retry-After` : code;
  return {
    status,
    replayed: headers['idempotent-replayed'] === 'true',
    answerSha256: hash('sha256', `${status}\n${String(location)}\n${body.toString('latin1')}`),
    id,
    detail,
  };
}

function parseBody(body: Buffer): { id?: string; code?: string } {
  try {
    return JSON.parse(body.toString()) as { id?: string; code?: string };
  } catch {
    return { code: body.toString('utf8', 0, 100) };
  }
}
