import { apiVerb } from '../../api-calls/api-verb.ts';
import { pathOf } from '../../api-calls/path-of.ts';
import { futureTimeForms, readFutureTime } from '../../options/read-future-time.ts';
import { omitAbsent } from '../../options/read-values.ts';
import { describe } from '../../output/print.ts';
import { shownTime } from '../../output/shown-time.ts';
import { text } from '../../verb.ts';

const resources = 'endpoints';

interface Paused {
  id: string;
  paused_until: string | null;
}

/** Nested objects as lines of their own: `latency.p95_ms`. */
const flat = (thing: object, prefix = ''): [string, unknown][] =>
  Object.entries(thing).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null
      ? flat(value, `${prefix}${name}.`)
      : [[`${prefix}${name}`, value ?? '-'] as [string, unknown]],
  );

export const pauseVerbs = {
  health: apiVerb({
    summary: 'Show how an endpoint does, and what waits for it',
    description:
      'Shows the circuit breaker of an endpoint, its success and latency, what waits and until when, and its last success and failure. A dash is what is not known.',
    resources,
    argument: 'id',
    call: (api, _values, { id }) => api.ask<object>('GET', pathOf('endpoints', id, 'health')),
    show: (health, screen) => describe(Object.fromEntries(flat(health)), screen),
  }),
  pause: apiVerb({
    summary: 'Pause an endpoint; its deliveries wait',
    description:
      'Pauses an endpoint: its deliveries wait, and their deadlines move by the time of the pause. It ends after 72 hours unless --until says otherwise, and lasts 14 days at most. Pausing again moves its end.',
    resources,
    argument: 'id',
    options: { until: text('TIME', futureTimeForms) },
    call: (api, { until }, { id }, { clock }) => {
      const body = omitAbsent({ until: readFutureTime('until', until, clock.nowMs()) });
      return api.ask<Paused>('POST', pathOf('endpoints', id, 'pause'), { body });
    },
    show: ({ id, paused_until: until }, screen) => `${id} is paused until ${String(shownTime(until, screen))}`,
  }),
  probe: apiVerb({
    summary: 'Probe an endpoint whose circuit breaker is open now',
    description:
      'Has the delivery that has waited longest sent within seconds, whenever the next probe is due. If it goes well, the others follow slowly.',
    resources,
    argument: 'id',
    call: (api, _values, { id }) => api.ask<Paused>('POST', pathOf('endpoints', id, 'probe')),
    show: ({ id }) => `${id} is probed: \`hookline endpoints health ${id}\` shows how that went`,
  }),
  resume: apiVerb({
    summary: 'Resume a paused endpoint',
    description: 'Ends the pause of an endpoint: its deliveries are sent, oldest first, at its own rate.',
    resources,
    argument: 'id',
    call: (api, _values, { id }) => api.ask<Paused>('POST', pathOf('endpoints', id, 'resume')),
    show: ({ id }) => `${id} is not paused`,
  }),
};
