import type { Run } from '#lib/idempotency';
import { within } from '../../support/wait-until.ts';
import type { Case } from './cases.ts';
import { type AnyStore, createGate, type Handler, isReplay } from './world.ts';

/** Changes the ending of a run. */
const wrapRuns =
  (change: (run: Run<unknown>) => Partial<Run<unknown>>) =>
  (store: AnyStore): AnyStore => ({
    ...store,
    async begin(request) {
      const begun = await store.begin(request);
      return begun.kind === 'run' ? { kind: 'run', run: { ...begun.run, ...change(begun.run) } } : begun;
    },
  });

/** The lease, and the endings of runs whose owner is late, dead or unsure. */
export const leaseCases: readonly Case[] = [
  {
    title: 'nothing of an answer leaves before it is kept',
    async check({ open }) {
      const [reached, kept] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const { post } = await open({
        wrap: wrapRuns((run) => ({
          async complete(response) {
            reached.resolve();
            await kept.promise;
            return run.complete(response);
          },
        })),
      });
      let answered = false;
      const answer = post().finally(() => (answered = true));
      try {
        await reached.promise;
        await new Promise((resolve) => setTimeout(resolve, 400));
        expect(answered).toBe(false);
      } finally {
        kept.resolve();
      }
      expect((await answer).status).toBe(201);
    },
  },
  {
    title: 'a handler that runs for longer than the lease keeps it',
    async check({ open, subject }) {
      // An owner that the machine kept from extending its lease says nothing: then once more. One that never extends it loses each.
      for (const key of ['first', 'second', 'third', 'last']) {
        const gate = createGate();
        let runs = 0;
        const handler: Handler = (handling) => {
          runs += 1;
          if (runs > 1) gate.open();
          return gate.handler(handling);
        };
        const { post } = await open({ handler, instances: 2 });
        const before = (await subject.effects()).length;
        const first = post({ key });
        await gate.entered;
        for (let third = 0; third < 5; third += 1) await subject.pass((subject.lockSeconds * 1_000) / 3);
        const other = await post({ key, instance: 1 });
        gate.open();
        const answer = await first;
        if (runs > 1 && key !== 'last') continue;
        expect(other.status).toBe(409);
        expect([answer.status, isReplay(answer)]).toEqual([201, false]);
        expect(await subject.effects()).toHaveLength(before + 1);
        return;
      }
    },
  },
  {
    ids: ['lease-expires-owner-alive', 'fencing'],
    title: 'an owner that stood still past its lease changes nothing: it answers with what its successor has kept',
    async check({ open, subject }) {
      const gate = createGate();
      let turn = 0;
      const handler: Handler = async (handling) => {
        turn += 1;
        if (turn > 1) return successor(handling);
        await handling.add('by the first, before');
        return gate.handler(handling);
      };
      const successor: Handler = async ({ add, reply }) => {
        await add('by the second');
        return reply.code(201).send({ by: 'the second' });
      };
      const { post, outcomes, lines } = await open({ handler, instances: 2, paused: [0] });
      const first = post();
      await gate.entered;
      expect((await post({ instance: 1 })).status).toBe(409);
      await subject.pass(subject.lockSeconds * 1_000 + 300);
      const second = await post({ instance: 1 });
      expect([second.status, isReplay(second)]).toEqual([201, false]);
      gate.open();
      const late = await first;
      expect([late.status, isReplay(late), late.text]).toEqual([201, true, second.text]);
      expect((await post()).text).toBe(second.text);
      expect(await subject.effects()).toEqual(['by the second']);
      expect(outcomes).toEqual(['conflict', 'fresh', 'lease_lost', 'replayed']);
      expect(lines).toContainEqual(expect.objectContaining({ event: 'idempotency.lease_lost' }));
    },
  },
  {
    title: 'an owner that stood still past its lease, while nobody came, answers 409: nothing has happened',
    async check({ open, subject }) {
      const gate = createGate();
      const { post } = await open({ handler: gate.handler, paused: [0] });
      const first = post();
      await gate.entered;
      await subject.pass(subject.lockSeconds * 1_000 + 300);
      gate.open();
      expect((await first).status).toBe(409);
      expect(await subject.effects()).toEqual([]);
      const again = await post();
      expect([again.status, isReplay(again)]).toEqual([201, false]);
      expect(await subject.effects()).toHaveLength(1);
    },
  },
  {
    ids: ['lease-expires-owner-dead', 'store-down-release'],
    title: 'a run that nobody ends keeps others from running until its lease is over, and no longer',
    async check({ open, subject }) {
      let failing = true;
      let endAtLast = async (): Promise<unknown> => undefined;
      const { post } = await open({
        handler: async ({ add, reply }) => {
          await add(failing ? 'dead' : 'alive');
          return reply.code(failing ? 500 : 201).send();
        },
        wrap: wrapRuns((run) => {
          if (!failing) return {};
          endAtLast = run.release;
          return { release: async () => 'released' };
        }),
      });
      try {
        expect((await post()).status).toBe(500);
        failing = false;
        expect((await post()).status).toBe(409);
        await subject.pass(subject.lockSeconds * 1_000 + 300);
        const again = await post();
        expect([again.status, isReplay(again)]).toEqual([201, false]);
        expect(await subject.effects()).toEqual(['alive']);
      } finally {
        await endAtLast();
      }
      expect(isReplay(await post())).toBe(true);
    },
  },
  {
    ids: ['ack-lost', 'uncertain'],
    title:
      'where it is not known whether an answer was kept it is 503 with Retry-After, and the next request finds the truth',
    async check({ open, subject }) {
      for (const applied of [true, false]) {
        let told = 0;
        let unsure = true;
        const { post } = await open({
          handler: async ({ add, reply, afterCommit }) => {
            afterCommit(() => (told += 1));
            await add(`applied: ${applied}`);
            return reply.code(201).header('set-cookie', 'a=b').send({ applied });
          },
          wrap: wrapRuns((run) =>
            unsure
              ? {
                  async complete(response) {
                    await (applied ? run.complete(response) : run.release());
                    return 'unknown';
                  },
                }
              : {},
          ),
        });
        const first = await post({ key: `k${applied}` });
        expect([first.status, first.headers['retry-after']]).toEqual([503, '2']);
        expect(first.headers['set-cookie']).toBeUndefined();
        unsure = false;
        const second = await post({ key: `k${applied}` });
        expect([second.status, isReplay(second)]).toEqual([201, applied]);
        expect(told).toBe(applied ? 0 : 1);
      }
      expect(await subject.effects()).toEqual(['applied: true', 'applied: false']);
    },
  },
  {
    title: 'what is to happen after the commit happens once it is there, and not at all where nothing is kept',
    async check({ open, subject }) {
      const seen: Promise<string[]>[] = [];
      let failing = true;
      const { post } = await open({
        handler: async ({ add, reply, afterCommit }) => {
          await add('a');
          afterCommit(() => void seen.push(subject.effects()));
          return reply.code(failing ? 500 : 201).send();
        },
      });
      await post();
      expect(seen).toHaveLength(0);
      failing = false;
      await post();
      expect(await Promise.all(seen)).toEqual([['a']]);
      await post({ key: null });
      expect(seen).toHaveLength(2);
    },
  },
  {
    title:
      'a handler that commits early and waits: others conflict until its final answer is there, which is what is replayed',
    async check({ open, subject }) {
      const gate = createGate(({ reply }) => reply.send({ final: true }));
      const { post } = await open({ handler: committing(gate.handler), instances: 2 });
      const first = post();
      await gate.entered;
      expect(await subject.effects()).toEqual(['early']);
      for (let third = 0; third < 4; third += 1) await subject.pass((subject.lockSeconds * 1_000) / 3);
      expect((await post({ instance: 1 })).status).toBe(409);
      gate.open();
      expect((await first).json()).toEqual({ final: true });
      const again = await post({ instance: 1 });
      expect([isReplay(again), again.json()]).toEqual([true, { final: true }]);
      expect(await subject.effects()).toEqual(['early']);
    },
  },
  {
    title: 'a late owner does not replace a provisional answer that has been replayed',
    async check({ open, subject }) {
      const gate = createGate(({ reply }) => reply.send({ final: true }));
      const { post, outcomes } = await open({ handler: committing(gate.handler), instances: 2, paused: [0] });
      const first = post();
      await gate.entered;
      await subject.pass(subject.lockSeconds * 1_000 + 300);
      expect((await post({ instance: 1, body: '{"a":2}' })).status).toBe(422);
      const second = await post({ instance: 1 });
      expect([second.status, isReplay(second), second.json()]).toEqual([202, true, { provisional: true }]);
      gate.open();
      const late = await first;
      expect([late.status, isReplay(late), late.json()]).toEqual([202, true, { provisional: true }]);
      expect((await post()).json()).toEqual({ provisional: true });
      expect(outcomes).toContain('lease_lost');
      expect(await subject.effects()).toEqual(['early']);
    },
  },
  {
    title: 'a handler that fails after its early commit leaves the provisional answer, which is replayed at once',
    async check({ open, subject }) {
      const { post } = await open({
        handler: committing(() => {
          throw new Error('after the commit');
        }),
      });
      expect((await post()).status).toBe(500);
      const again = await post();
      expect([again.status, isReplay(again), again.json()]).toEqual([202, true, { provisional: true }]);
      expect(await subject.effects()).toEqual(['early']);
    },
  },
  {
    title: 'an owner that stood still past its lease can’t commit early either',
    async check({ open, subject }) {
      const gate = createGate(committing(({ reply }) => reply.send({ final: true })));
      const { post } = await open({ handler: gate.handler, paused: [0] });
      const first = post();
      await gate.entered;
      await subject.pass(subject.lockSeconds * 1_000 + 300);
      gate.open();
      expect((await within('an answer', 5_000, first)).status).toBe(409);
      expect(await subject.effects()).toEqual([]);
    },
  },
];

const committing =
  (work: Handler): Handler =>
  async (handling) => {
    await handling.add('early');
    await handling.commit({
      status: 202,
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: '{"provisional":true}',
    });
    return work(handling);
  };
