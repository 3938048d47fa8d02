import { type Attempt, describeOutcome } from '../../attempt-view.ts';
import { connect, pathOf, tenantHelp, tenantOption } from '../../connect.ts';
import { omitAbsent, readOptions } from '../../options.ts';
import { describe, print } from '../../output.ts';
import { readJson, readTextFile } from '../../read-text-file.ts';

export const help = `usage: hookline endpoints test <id>

Sends the endpoint an event of its own, signed as every delivery is, and tells what came of it. Exits 0 where it was
delivered, else 1.

  --type NAME                  the event's type
  --payload-file FILE          its payload: any JSON
${tenantHelp('endpoints')}`;

const options = { ...tenantOption, type: { type: 'string' }, 'payload-file': { type: 'string' } } as const;

interface Answer {
  event_id: string;
  delivery_id: string | null;
  /** Null, as the delivery's id may be: not sent in the time that the API waits for it. */
  attempt: Attempt | null;
}

export async function run(args: readonly string[]): Promise<number> {
  const { values, given } = readOptions(args, options, ['id']);
  const file = values['payload-file'];
  const body = {
    ...omitAbsent({ type: values.type }),
    ...(file !== undefined && { payload: readJson('payload-file', readTextFile('payload-file', file)) }),
  };
  const path = `${pathOf('endpoints', given.id)}/test`;
  const answer = await connect(values.tenant).ask<Answer>('POST', path, { body });
  print(answer, values.json, describeTest);
  return answer.attempt?.outcome === 'delivered' ? 0 : 1;
}

function describeTest({ event_id: event, delivery_id: delivery, attempt }: Answer): string {
  const ids = omitAbsent({ event, delivery: delivery ?? undefined });
  if (attempt === null) {
    const command = delivery === null ? `events deliveries ${event}` : `deliveries attempts ${delivery}`;
    return describe({ outcome: `not sent yet: \`hookline ${command}\` will tell what came of it`, ...ids });
  }
  const { at, response_excerpt: answer } = attempt;
  return describe({
    outcome: describeOutcome(attempt),
    at,
    ...ids,
    ...(answer !== null && answer !== '' && { answer }),
  });
}
