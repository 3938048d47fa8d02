import { randomUUID } from 'node:crypto';
import { createForgetResponses } from '#lib/idempotency';
import { noCrashPoints, systemClock } from '#lib/runtime';
import { advance, type ErasureRow, findErasure, leaseErasures } from '../../../services/api/erasures/erasure-row.ts';
import { createStepErasure, type StepErasure } from '../../../services/api/erasures/run-erasure.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { testSecretBox } from '../../unit/api/build-test-app.ts';
import type { OpenApi } from '../api/api-over-database.ts';

type Deps = Parameters<typeof createStepErasure>[0];

/** The job of the API, over its database, step by step as a test wants it. */
export function stepsOver(api: OpenApi, more: Partial<Deps> = {}): StepErasure {
  return createStepErasure({
    postgres: api.postgres,
    secretBox: testSecretBox,
    forget: createForgetResponses({ remove: async () => undefined }, 'test.'),
    readKeepTimes: async () =>
      new Map([
        ['events', 7 * 86_400_000],
        ['dead-letters', 30 * 86_400_000],
      ]),
    clock: systemClock,
    crashPoints: noCrashPoints,
    ...more,
  });
}

/** Works all erasures off, and gives the receipt of one. */
export async function workOff(api: OpenApi, tenant: string, id: string, step = stepsOver(api)): Promise<ErasureRow> {
  const owner = randomUUID();
  // No wait for other processes, of which there are none.
  const settle = () =>
    api.postgres.query(`UPDATE erasures SET settles_at = clock_timestamp() WHERE settles_at IS NOT NULL`);
  await waitUntil('the erasure has completed', async () => {
    await api.postgres.query('UPDATE erasures SET lease_until = NULL');
    for (const leased of await leaseErasures(api.postgres, owner, 100)) {
      let erasure: Awaited<ReturnType<StepErasure>> = leased;
      while (erasure !== undefined && erasure !== 'wait' && erasure.state !== 'completed') {
        erasure = await step(erasure, owner);
        await settle();
      }
    }
    return (await findErasure(api.postgres, tenant, id))?.state === 'completed';
  });
  return (await findErasure(api.postgres, tenant, id)) as ErasureRow;
}

/** Takes the lease of this one, from whoever has it. */
export const lease = async (api: OpenApi, owner: string, id: string): Promise<ErasureRow> => {
  await api.postgres.query(
    `UPDATE erasures SET lease_until = CASE id WHEN $1 THEN '-infinity' ELSE 'infinity' END::timestamptz`,
    [id],
  );
  const [leased] = await leaseErasures(api.postgres, owner, 1);
  if (leased === undefined) throw new Error('there is no erasure to lease');
  return leased;
};

export { advance };
