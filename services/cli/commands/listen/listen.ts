import { systemClock } from '#lib/clock';
import { isPublicKey } from '#lib/signatures';
import { usageFailure } from '../../command-failure.ts';
import { readScheme, refuseProblems } from '../../options/read-scheme.ts';
import { readWholeNumber } from '../../options/read-values.ts';
import { schemeSettingOptions, type SchemeValues } from '../../options/scheme-options.ts';
import { printLine } from '../../output/print.ts';
import { readAnswerPlan } from './answer-plan.ts';
import { arrivalJson, describeArrival, factsOf } from './arrival-view.ts';
import { createListener } from './listener.ts';
import { createTally, describeSummary } from './tally.ts';
import type { Trust } from './verify-arrival.ts';

interface ListenValues extends SchemeValues {
  port: string | undefined;
  host: string | undefined;
  status: string | undefined;
  fail: string[] | undefined;
  delay: string | undefined;
  count: string | undefined;
  json: boolean;
}

export async function listen(values: ListenValues): Promise<number> {
  const count = readWholeNumber('count', values.count, { min: 1, max: 1e15, otherwise: Infinity });
  const trust = readTrust(values);
  const tally = createTally();
  const print = (facts: object, line: string): void => printLine(facts, values.json, () => line);

  const ended = new AbortController();
  const end = (): void => ended.abort();
  let answered = 0;
  const listener = createListener({
    host: values.host ?? '127.0.0.1',
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

function readTrust(values: SchemeValues): Trust {
  const { secret: secrets = [] } = values;
  if (values.scheme !== undefined) {
    const { scheme, settings } = readScheme(values, 'verify');
    return { secrets, scheme: { name: scheme, settings } };
  }
  const stray = Object.keys(schemeSettingOptions).find((name) => values[name as keyof SchemeValues] !== undefined);
  if (stray !== undefined) throw usageFailure(`--${stray} goes with --scheme`);
  for (const secret of secrets)
    refuseProblems(isPublicKey(secret) ? 'standard-webhooks' : 'hookline', { settings: {}, secret });
  return { secrets };
}
