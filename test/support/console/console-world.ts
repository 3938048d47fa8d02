/**
 * A whole Hookline with the console, and tenants that have one of everything: what the tests of the console look at. Postgres is behind a link
 * that can be cut.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { freePorts } from '#deploy/local/stack/free-ports.ts';
import { endpointSettlingMs } from '#lib/contract';
import { type OwnPipeline, startOwnPipeline } from '../../e2e/own-pipeline.ts';
import { startTcpProxy, type TcpProxy } from '../../faults/network/tcp-proxy.ts';
import { httpPost } from '../http-post.ts';
import { type Receiver, startReceiver } from '../receiver.ts';
import { createDatabase } from '../servers.ts';
import { signAsHookline } from '../sign-webhook.ts';
import { serviceNames } from '../stack.ts';
import { type ApiCaller, createApiCaller, type Json } from './api-caller.ts';
import { type ConsoleClient, createConsoleClient } from './console-client.ts';
import type { Ids } from './console-routes.ts';

export interface ConsoleWorld {
  pipeline: OwnPipeline;
  receiver: Receiver;
  postgresLink: TcpProxy;
  /** The URL of Postgres itself, also while the link is cut. */
  databaseUrl: string;
  url: string;
  api(tenant: string): ApiCaller;
  nobody: ConsoleClient;
  operator: ConsoleClient;
  /** A session of a tenant. */
  signIn(tenant: string, scopes?: readonly string[]): Promise<ConsoleClient>;
  tokenFor(tenant: string, scopes?: readonly string[]): Promise<string>;
  close(): Promise<void>;
}

const frames = freePorts(2);
/** The ports of a page that may embed the portal, and of one that may not. */
export const framePort = frames.then(([port = 0]) => port);
export const otherFramePort = frames.then(([, port = 0]) => port);

/** @param link whether Postgres can be cut off */
export async function startConsoleWorld({ link = false } = {}): Promise<ConsoleWorld> {
  const receiver = await startReceiver();
  receiver.react(({ name }) => ({ status: name.endsWith('refuses') ? 500 : 200 }));
  const databaseUrl = await createDatabase();
  const database = new URL(databaseUrl);
  const postgresLink = await startTcpProxy({ host: database.hostname, port: Number(database.port) }, Math.random);
  if (link) database.host = `127.0.0.1:${postgresLink.port}`;
  const pipeline = await startOwnPipeline({
    services: serviceNames,
    databaseUrl: database.href,
    env: {
      HOOKLINE_TRUSTED_PROXIES: '127.0.0.1',
      HOOKLINE_PORTAL_FRAME_ORIGINS: `http://localhost:${await framePort}`,
    },
  });
  const { apiUrl, adminKey } = pipeline.stack;
  const url = pipeline.consoleUrl('console');
  const api = (tenant: string): ApiCaller => createApiCaller(apiUrl, adminKey, tenant);

  const tokenFor: ConsoleWorld['tokenFor'] = async (tenant, scopes) => {
    const caller = createApiCaller(apiUrl, adminKey, tenant === '*' ? undefined : tenant);
    const made = await caller.make('POST', '/sessions', {
      ...(scopes !== undefined && { scopes }),
      ...(tenant === '*' && { tenant }),
    });
    return String(made['token']);
  };
  const signIn: ConsoleWorld['signIn'] = async (tenant, scopes) =>
    createConsoleClient(url, await tokenFor(tenant, scopes));

  return {
    pipeline,
    receiver,
    postgresLink,
    databaseUrl,
    url,
    api,
    tokenFor,
    signIn,
    nobody: createConsoleClient(url),
    operator: await signIn('*'),
    async close() {
      await pipeline.close();
      await postgresLink.close();
      await receiver.stop();
    },
  };
}

/** A tenant with one of everything. */
export interface Furnished {
  name: string;
  t: string;
  api: ApiCaller;
  ids: Ids;
  source: { id: string; secret: string; ingest_url: string };
  /** Endpoints: one that takes what it gets, one that refuses it, and one to be paused and disabled. */
  takes: string;
  refuses: string;
  spare: string;
  deleted: Pick<Ids, 'ep' | 'src' | 'key'>;
  erasedEvent: string;
  /** Sends a webhook; resolves with the id of its event. */
  send(body: string | Buffer, headers?: Readonly<Record<string, string>>): Promise<string>;
}

export async function furnish({ api: apiOf, receiver }: ConsoleWorld, names: readonly string[]): Promise<Furnished[]> {
  const prepared = await Promise.all(
    names.map(async (name) => {
      const api = apiOf(name);
      const createEndpoint = async (called: string, settings: object): Promise<string> => {
        const made = await api.make('POST', '/endpoints', { url: receiver.url(`${name}-${called}`), ...settings });
        receiver.register(`${name}-${called}`, { id: made.id, secret: String(made['secret']) });
        return made.id;
      };
      const source = (await api.make('POST', '/sources', {
        name: 'Shop',
        scheme: 'hookline',
        dedup_id: ['/id'],
        event_type_from: ['/type'],
        tags_from: { customer: '/customer' },
        keep_rejected_bodies: true,
      })) as unknown as Furnished['source'];
      const retry = { max_attempts: 1 };
      return {
        name,
        api,
        source,
        takes: await createEndpoint('takes', { description: 'Takes everything', event_types: ['order.*', 'odd'] }),
        refuses: await createEndpoint('refuses', { event_types: ['order.failed', 'failing.*'], retry }),
        spare: await createEndpoint('spare', { event_types: ['spare.*'] }),
        deletedEndpoint: await createEndpoint('deleted', {}),
        deletedSource: (await api.make('POST', '/sources', { name: 'Old shop', scheme: 'hookline' })).id,
        key: (await api.make('POST', '/api-keys', { name: 'ci', scopes: ['admin'] })).id,
        deletedKey: (await api.make('POST', '/api-keys', { name: 'old', scopes: ['read'] })).id,
        session: (await api.make('POST', '/sessions', { scopes: ['read'] })).id,
      };
    }),
  );
  await delay(endpointSettlingMs);
  return Promise.all(prepared.map(finish));
}

type Prepared = Pick<Furnished, 'name' | 'api' | 'source' | 'takes' | 'refuses' | 'spare'> & {
  deletedEndpoint: string;
  deletedSource: string;
  key: string;
  deletedKey: string;
  session: string;
};

async function finish(given: Prepared): Promise<Furnished> {
  const { name, api, source, takes, refuses, spare } = given;
  const send: Furnished['send'] = async (content, headers = {}) => {
    const receiptId = await sendWebhook(source, Buffer.from(content), headers);
    return (await eventOfReceipt(api, receiptId)).id;
  };
  const wrong = { 'hookline-signature': 't=1,v1=00', 'content-type': 'application/json' };
  await httpPost({ url: source.ingest_url, headers: wrong, body: Buffer.from('{"id":1}'), timeoutMs: 30_000 });
  const paid = await send(`{"id":"${name}-1","type":"order.paid","customer":"cus_9"}`);
  await send(`{"id":"${name}-2","type":"order.failed"}`);
  const deadLetter = await api.first('/dead-letters');
  const failed = await api.first('/deliveries?status=dead_lettered');
  const replay = await api.make('POST', '/dead-letters/replay', { ids: [deadLetter.id] });
  await api.first('/replays', ({ id, status }) => id === replay.id && status === 'completed');
  const erased = (await api.make('POST', '/events', { type: 'to.erase', payload: {} })).id;
  const erasure = await api.make('DELETE', `/events/${erased}`);
  await api.make('DELETE', `/endpoints/${given.deletedEndpoint}`);
  await api.make('DELETE', `/sources/${given.deletedSource}`);
  await api.make('DELETE', `/api-keys/${given.deletedKey}`);
  const rejection = await api.first(`/sources/${source.id}/rejections`);
  return {
    name,
    api,
    source,
    takes,
    refuses,
    spare,
    send,
    t: `/t/${name}`,
    ids: {
      evt: paid,
      dlv: failed.id,
      number: '1',
      ep: takes,
      src: source.id,
      rej: rejection.id,
      dl: deadLetter.id,
      rpl: replay.id,
      key: given.key,
      ses: given.session,
      ers: erasure.id,
    },
    deleted: { ep: given.deletedEndpoint, src: given.deletedSource, key: given.deletedKey },
    erasedEvent: erased,
  };
}

/** Sends a sample. The API itself stops waiting for its first attempt after some seconds. @returns its delivery, once it was tried */
export async function tryEndpoint(api: ApiCaller, endpointId: string, sample: object = {}): Promise<Json> {
  const tested = await api.make('POST', `/endpoints/${endpointId}/test`, sample);
  return api.first(`/events/${String(tested['event_id'])}/deliveries`, ({ attempts }) => Number(attempts) > 0);
}

/** Lists without an order tell of every event that was erased, too. */
export const eventOfReceipt = (api: ApiCaller, receiptId: string): Promise<Json> =>
  api.first(`/events?receipt_id=${receiptId}`, (event) => event['receipt_id'] === receiptId);

/** @returns the id of its receipt */
export async function sendWebhook(
  { secret, ingest_url: url }: Furnished['source'],
  body: Buffer,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const signed = signAsHookline(secret, body, Math.floor(Date.now() / 1_000));
  const answer = await httpPost({
    url,
    headers: { 'content-type': 'application/json', ...headers, ...signed },
    body,
    timeoutMs: 30_000,
  });
  if (answer.status !== 202) throw new Error(`${answer.status} ${answer.body.toString()}`);
  return (JSON.parse(answer.body.toString()) as Json).id;
}
