interface Options {
  /** The first rate to try. */
  first: number;
  /** Whether the rate is kept up with for some seconds. */
  probe(perSecond: number): Promise<boolean>;
  /** The same for a minute. */
  hold(perSecond: number): Promise<boolean>;
}

const mostProbes = 4;
/** Nearer to each other they are not told apart. */
const nearEnough = 1.12;
const [upwards, downwards] = [1.4, 0.7];
/** The next rate after one that was too high, while no sustained rate is known. */
const belowTooMuch = 0.6;
const mostHolds = 3;
const lesser = 0.88;

/** The highest tried rate that is sustained for a minute; undefined if there was none. */
export async function searchRate({ first, probe, hold }: Options): Promise<number | undefined> {
  let [sustained, tooMuch, rate] = [0, Number.POSITIVE_INFINITY, first];
  for (let probes = 0; probes < mostProbes && tooMuch / Math.max(1, sustained) > nearEnough; probes += 1) {
    if (await probe(Math.round(rate))) sustained = rate;
    else tooMuch = rate;
    if (tooMuch === Number.POSITIVE_INFINITY) rate = sustained * upwards;
    else if (sustained === 0) rate = tooMuch * downwards;
    else rate = (sustained + tooMuch) / 2;
  }
  rate = sustained || tooMuch * belowTooMuch;
  for (let holds = 0; holds < mostHolds; holds += 1) {
    if (await hold(Math.round(rate))) return Math.round(rate);
    rate *= lesser;
  }
  return undefined;
}
