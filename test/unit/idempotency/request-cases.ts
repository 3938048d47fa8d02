import { gzipSync } from 'node:zlib';
import { connect } from 'node:net';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { AppError } from '#lib/runtime';
import { listen } from '../api/ask.ts';
import { waitUntil } from '../../support/wait-until.ts';
import type { Case } from './cases.ts';
import { createGate, createThing, isReplay } from './world.ts';

/** The client's view of one request after the other, and of many at once. */
export const requestCases: readonly Case[] = [
  {
    ids: ['first-execution'],
    title: 'a first request is carried out, and its answer says nothing of a replay',
    async check({ open, subject }) {
      const { post, outcomes } = await open();
      const answer = await post();
      expect(answer.status).toBe(201);
      expect(isReplay(answer)).toBe(false);
      expect(await subject.effects()).toHaveLength(1);
      expect(outcomes).toEqual(['fresh']);
    },
  },
  {
    ids: ['replay', 'header-allowlist'],
    title:
      'a repetition gets the same status, bytes and descriptive headers, marked, and nothing that belonged to one connection',
    async check({ open, subject }) {
      const { post, outcomes } = await open({
        handler: async ({ add, reply }) => {
          await add('a');
          void reply.code(201).headers({ location: '/things/1', 'content-language': 'en', 'set-cookie': 'id=secret' });
          return reply.headers({ authorization: 'secret', etag: '"1"', 'keep-alive': 'timeout=9' }).send({ a: 1 });
        },
      });
      const fresh = await post();
      expect(fresh.headers['set-cookie']).toEqual(['id=secret']);
      for (let time = 0; time < 3; time += 1) {
        const again = await post();
        expect(again).toMatchObject({ status: 201, text: fresh.text });
        expect(again.headers).toMatchObject({
          location: '/things/1',
          'content-language': 'en',
          'content-type': fresh.headers['content-type'],
          'content-length': fresh.headers['content-length'],
          'idempotent-replayed': 'true',
        });
        for (const name of ['set-cookie', 'authorization', 'etag']) expect(again.headers[name]).toBeUndefined();
      }
      expect(await subject.effects()).toEqual(['a']);
      expect(outcomes).toEqual(['fresh', 'replayed', 'replayed', 'replayed']);
    },
  },
  {
    ids: ['replay-binary'],
    title: 'a body of any bytes is replayed byte by byte, an empty one as none',
    async check({ open }) {
      const bodies = [Buffer.from([0xff, 0x00, 0x01, 0x0a]), Buffer.from('Ā\n"\u2028'), undefined];
      let turn = 0;
      const { post } = await open({
        handler: ({ reply }) => {
          const body = bodies[turn++];
          return reply.code(body === undefined ? 204 : 200).send(body);
        },
      });
      for (const [index, body] of bodies.entries()) {
        const fresh = await post({ key: `k${index}` });
        const again = await post({ key: `k${index}` });
        expect(isReplay(again)).toBe(true);
        expect(again.bytes).toEqual(body ?? Buffer.alloc(0));
        expect([again.status, again.headers['content-type']]).toEqual([fresh.status, fresh.headers['content-type']]);
      }
    },
  },
  {
    ids: ['compressed'],
    title: 'a compressed body is replayed with its encoding',
    async check({ open }) {
      const body = gzipSync('hello');
      const { post } = await open({ handler: ({ reply }) => reply.header('content-encoding', 'gzip').send(body) });
      await post();
      const again = await post();
      expect(again.bytes).toEqual(body);
      expect(again.headers['content-encoding']).toBe('gzip');
    },
  },
  {
    ids: ['replay-error-4xx'],
    title: 'a refusal by the handler is an outcome: kept with its effects, and replayed',
    async check({ open, subject }) {
      for (const status of [400, 402, 403, 404, 409, 410, 422]) {
        const { post } = await open({
          handler: async ({ add, reply }) => {
            await add(`refused ${status}`);
            return reply.code(status).send({ status });
          },
        });
        await post({ key: `k${status}` });
        const again = await post({ key: `k${status}` });
        expect([again.status, isReplay(again)]).toEqual([status, true]);
      }
      expect(await subject.effects()).toHaveLength(7);
    },
  },
  {
    ids: ['5xx', '429/503/401'],
    title: 'an answer that is no outcome is not kept, and neither are its effects: the next request is carried out',
    async check({ open, subject }) {
      for (const status of [401, 413, 429, 500, 502, 503, 504]) {
        let failing = true;
        const { post, outcomes } = await open({
          handler: async ({ add, reply }) => {
            await add(`${status} ${failing}`);
            return reply.code(failing ? status : 201).send({ failing });
          },
        });
        const first = await post({ key: `k${status}` });
        expect([first.status, isReplay(first)]).toEqual([status, false]);
        failing = false;
        const second = await post({ key: `k${status}` });
        expect([second.status, isReplay(second)]).toEqual([201, false]);
        expect(outcomes).toEqual(['fresh']);
      }
      expect(new Set(await subject.effects())).toEqual(
        new Set([401, 413, 429, 500, 502, 503, 504].map((status) => `${status} false`)),
      );
    },
  },
  {
    ids: ['throw'],
    title: 'what a handler did before it threw is taken back, and the next request is carried out',
    async check({ open, subject }) {
      let failing = true;
      const { post } = await open({
        handler: async ({ add, reply }) => {
          await add(failing ? 'before the throw' : 'whole');
          if (failing) throw new Error('thrown by the handler');
          return reply.code(201).send();
        },
      });
      expect((await post()).status).toBe(500);
      failing = false;
      expect((await post()).status).toBe(201);
      expect(await subject.effects()).toEqual(['whole']);
    },
  },
  {
    title: 'what fails validation before the handler is not kept: corrected, it is carried out under the same key',
    async check({ open, subject }) {
      const { post } = await open();
      expect((await post({ path: '/checked', body: '{"limit":"x"}' })).status).toBe(400);
      expect((await post({ path: '/checked', body: '{"limit":' })).status).toBe(400);
      expect((await post({ path: '/checked', body: '{"limit":1}' })).status).toBe(201);
      expect((await post({ path: '/checked', body: '{"limit":"x"}' })).status).toBe(422);
      expect(await subject.effects()).toHaveLength(1);
    },
  },
  {
    ids: ['no-key'],
    title: 'without a key every request is carried out',
    async check({ open, subject }) {
      const { post, outcomes } = await open();
      const [first, second] = [await post({ key: null }), await post({ key: null })];
      expect(first.status).toBe(201);
      expect(second.text).not.toBe(first.text);
      expect(await subject.effects()).toHaveLength(2);
      expect(outcomes).toEqual([]);
    },
  },
  {
    ids: ['required-missing'],
    title: 'a route may want a key: 400 without one',
    async check({ open, subject }) {
      const { post } = await open();
      const answer = await post({ path: '/strict', key: null });
      expect(answer.headers['content-type']).toBe('application/problem+json');
      expect(answer.json()).toMatchObject({ status: 400, code: 'idempotency_key_invalid' });
      expect((await post({ path: '/strict' })).status).toBe(201);
      expect(await subject.effects()).toHaveLength(1);
    },
  },
  {
    ids: ['safe-methods'],
    title: 'only a POST has a key: all other methods are carried out each time',
    async check({ open, subject }) {
      const { post, outcomes } = await open();
      for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
        const given = method === 'GET' ? { method, body: undefined } : { method };
        const [first, second] = [await post(given), await post(given)];
        expect([first.status, second.status, isReplay(second)]).toEqual([201, 201, false]);
      }
      expect(await subject.effects()).toHaveLength(8);
      expect(outcomes).toEqual([]);
    },
  },
  {
    ids: ['mismatch-body', 'same-json-different-bytes'],
    title: 'another body under the same key is 422, is not carried out, and leaves the record as it is',
    async check({ open, subject }) {
      const { post, outcomes } = await open();
      const fresh = await post({ body: '{"a":1,"b":2}' });
      for (const body of ['{"a":2}', '{"b":2,"a":1}', '{"a":1,"b":2} ', '']) {
        const answer = await post({ body });
        expect([answer.status, answer.json<{ code: string }>().code]).toEqual([422, 'idempotency_key_reused']);
      }
      expect((await post({ body: '{"a":1,"b":2}' })).text).toBe(fresh.text);
      expect(await subject.effects()).toHaveLength(1);
      expect(outcomes).toEqual(['fresh', 'mismatch', 'mismatch', 'mismatch', 'mismatch', 'replayed']);
    },
  },
  {
    ids: ['mismatch-path'],
    title: 'another path under the same key is 422',
    async check({ open, subject }) {
      const { post } = await open();
      await post();
      expect((await post({ path: '/others' })).status).toBe(422);
      expect(await subject.effects()).toHaveLength(1);
    },
  },
  {
    ids: ['mismatch-query'],
    title: 'another query under the same key is 422',
    async check({ open, subject }) {
      const { post } = await open();
      await post({ path: '/things?x=1' });
      expect((await post({ path: '/things?x=2' })).status).toBe(422);
      expect((await post({ path: '/things' })).status).toBe(422);
      expect(isReplay(await post({ path: '/things?x=1' }))).toBe(true);
      expect(await subject.effects()).toHaveLength(1);
    },
  },
  {
    title: 'two tenants’ same key are two keys, and so are two credentials’',
    async check({ open, subject }) {
      const { post } = await open();
      const scopes = [
        { tenant: 'a', authorization: 'x' },
        { tenant: 'a', authorization: 'y' },
        { tenant: 'b', authorization: 'x' },
        { tenant: 'ax', authorization: '' },
      ];
      for (const headers of scopes) expect(isReplay(await post({ headers }))).toBe(false);
      for (const headers of scopes) expect(isReplay(await post({ headers }))).toBe(true);
      expect(await subject.effects()).toHaveLength(4);
    },
  },
  {
    ids: ['in-flight-different-body'],
    title: 'while a request is carried out, every other with its key is 409 with Retry-After, whatever its body',
    async check({ open, subject }) {
      const gate = createGate();
      const { post, outcomes } = await open({
        handler: (handling) => (handling.request.url === '/others' ? createThing(handling) : gate.handler(handling)),
        instances: 2,
      });
      const first = post();
      await gate.entered;
      for (const asking of [{}, { body: '{"a":2}' }, { instance: 1 }, { instance: 1, path: '/others' }]) {
        const answer = await post(asking);
        expect(answer.status).toBe(409);
        expect(answer.json()).toMatchObject({ code: 'idempotency_in_progress' });
        expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      }
      expect((await post({ key: 'another', path: '/others' })).status).toBe(201);
      gate.open();
      expect((await first).status).toBe(201);
      expect((await post({ instance: 1 })).text).toBe((await first).text);
      expect(await subject.effects()).toHaveLength(2);
      expect(outcomes.filter((outcome) => outcome === 'conflict')).toHaveLength(4);
    },
  },
  {
    ids: ['concurrent-100', 'two-instances'],
    title: 'of 100 requests at once at two processes one is carried out, and all others are conflicts or replays',
    async check({ open, subject }) {
      const { post, outcomes } = await open({ instances: 2 });
      const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => post({ instance: index % 2 })));
      const fresh = answers.filter((answer) => answer.status === 201 && !isReplay(answer));
      expect(fresh).toHaveLength(1);
      for (const answer of answers)
        if (answer.status !== 409) expect([answer.status, answer.text]).toEqual([201, fresh[0]?.text]);
      expect(await subject.effects()).toHaveLength(1);
      expect(outcomes.filter((outcome) => outcome === 'fresh')).toHaveLength(1);
      expect(isReplay(await post())).toBe(true);
    },
  },
  {
    ids: ['concurrent-over-expired'],
    title: 'a record that has expired is as none: of 100 requests at once one is carried out',
    async check({ open, subject }) {
      const first = await (await open({ ttlSeconds: 1 })).post();
      await subject.pass(1_100);
      // Their own answer must not expire before the last of them has come.
      const { post } = await open({ instances: 2 });
      // Another body, too: what is expired does not bind.
      const again = { body: '{"a":2}' };
      const answers = await Promise.all(Array.from({ length: 100 }, (_, at) => post({ instance: at % 2, ...again })));
      const fresh = answers.filter((answer) => answer.status === 201 && !isReplay(answer));
      expect(fresh).toHaveLength(1);
      expect(fresh[0]?.text).not.toBe(first.text);
      expect(await subject.effects()).toHaveLength(2);
    },
  },
  {
    ids: ['key-255', 'key-quoted'],
    title: 'a key has up to 255 bytes; raw or quoted, under either header’s name, it is the same',
    async check({ open, subject }) {
      const { post } = await open();
      await post({ key: 'k'.repeat(255) });
      expect(isReplay(await post({ key: `"${'k'.repeat(255)}"` }))).toBe(true);
      const other = { key: null, headers: { 'x-idempotency-key': `"${'k'.repeat(255)}"` } };
      expect(isReplay(await post(other))).toBe(true);
      const both = { key: 'k'.repeat(255), headers: { 'x-idempotency-key': 'k'.repeat(255) } };
      expect(isReplay(await post(both))).toBe(true);
      expect(await subject.effects()).toHaveLength(1);
    },
  },
  {
    ids: ['key-bad'],
    title: 'what is no key is 400, and two different keys are none',
    async check({ open, subject }) {
      const { post } = await open();
      const twice = ['k1', 'k2'] as unknown as string;
      for (const key of ['', ' ', '"', '""', 'k'.repeat(256), 'a\tb', '"a"b', twice]) {
        const answer = await post({ key });
        expect([answer.status, answer.json<{ code: string }>().code]).toEqual([400, 'idempotency_key_invalid']);
      }
      expect((await post({ headers: { 'x-idempotency-key': 'other' } })).status).toBe(400);
      expect(await subject.effects()).toEqual([]);
    },
  },
  {
    ids: ['hash-first'],
    title: 'the store is asked only when the whole body is there to be hashed',
    async check({ open }) {
      let asked = 0;
      const { apps } = await open({
        wrap: (store) => ({ ...store, begin: (request) => ((asked += 1), store.begin(request)) }),
      });
      const socket = connect(await listen(apps[0] as never), '127.0.0.1');
      const head = 'POST /things HTTP/1.1\r\nhost: x\r\nidempotency-key: k\r\ncontent-type: application/json\r\n';
      socket.write(`${head}content-length: 7\r\nconnection: close\r\n\r\n{"a"`);
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(asked).toBe(0);
      socket.write(':1}');
      const [answer] = (await once(socket, 'data')) as [Buffer];
      expect(answer.toString()).toMatch(/^HTTP\/1.1 201 /);
      expect(asked).toBe(1);
      socket.destroy();
    },
  },
  {
    ids: ['request-too-big'],
    title: 'a body above the limit is 413 before the store is asked',
    async check({ open }) {
      let asked = 0;
      const { post, apps } = await open({
        wrap: (store) => ({ ...store, begin: (request) => ((asked += 1), store.begin(request)) }),
      });
      expect((await post({ body: JSON.stringify('x'.repeat(5_000)) })).status).toBe(413);
      const socket = connect(await listen(apps[0] as never), '127.0.0.1');
      socket.write('POST /things HTTP/1.1\r\nhost: x\r\nidempotency-key: k\r\ntransfer-encoding: chunked\r\n\r\n');
      for (let chunk = 0; chunk < 5; chunk += 1) socket.write(`3e8\r\n${'x'.repeat(1_000)}\r\n`);
      const [answer] = (await once(socket, 'data')) as [Buffer];
      expect(answer.toString()).toMatch(/^HTTP\/1.1 413 /);
      socket.destroy();
      expect(asked).toBe(0);
      expect((await post()).status).toBe(201);
    },
  },
  {
    ids: ['client-disconnect'],
    title: 'the answer to a client that has gone is kept all the same, and replayed when it comes again',
    async check({ open, subject }) {
      const gate = createGate();
      const { post, apps, outcomes } = await open({ handler: gate.handler });
      const socket = connect(await listen(apps[0] as never), '127.0.0.1');
      const head = 'POST /things HTTP/1.1\r\nhost: x\r\nidempotency-key: k\r\ncontent-type: application/json\r\n';
      socket.write(`${head}content-length: 7\r\n\r\n{"a":1}`);
      await gate.entered;
      socket.destroy();
      await once(socket, 'close');
      gate.open();
      await waitUntil('the request has ended', () => outcomes.includes('fresh'));
      const again = await post();
      expect([again.status, isReplay(again)]).toEqual([201, true]);
      expect(await subject.effects()).toHaveLength(1);
    },
  },
  {
    ids: ['streaming'],
    title: 'an answer that is a stream is refused: 500, nothing kept, none of it sent',
    async check({ open, subject }) {
      let streaming = true;
      const { post, lines } = await open({
        handler: async ({ add, reply }) => {
          await add(streaming ? 'streamed' : 'whole');
          return reply.send(streaming ? Readable.from(['a', 'b']) : 'ab');
        },
      });
      const refused = await post();
      expect([refused.status, refused.json<{ code: string }>().code]).toEqual([500, 'internal_error']);
      expect(lines).toContainEqual(expect.objectContaining({ event: 'idempotency.answer_refused' }));
      streaming = false;
      expect((await post()).text).toBe('ab');
      expect(await subject.effects()).toEqual(['whole']);
    },
  },
  {
    title: 'an answer of a megabyte is kept and replayed whole',
    async check({ open }) {
      const body = Buffer.alloc(1_048_576, 'abc\0\n');
      const { post } = await open({ handler: ({ reply }) => reply.send(body) });
      await post();
      const again = await post();
      expect(isReplay(again)).toBe(true);
      expect(again.bytes.equals(body)).toBe(true);
    },
  },
  {
    ids: ['store-down-begin'],
    title: 'while the store is away a request with a key is 503 with Retry-After and not carried out, one without is',
    async check({ open, subject }) {
      let away = true;
      const { post } = await open({
        wrap: (store) => ({
          ...store,
          begin: async (request) => {
            if (away) throw new AppError('store_unavailable', 'away');
            return store.begin(request);
          },
        }),
      });
      const answer = await post();
      expect([answer.status, answer.headers['retry-after']]).toEqual([503, '2']);
      expect((await post({ key: null })).status).toBe(201);
      expect(await subject.effects()).toHaveLength(1);
      away = false;
      expect((await post()).status).toBe(201);
    },
  },
  {
    ids: ['log-privacy'],
    title: 'no key is ever logged',
    async check({ open, subject }) {
      const gate = createGate();
      const { post, lines } = await open({
        handler: gate.handler,
        paused: [0],
        instances: 2,
        wrap: (store, instance) =>
          instance === 0 ? store : { ...store, begin: () => Promise.reject(new AppError('store_unavailable', 'away')) },
      });
      const key = 'a-secret-key';
      const first = post({ key });
      await gate.entered;
      expect((await post({ key, instance: 1 })).status).toBe(503);
      await subject.pass(subject.lockSeconds * 1_000 + 300);
      gate.open();
      await first;
      expect(lines.map(({ event }) => event)).toEqual(['idempotency.store_away', 'idempotency.lease_lost']);
      expect(JSON.stringify(lines)).not.toContain(key);
    },
  },
];
