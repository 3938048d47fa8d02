import type { Redis } from '#lib/redis';
import type { Clock } from '#lib/runtime';
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

type Identity = Pick<KeyedRequest, 'tenant' | 'credential' | 'keyHash'>;

const redisKeyIn =
  (prefix: string) =>
  ({ tenant, credential, keyHash }: Identity): Buffer =>
    Buffer.concat([
      Buffer.from(`${prefix}idempotency:`),
      hashParts([Buffer.from(tenant), Buffer.from(credential), keyHash]),
    ]);

/** Removes the copies of these requests' answers. @throws AppError redis_unavailable */
export type ForgetResponses = (requests: readonly Identity[]) => Promise<void>;

export const createForgetResponses = (redis: Pick<Redis, 'remove'>, prefix: string): ForgetResponses => {
  const redisKey = redisKeyIn(prefix);
  return (requests) => redis.remove(requests.map(redisKey));
};

/** A value is the request's hash and the sealed answer. */
export function createRedisResponses({ redis, prefix, secretBox, clock }: Options): ResponseMemory {
  const redisKey = redisKeyIn(prefix);
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
