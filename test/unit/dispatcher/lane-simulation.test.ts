import {
  type Behaviour,
  type EndpointResult,
  type Mutant,
  simulateLanes,
  type SimulationResult,
} from './lane-simulation.ts';

const many = (count: number, behaviour: Behaviour): Behaviour[] => Array<Behaviour>(count).fill(behaviour);
const healthy: Behaviour = { kind: 'healthy', latencyMs: 20 };

const p99 = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? 0;
const ofKind = ({ endpoints }: SimulationResult, ...kinds: Behaviour['kind'][]): EndpointResult[] =>
  endpoints.filter(({ behaviour }) => kinds.includes(behaviour));
const healthyP99 = (result: SimulationResult): number =>
  p99(ofKind(result, 'healthy').flatMap(({ latenciesMs }) => latenciesMs));

describe('lanes under load', () => {
  const withSick = (hanging: number): Behaviour[] => [
    ...many(60, healthy),
    ...many(hanging, { kind: 'hangs' }),
    ...many(5, { kind: 'refuses' }),
  ];
  const load = { seed: 1, inFlight: 50, perSecond: 4, clump: 8, forMs: 40_000 };

  it('are not slower to the healthy for those that hang and refuse, from the first of them on', async () => {
    const without = await simulateLanes({ ...load, behaviours: many(60, healthy) });
    // Twice as many sends that hang as there are places, if every lane took what it may.
    const beside = await simulateLanes({ ...load, behaviours: withSick(10) });
    expect(healthyP99(beside)).toBeLessThanOrEqual(1.2 * healthyP99(without));
  });

  it('that are sick hold half of all places at the most', async () => {
    const result = await simulateLanes({ ...load, behaviours: withSick(25) });
    expect(result.sickInFlight).toBeLessThanOrEqual(25);
    expect(result.sickInFlight).toBeGreaterThan(0);
  });

  it('would hold more if nothing were found out about them', async () => {
    const result = await simulateLanes({ ...load, behaviours: withSick(25), mutant: { careless: true } });
    expect(result.sickInFlight).toBeGreaterThan(25);
  });

  const sendsToDown = async (forMs: number, mutant: Mutant = {}): Promise<number[]> => {
    const behaviours = [...many(5, healthy), ...many(5, { kind: 'refuses' })];
    const result = await simulateLanes({ ...load, behaviours, forMs, mutant });
    return ofKind(result, 'refuses').map(({ sends }) => sends);
  };

  it('cost an endpoint that is down a probe now and then, not a request for each delivery', async () => {
    // 960 are for each. Deliveries of the half minute before the breaker opened were tried, some again; then 1, 2, 4, … seconds between
    // probes.
    for (const sends of await sendsToDown(240_000)) expect(sends).toBeLessThan(400);
  });

  it('would cost it more than one for each, if nothing were found out', async () => {
    for (const sends of await sendsToDown(60_000, { careless: true })) expect(sends).toBeGreaterThan(240);
  });

  it('come back, every one, with all that has waited, though twice as many others hang on', async () => {
    const recovering = many(10, { kind: 'recovers', from: 'hangs', atMs: 30_000 });
    const result = await simulateLanes({
      seed: 3,
      inFlight: 20,
      perSecond: 0.5,
      clump: 1,
      forMs: 180_000,
      behaviours: [...recovering, ...many(20, { kind: 'hangs' })],
    });
    for (const { latenciesMs, open } of ofKind(result, 'recovers')) {
      expect(latenciesMs.length).toBeGreaterThan(60);
      // Deliveries that came a moment before the end.
      expect(open).toBeLessThan(10);
    }
    for (const { sends } of ofKind(result, 'hangs')) expect(sends).toBeGreaterThan(3);
  });
});
