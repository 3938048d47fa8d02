import { systemClock } from '#lib/clock';
import { isPublicKey } from '#lib/signatures';
import { usageFailure } from '../../command.ts';
import { readOptions, readWholeNumber } from '../../options.ts';
import { printLine } from '../../output.ts';
import { readScheme, refuseProblems, schemeSettingOptions } from '../../scheme-options.ts';
import { readAnswerPlan } from './answer-plan.ts';
import { arrivalJson, describeArrival, factsOf } from './arrival-view.ts';
import { createListener } from './listener.ts';
import { createTally, describeSummary } from './tally.ts';
import type { Trust } from './verify-arrival.ts';

export const help = `usage: hookline listen [options]

A receiver to try things with: prints its URL, then each request as it comes, whether it is signed as it should be, and
what it was answered. Goes on until Ctrl-C, and adds up what has come.

  --port N                 where it listens (default: 0, any that is free)
  --host ADDRESS           0.0.0.0 for all addresses of this machine (default: 127.0.0.1)
  --secret SECRET          the endpoint's, as often as needed; whpk_… for its key pair. What is not signed by one of
                           them is answered 401 (400 where its signature can't be read), with the reason
  --status N               the answer, to whatever comes (default: 200)
  --fail STATUS@SHARE      a share of all requests fails: 500@0.3, timeout@0.1 (never answered), reset@0.1 (the
                           connection); as often as needed
  --delay TIME             before each answer: 200ms, or 1s..3s at random
  --count N                ends after so many requests
  --scheme NAME            signed as this provider does, not as Hookline does; its other options are those of
                           \`hookline verify\`
  --json                   a line of JSON for each request, with its headers and body`;

const options = {
  ...schemeSettingOptions,
  scheme: { type: 'string' },
  secret: { type: 'string', multiple: true },
  port: { type: 'string' },
  host: { type: 'string', default: '127.0.0.1' },
  status: { type: 'string' },
  fail: { type: 'string', multiple: true },
  delay: { type: 'string' },
  count: { type: 'string' },
} as const;

type Values = Parameters<typeof readScheme>[0];

export async function run(args: readonly string[]): Promise<number> {
  const { values } = readOptions(args, options);
  const count = readWholeNumber('count', values.count, { min: 1, max: 1e15, otherwise: Infinity });
  const trust = readTrust(values);
  const tally = createTally();
  const print = (facts: object, line: string): void => printLine(facts, values.json, () => line);

  const ended = new AbortController();
  const end = (): void => ended.abort();
  let answered = 0;
  const listener = createListener({
    host: values.host,
    port: readWholeNumber('port', values.port, { min: 0, max: 65_535, otherwise: 0 }),
    trust,
    plan: readAnswerPlan(values),
    clock: systemClock,
    random: Math.random,
    onArrival(arrival) {
      const facts = factsOf(arrival.headers, trust.scheme?.name);
      const { isRepeat } = tally.add(arrival, facts.webhookId);
      print(arrivalJson(arrival, facts, isRepeat), describeArrival(arrival, facts, isRepeat));
    },
    onAnswered() {
      answered += 1;
      if (answered >= count) end();
    },
    onBrokenOff: () => void process.stderr.write('a sender went away before its body was whole\n'),
  });

  await listener.start();
  process.once('SIGINT', end).once('SIGTERM', end);
  try {
    print({ kind: 'listening', url: listener.url() }, `listening on ${listener.url()}`);
    if (!ended.signal.aborted) await new Promise((resolve) => ended.signal.addEventListener('abort', resolve));
  } finally {
    process.removeListener('SIGINT', end).removeListener('SIGTERM', end);
    await listener.stop();
  }
  const summary = tally.summary();
  print({ kind: 'summary', ...summary }, describeSummary(summary));
  return 0;
}

function readTrust(values: Values): Trust {
  const { secret: secrets = [] } = values;
  if (values.scheme !== undefined) {
    const { scheme, settings } = readScheme(values, 'verify');
    return { secrets, scheme: { name: scheme, settings } };
  }
  const stray = Object.keys(schemeSettingOptions).find((name) => values[name as keyof Values] !== undefined);
  if (stray !== undefined) throw usageFailure(`--${stray} goes with --scheme`);
  for (const secret of secrets)
    refuseProblems(isPublicKey(secret) ? 'standard-webhooks' : 'hookline', { settings: {}, secret });
  return { secrets };
}
