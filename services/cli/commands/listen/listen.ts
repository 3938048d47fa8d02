import { isPublicKey } from '#lib/signatures';
import { usageFailure } from '../../command-failure.ts';
import type { Context } from '../../context.ts';
import { readScheme, refuseProblems } from '../../options/read-scheme.ts';
import { readWholeNumber } from '../../options/read-values.ts';
import { schemeSettingOptions, type SchemeValues } from '../../options/scheme-options.ts';
import { printable, printLine } from '../../output/print.ts';
import type { Screen } from '../../output/screen.ts';
import type { Values } from '../../verb.ts';
import { describeBeginning } from '../endpoints/describe-beginning.ts';
import { readAnswerPlan } from './answer-plan.ts';
import { arrivalJson, describeArrival, factsOf } from './arrival-view.ts';
import { forwardTo, type Forwarded } from './forward.ts';
import { createListener } from './listener.ts';
import { readTarget, readTypes } from './read-target.ts';
import { createTally, describeSummary } from './tally.ts';
import { type Made, withTemporaryEndpoint } from './temporary-endpoint.ts';
import type { listenOptions } from './verb.ts';
import type { Trust } from './verify-arrival.ts';

type ListenValues = Values<typeof listenOptions>;

export async function listen(values: ListenValues, context: Context): Promise<number> {
  const { process, clock, random, screen } = context;
  const { json, tenant, 'public-url': publicUrl } = values;
  const count = readWholeNumber('count', values.count, { min: 1, max: 1e15, otherwise: Infinity });
  const target = readTarget(values.forward);
  const isAlone = isReceiverAlone(values);
  refuseStray(values, { isAlone });
  const given = readTrust(values);
  let trust = given;
  const tally = createTally();
  const print = (facts: object, line: string): void => printLine(context, facts, json, () => line);

  const ended = new AbortController();
  const end = (): void => ended.abort();
  let answered = 0;
  const listener = createListener({
    host: values.host ?? '127.0.0.1',
    port: readWholeNumber('port', values.port, { min: 0, max: 65_535, otherwise: 0 }),
    trust: () => trust,
    plan: readAnswerPlan(values),
    forward: target === undefined ? undefined : (request) => forward(target, request, context),
    clock,
    random,
    onArrival(arrival) {
      const facts = factsOf(arrival.headers, trust.scheme?.name);
      const { isRepeat } = tally.add(arrival, facts.webhookId);
      print(arrivalJson(arrival, facts, isRepeat), describeArrival(arrival, facts, isRepeat, screen));
    },
    onAnswered() {
      answered += 1;
      if (answered >= count) end();
    },
    onBrokenOff: () => void process.stderr.write('a sender disconnected before its body was complete\n'),
  });

  const untilEnded = (signal: AbortSignal): Promise<unknown> =>
    signal.aborted ? Promise.resolve() : new Promise((resolve) => signal.addEventListener('abort', resolve));
  const announce = (made?: Made): void => {
    const forwarding = target === undefined ? {} : { forward: target };
    const facts = made && { endpoint_id: made.id, secret: made.secret, expires_at: made.expires_at };
    print(
      { kind: 'listening', url: listener.url(), ...facts, ...forwarding },
      describeListening(listener.url(), made, target, screen),
    );
  };

  await listener.start();
  process.once('SIGINT', end).once('SIGTERM', end);
  try {
    if (isAlone) {
      announce();
      await untilEnded(ended.signal);
    } else {
      const url = publicUrl ?? listener.url();
      const [secret] = given.secrets;
      await withTemporaryEndpoint(
        context,
        { url, types: readTypes(values.types), secret },
        {
          tenant,
          async use(made, lost) {
            trust = { secrets: [made.secret] };
            announce(made);
            await untilEnded(AbortSignal.any([ended.signal, lost]));
          },
        },
      );
    }
  } finally {
    process.removeListener('SIGINT', end).removeListener('SIGTERM', end);
    await listener.stop();
  }
  const summary = tally.summary();
  print({ kind: 'summary', ...summary }, describeSummary(summary));
  return 0;
}

/** The target's status; 502 where it does not answer, so that the delivery is tried again. */
async function forward(target: string, request: Forwarded, { process }: Context): Promise<number> {
  const result = await forwardTo(target, request);
  if ('status' in result) return result.status;
  process.stderr.write(`${printable(`${target} does not answer: ${result.noAnswer}`)}; answered 502 in its place\n`);
  return 502;
}

const ofReceiver = ['port', 'secret', 'scheme'] as const;

/** As it was before there were temporary endpoints: for endpoints of one's own, and for senders. */
const isReceiverAlone = (values: ListenValues): boolean =>
  values['public-url'] === undefined && ofReceiver.some((name) => values[name] !== undefined);

function refuseStray(values: ListenValues, { isAlone }: { isAlone: boolean }): void {
  if (values.since !== undefined) throw usageFailure('--since goes with --poll');
  if (values.forward !== undefined && (values.status !== undefined || values.fail !== undefined))
    throw usageFailure('--forward answers with the status of its URL: it excludes --status and --fail');
  if (isAlone && values.types !== undefined)
    throw usageFailure('--types is for the temporary endpoint, and there is none with --port, --secret or --scheme');
  if (!isAlone && (values.secret?.length ?? 0) > 1) throw usageFailure('an endpoint is made with one --secret');
  if (!isAlone && values.scheme !== undefined) throw usageFailure('--public-url excludes --scheme');
}

function describeListening(url: string, made: Made | undefined, target: string | undefined, screen: Screen): string {
  const forwarding = target === undefined ? '' : `, forwarding to ${target}`;
  if (made === undefined) return `listening on ${url}${forwarding}`;
  return [
    `listening on ${url} as the temporary endpoint ${made.id}${forwarding}`,
    `its secret is ${made.secret}`,
    describeBeginning(made, screen),
  ].join('\n');
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
