import { waitUntil } from '../../support/wait-until.ts';

/** The result of one try at a rate. */
export interface Tried {
  perSecond: number;
  isSustained: boolean;
  /** Why it is not. */
  says: string;
}

interface Options {
  /** Sends at this rate for so long; resolves, once what was done of it is committed, with how many were not taken. */
  send(perSecond: number, seconds: number): Promise<number>;
  /** Webhooks that have not been worked off yet. */
  backlog(): Promise<number>;
  onTried(tried: Tried): void;
}

const firstPerSecond = 20;
const trySeconds = 20;
/** The rate found is held for so long: a little more than is possible fills queues first, and leaves no backlog yet. */
const provenSeconds = 60;
/** If it can't be held, this much of it is tried. */
const lesserShare = 0.9;
/** 8 % more than is sustained have left so much after a try, 3 % more after the proof. */
const mostBacklogSeconds = 1.5;
/** A machine has pauses: what fails twice is too much. */
const triesOfRate = 2;
const bisections = 3;
const mostPerSecond = 5_000;
const drainTimeoutMs = 180_000;

/**
 * The highest rate that leaves no backlog in a minute: doubled until one does, then halved in between, then held. All endpoints and pollers
 * must exist already. A first try does not count, because code is compiled then.
 *
 * @throws Error if not even the first rate is sustained
 */
export async function findHighestRate({ send, backlog, onTried }: Options): Promise<number> {
  const drained = (perSecond: number): Promise<true> =>
    waitUntil('what was sent is worked off', async () => (await backlog()) <= perSecond, {
      timeoutMs: drainTimeoutMs,
      everyMs: 500,
    });
  const holds = async (perSecond: number, seconds: number): Promise<boolean> => {
    const refused = await send(perSecond, seconds);
    const left = await backlog();
    const isSustained = refused === 0 && left <= mostBacklogSeconds * perSecond;
    onTried({ perSecond, isSustained, says: `${refused} not taken, ${left} not worked off after ${seconds} s` });
    await drained(perSecond);
    return isSustained;
  };
  const isSustained = async (perSecond: number, seconds = trySeconds): Promise<boolean> => {
    for (let tried = 0; tried < triesOfRate; tried += 1) if (await holds(perSecond, seconds)) return true;
    return false;
  };

  await send(firstPerSecond, trySeconds);
  await drained(firstPerSecond);
  let [sustained, tooMuch] = [0, firstPerSecond];
  while (await isSustained(tooMuch)) {
    sustained = tooMuch;
    tooMuch *= 2;
    if (tooMuch > mostPerSecond) throw new Error(`${sustained} a second are sustained: the search ends there`);
  }
  if (sustained === 0) throw new Error(`not even ${firstPerSecond} a second are sustained`);
  for (let turn = 0; turn < bisections; turn += 1) {
    const between = Math.round((sustained + tooMuch) / 2);
    if (await isSustained(between)) sustained = between;
    else tooMuch = between;
  }
  while (!(await isSustained(sustained, provenSeconds))) {
    sustained = Math.round(lesserShare * sustained);
    if (sustained < firstPerSecond) throw new Error(`not even ${firstPerSecond} a second are sustained`);
  }
  return sustained;
}
