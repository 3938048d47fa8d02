/** The endpoints of a run: mostly well, the others so that retries, open breakers, parked deliveries and dead letters come all the time. */
import { hash } from 'node:crypto';
import type { EndpointSettings } from '#lib/contract';
import type { Reaction } from '../../support/receiver.ts';

export interface SoakEndpoint {
  name: string;
  what: string;
  /** Gets the events of every source, or of so many of them. */
  sources: 'all' | number;
  settings: EndpointSettings;
  react(asked: Asked): Reaction;
}

interface Asked {
  eventId: string;
  nowMs: number;
  random: () => number;
}

const well: Reaction = { status: 200 };
const retry = { base_seconds: 0.5, cap_seconds: 5, window_seconds: 3_600 };
const settings: EndpointSettings = { timeout_ms: 10_000, retry };
const [downForMs, everyMs] = [15_000, 120_000];

/** Every event goes there: by its arrivals it is measured how long events take. */
export const measuredEndpoint = 'well';

export const soakEndpoints: readonly SoakEndpoint[] = [
  { name: measuredEndpoint, what: 'answers 200 at once', sources: 'all', settings, react: () => well },
  { name: 'well-too', what: 'the same', sources: 2, settings, react: () => well },
  {
    name: 'slow',
    what: 'answers after 200 to 600 ms',
    sources: 1,
    settings,
    react: ({ random }) => ({ status: 200, delayMs: 200 + 400 * random() }),
  },
  {
    name: 'fails',
    what: 'answers 500 to every tenth request',
    sources: 1,
    settings,
    react: ({ random }) => (random() < 0.1 ? { status: 500 } : well),
  },
  {
    name: 'hangs',
    what: 'answers every 200th request never, within 1.5 s the others',
    sources: 1,
    settings: { timeout_ms: 1_500, retry },
    react: ({ random }) => (random() < 0.005 ? 'hang' : well),
  },
  {
    name: 'down',
    what: 'resets every connection for 15 s of each two minutes',
    sources: 1,
    settings,
    react: ({ nowMs }) => (nowMs % everyMs < downForMs ? 'reset' : well),
  },
  {
    name: 'refuses',
    what: 'answers 422 to one event of eight, which dies of it at the second attempt',
    sources: 1,
    settings: { timeout_ms: 10_000, retry: { base_seconds: 0.2, cap_seconds: 0.5, max_attempts: 2 } },
    react: ({ eventId }) => (Number.parseInt(hash('sha256', eventId).slice(0, 2), 16) < 32 ? { status: 422 } : well),
  },
];
