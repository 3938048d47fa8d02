/** The cases of a route: each has a name, which with the seed makes it again. */
import { seededRandom, seedOf, shuffled } from '../../../support/seeded-random.ts';
import { type Draw, drawFor } from '../draw.ts';
import type { Kind } from './kinds/kind.ts';
import { bytesOf } from './raw-request.ts';
import type { FuzzedRoute } from './routes.ts';
import type { SoundRequest } from './sound-request.ts';

export interface CaseOptions {
  seed: number;
  /** For each route of the API. */
  requests: number;
  /** No other case is sent. */
  onlyCase: string | undefined;
}

interface Plan {
  /** `api GET /v1/events, query: NUL #7` */
  caseName: string;
  kind: Kind;
}

export interface Case extends Plan {
  bytes: Buffer;
  isHead: boolean;
}

/** All the world may come to a route of the ingress; all services share the code of those for operators. */
const sharesOf = { ingress: 8, api: 1, admin: 1 / 4 };
/** Between so many broken ones, a sound one. */
const soundEvery = 12;
const asIs: Kind = { kind: 'sound', break: (request) => request };

/** The cases that are wanted. */
export function planOf(route: FuzzedRoute, kinds: readonly Kind[], { seed, requests, onlyCase }: CaseOptions): Plan[] {
  // In an order of the route's own, so that a small run has all kinds, though not each on every route.
  const inTurn = shuffled(kinds, seededRandom(seedOf(seed, route.name))).flatMap((kind, index) =>
    index % soundEvery === 0 ? [asIs, kind] : [kind],
  );
  const all = Array.from({ length: Math.ceil(requests * sharesOf[route.service]) }, (_, index) => {
    const kind = inTurn[index % inTurn.length] ?? asIs;
    return { kind, caseName: `${route.name}, ${kind.kind} #${index}` };
  });
  return all.filter(({ caseName }) => onlyCase === undefined || caseName === onlyCase);
}

/** All are made before the first is sent: what they are depends on the seed alone, not on who is answered first. */
export function makeCases(planned: readonly Plan[], seed: number, soundOf: (draw: Draw) => SoundRequest): Case[] {
  return planned.map(({ kind, caseName }) => {
    const draw = drawFor(seed, caseName);
    const sound = soundOf(draw);
    const made = kind.break(sound, draw);
    if (Buffer.isBuffer(made)) return { kind, caseName, bytes: made, isHead: sound.method === 'HEAD' };
    return { kind, caseName, bytes: bytesOf(made), isHead: made.method === 'HEAD' };
  });
}
