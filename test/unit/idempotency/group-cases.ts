import type { GroupEnding } from '#lib/idempotency';
import { AppError } from '#lib/runtime';
import type { Case } from './cases.ts';
import { type AnyStore, isReplay } from './world.ts';

/** Changes the ending of a group of one. */
const wrapGroups =
  (change: (run: () => Promise<GroupEnding[]>, store: AnyStore) => Promise<GroupEnding[]>) =>
  (store: AnyStore): AnyStore => ({
    ...store,
    runTogether: (requests, write) => change(() => store.runTogether(requests, write), store),
  });

const path = '/grouped';

/** Routes whose requests are carried out in groups: `/grouped` of the world adds a thing, in a group of one. */
export const groupCases: readonly Case[] = [
  {
    title: 'in a group, a request is carried out once, and answered the same with a mark from then on',
    async check({ open, subject }) {
      const { post, outcomes } = await open({ instances: 2 });
      const fresh = await post({ path });
      const again = await post({ path, instance: 1 });
      expect([fresh.status, isReplay(fresh), again.status, isReplay(again)]).toEqual([201, false, 201, true]);
      expect([again.text, again.headers.location, again.headers['content-type']]).toEqual([
        fresh.text,
        fresh.headers.location,
        fresh.headers['content-type'],
      ]);
      expect(await subject.effects()).toHaveLength(1);
      expect(outcomes).toEqual(['fresh', 'replayed']);
    },
  },
  {
    title: 'in a group, without a key every request is carried out',
    async check({ open, subject }) {
      const { post } = await open();
      expect((await post({ path, key: null })).status).toBe(201);
      expect((await post({ path, key: null })).status).toBe(201);
      expect(await subject.effects()).toHaveLength(2);
    },
  },
  {
    title: 'in a group, another request with a used key is 422, be it valid or not',
    async check({ open, subject }) {
      const { post } = await open();
      await post({ path });
      for (const body of ['{"a":2}', '{"limit":"x"}', '{"limit":']) {
        const answer = await post({ path, body });
        expect([answer.status, answer.json<{ code: string }>().code]).toEqual([422, 'idempotency_key_reused']);
      }
      expect(await subject.effects()).toHaveLength(1);
    },
  },
  {
    title: 'in a group, what fails validation is not kept: corrected, it is carried out under the same key',
    async check({ open, subject }) {
      const { post, outcomes } = await open();
      expect((await post({ path, body: '{"limit":"x"}' })).status).toBe(400);
      expect((await post({ path, body: '{"limit":1}' })).status).toBe(201);
      expect(await subject.effects()).toHaveLength(1);
      expect(outcomes).toEqual(['fresh']);
    },
  },
  {
    title: 'in a group, a request is 503 while the store is away, and not carried out, invalid ones with a key too',
    async check({ open, subject }) {
      let away = true;
      const refuse = async <T>(ask: () => Promise<T>): Promise<T> => {
        if (away) throw new AppError('store_unavailable', 'away');
        return ask();
      };
      const { post } = await open({
        wrap: (store) => ({
          ...store,
          find: (request) => refuse(() => store.find(request)),
          runTogether: (requests, write) => refuse(() => store.runTogether(requests, write)),
        }),
      });
      const answer = await post({ path });
      expect([answer.status, answer.headers['retry-after']]).toEqual([503, '2']);
      expect((await post({ path, body: '{"limit":"x"}' })).status).toBe(503);
      away = false;
      expect((await post({ path })).status).toBe(201);
      expect(await subject.effects()).toHaveLength(1);
    },
  },
  {
    title: 'where it is not known whether a group was kept it is 503, and the next request finds the truth',
    async check({ open, subject }) {
      for (const applied of [true, false]) {
        let unsure = true;
        const { post } = await open({
          wrap: wrapGroups(async (run) => {
            if (!unsure) return run();
            if (applied) await run();
            return [{ kind: 'unknown' }];
          }),
        });
        const first = await post({ path, key: `k${applied}` });
        expect([first.status, first.headers['retry-after'], first.headers.location]).toEqual([503, '2', undefined]);
        unsure = false;
        expect(isReplay(await post({ path, key: `k${applied}` }))).toBe(applied);
      }
      expect(await subject.effects()).toHaveLength(2);
    },
  },
  {
    title: 'a group that stood still past its lease answers with what a successor has kept, else 409',
    async check({ open, subject }) {
      const successors: (() => Promise<unknown>)[] = [];
      const { post, outcomes } = await open({
        instances: 2,
        wrap: (store, instance) =>
          instance === 1
            ? store
            : wrapGroups(async () => {
                await successors[0]?.();
                return [{ kind: 'lost' }];
              })(store),
      });
      expect((await post({ path })).status).toBe(409);
      successors.push(() => post({ path, instance: 1 }));
      const late = await post({ path });
      expect([late.status, isReplay(late)]).toEqual([201, true]);
      expect((await post({ path, instance: 1 })).text).toBe(late.text);
      expect(await subject.effects()).toHaveLength(1);
      expect(outcomes).toEqual(['lease_lost', 'fresh', 'lease_lost', 'replayed']);
    },
  },
  {
    title: 'what a group leaves to be carried out alone runs by itself, once, and conflicts where another has its key',
    async check({ open, subject }) {
      const { post, outcomes } = await open({ wrap: wrapGroups(async () => [{ kind: 'alone' }]) });
      const answers = await Promise.all([post({ path }), post({ path, key: null })]);
      expect(answers.map(({ status }) => status)).toEqual([201, 201]);
      expect(isReplay(await post({ path }))).toBe(true);
      expect(await subject.effects()).toHaveLength(2);
      expect(outcomes).toEqual(['fresh', 'replayed']);
    },
  },
];
