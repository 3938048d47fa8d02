import type { Clock } from '#lib/clock';
import type { Redis } from '#lib/redis';
import type { SecretBox } from '#lib/secret-box';
import { askTogether } from './ask-together.ts';
import type { KeyedRequest } from './ports.ts';
import type { ResponseMemory } from './remembering-store.ts';
import { hashParts } from './request-hash.ts';
import { openResponse, sealResponse } from './sealed-response.ts';

interface Options {
  redis: Pick<Redis, 'getMany' | 'setIfFree'>;
  /** Before every key: two deployments may share a server. */
  prefix: string;
  secretBox: SecretBox;
  clock: Clock;
}

const hashBytes = 32;

/** A value is the request's hash and the sealed answer. */
export function createRedisResponses({ redis, prefix, secretBox, clock }: Options): ResponseMemory {
  const redisKey = ({ tenant, credential, keyHash }: KeyedRequest): Buffer =>
    Buffer.concat([
      Buffer.from(`${prefix}idempotency:`),
      hashParts([Buffer.from(tenant), Buffer.from(credential), keyHash]),
    ]);

  const get = askTogether((keys: readonly Buffer[]) => redis.getMany(keys));

  return {
    async recall(request) {
      const entry = await get(redisKey(request));
      if (entry === undefined) return undefined;
      const requestHash = entry.value.subarray(0, hashBytes);
      return {
        requestHash,
        response: openResponse(secretBox, { ...request, requestHash }, entry.value.subarray(hashBytes)),
      };
    },
    async remember(answers) {
      const nowMs = clock.nowMs();
      await redis.setIfFree(
        answers.map(({ request, response, forSeconds }) => ({
          key: redisKey(request),
          value: Buffer.concat([request.requestHash, sealResponse(secretBox, request, response)]),
          expiresAtMs: nowMs + Math.floor(forSeconds * 1000),
        })),
      );
    },
  };
}
