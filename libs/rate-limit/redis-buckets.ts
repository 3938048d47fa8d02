/**
 * A token bucket in Redis, one hash a key:
 *
 *   free      permits that no process holds (a fraction; below zero if processes gave out more while Redis was away)
 *   at        when `free` was true, in microseconds of the server's clock
 *   <process> `<permits held, as far as known> <time of its last request>`
 *
 * `free` and all held permits together never exceed the burst, and grow only by the rate. A used permit counts as held until its process
 * asks again, which can only make the refill smaller. So in any window of t seconds all processes together use at most burst + rate · t
 * permits, however many they hold and whenever they use them; permits for waiting callers add what the rate yields during one answer. A
 * lost answer loses its permits.
 */
import type { Redis } from '#lib/redis';
import type { BucketAnswer, SharedBuckets } from './ports.ts';

/** A process uses permits for so long after its request, then drops them. */
export const heldForMs = 1_000;
/** Twice that, so that clocks may differ: only then does the bucket free them. */
const countedForMs = 2 * heldForMs;
const processForMs = 60_000;

const script = `
local rate, burst = tonumber(ARGV[2]), tonumber(ARGV[3])
local unused, debt = tonumber(ARGV[4]), tonumber(ARGV[5])
local wantedNow, wantedAhead = tonumber(ARGV[6]), tonumber(ARGV[7])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local free, at, held, processes = burst, now, 0, 1
local fields = redis.call('HGETALL', KEYS[1])
local mine = 0
for i = 1, #fields, 2 do
  local name, value = fields[i], fields[i + 1]
  if name == 'free' then free = tonumber(value)
  elseif name == 'at' then at = tonumber(value)
  else
    local permits, asked = string.match(value, '^(%S+) (%S+)$')
    local ago = now - tonumber(asked)
    if ago > ${countedForMs * 1000} then permits = 0 end
    if name == ARGV[1] then mine = tonumber(permits)
    elseif ago > ${processForMs * 1000} then redis.call('HDEL', KEYS[1], name)
    else
      held = held + tonumber(permits)
      processes = processes + 1
    end
  end
end
local room = math.max(0, burst - held - math.max(mine, unused))
free = math.min(room, free + rate * math.max(0, now - at) / 1000000)
free = math.max(-burst, free - debt)
local granted = math.max(0, math.min(wantedNow + wantedAhead, math.floor(free)))
free = free - granted
mine = unused + math.max(0, granted - wantedNow)
local function text(number) return string.format('%.17g', number) end
redis.call('HSET', KEYS[1], 'free', text(free), 'at', text(now), ARGV[1], text(mine) .. ' ' .. text(now))
redis.call('PEXPIRE', KEYS[1], math.ceil((burst - free) / rate * 1000) + ${processForMs})
return { granted, text(free), processes }
`;

interface Options {
  redis: Pick<Redis, 'runScript'>;
  /** Prefix of every key: names the user of the limiter. */
  prefix: string;
  /** The id of this process among those that share the buckets. */
  processId: string;
}

export function createRedisBuckets({ redis, prefix, processId }: Options): SharedBuckets {
  return {
    async ask({ key, rate, unused, debt, now, ahead }): Promise<BucketAnswer> {
      const numbers = [rate.perSecond, rate.burst, unused, debt, now, ahead].map(String);
      const answer = await redis.runScript(script, [`${prefix}${key}`], [`p:${processId}`, ...numbers]);
      const [granted, free, processes] = answer as [number, string, number];
      return { granted, free: Number(free), processes };
    },
  };
}
