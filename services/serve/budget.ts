/**
 * Limits the memory of services that share a heap: each limit is a share of one budget, unless it is set explicitly. The defaults of a
 * service alone fill a process; those of all would be the memory of as many processes.
 *
 * | of the budget | limit                                   | memory of one unit                                            |
 * |---------------|-----------------------------------------|---------------------------------------------------------------|
 * | 1/4           | HOOKLINE_INGRESS_MAX_READING_BYTES      | a byte                                                        |
 * | 1/8           | HOOKLINE_INGRESS_MAX_PENDING_BYTES      | a byte                                                        |
 * | 1/8           | HOOKLINE_INGRESS_MAX_CONNECTIONS        | 16 KiB, idle                                                  |
 * | 1/8           | HOOKLINE_LONGPOLL_MAX                   | 16 KiB: test/bench/longpoll                                   |
 * | 1/8           | HOOKLINE_DISPATCHER_QUEUE_BYTES         | two bytes: rows that are read back may take as much again     |
 * | 1/4           | HOOKLINE_CONSUMER_QUEUE_BYTES           | a byte in each partition that is read: 48 with six of a topic |
 *
 * The console keeps nothing between two requests, and has no limit here.
 *
 * A lane has a quarter of the dispatcher's queue, as in its own process. In addition come the process itself and the work in progress,
 * which is limited by calls and connections, not by memory: about 200 MiB.
 */
const kibibyte = 1024;

/** Seven consumed topics, one of them, `events`, by two groups. */
const partitionsRead = 8 * 6;

interface Bound {
  env: string;
  /** The fraction of the budget. */
  share: number;
  /** The bytes of one unit. */
  bytesEach: number;
}

export const bounds: readonly Bound[] = [
  { env: 'HOOKLINE_INGRESS_MAX_READING_BYTES', share: 1 / 4, bytesEach: 1 },
  { env: 'HOOKLINE_INGRESS_MAX_PENDING_BYTES', share: 1 / 8, bytesEach: 1 },
  { env: 'HOOKLINE_INGRESS_MAX_CONNECTIONS', share: 1 / 8, bytesEach: 16 * kibibyte },
  { env: 'HOOKLINE_LONGPOLL_MAX', share: 1 / 8, bytesEach: 16 * kibibyte },
  { env: 'HOOKLINE_DISPATCHER_QUEUE_BYTES', share: 1 / 8, bytesEach: 2 },
  { env: 'HOOKLINE_CONSUMER_QUEUE_BYTES', share: 1 / 4, bytesEach: partitionsRead },
];
const laneOfQueue = 1 / 4;

/** The limits, as an environment would set them; explicitly set ones are unchanged. */
export function boundsWithin(budgetBytes: number, env: NodeJS.ProcessEnv): Record<string, string> {
  const shares = Object.fromEntries(
    bounds.map(({ env: name, share, bytesEach }) => [
      name,
      env[name] ?? String(Math.floor((budgetBytes * share) / bytesEach)),
    ]),
  );
  const lane = 'HOOKLINE_DISPATCHER_LANE_BYTES';
  const queue = Number(shares.HOOKLINE_DISPATCHER_QUEUE_BYTES);
  return { ...shares, [lane]: env[lane] ?? String(Math.floor(queue * laneOfQueue)) };
}

/** The sum of these bounds in bytes. */
export const bytesOf = (given: Readonly<Record<string, string>>): number =>
  bounds.reduce((sum, { env, bytesEach }) => sum + Number(given[env]) * bytesEach, 0);
