import { keyHashOf } from '../explain.ts';
import type { Finding } from '../findings.ts';
import { type Call, type History, type Intent, isSettled } from '../history.ts';

/** Checks the effects: one event or endpoint for each key that was answered 2xx, which the answer names, and one record for every key. */
export function judgeEffects(history: History): Finding[] {
  const { intents, calls, rows } = history;
  const callsOf = Map.groupBy(calls, ({ intent }) => intent);
  const effects: Effect[] = [...rows.events, ...rows.endpoints];
  const effectsOf = Map.groupBy(effects, ({ mark }) => mark);
  const asked = new Set(intents.map(({ mark }) => mark));
  return [
    ...intents.flatMap((intent) =>
      judgeIntent(intent, callsOf.get(intent.number) ?? [], effectsOf.get(intent.mark) ?? []),
    ),
    ...effects
      .filter(({ mark }) => !asked.has(mark))
      .map(({ id, mark }): Finding => ({ finding: 'unknown-effect', says: `${id}: ${mark}` })),
    ...judgeDedupKeys(history),
    ...judgeRecords(history),
  ];
}

interface Effect {
  tenant: string;
  id: string;
  mark: string;
}

function judgeIntent(intent: Intent, calls: readonly Call[], effects: readonly Effect[]): Finding[] {
  const at = { intent: intent.number };
  const due = intent.status === 400 ? 0 : 1;
  const ids = effects.map(({ id }) => id).join(' and ');
  if (effects.length > due) return [{ ...at, finding: 'second-effect', says: `${ids}, where ${due} is due` }];
  const isAnswered = calls.some((call) => !call.altered && isSettled(call));
  if (effects.length < due) return isAnswered ? [{ ...at, finding: 'lost-effect', says: 'nothing is there' }] : [];
  const named = new Set(calls.flatMap(({ id }) => (id === null ? [] : [id])));
  const isNamed = effects.every(({ id, tenant }) => tenant === intent.tenant && [...named].every((one) => one === id));
  return isNamed ? [] : [{ ...at, finding: 'effect-of-another', says: `${ids}, and not ${[...named].join(' and ')}` }];
}

/** One for each event with an identifier; its time runs once the event is on its topic. */
function judgeDedupKeys({ intents, rows }: History): Finding[] {
  const identified = new Map(
    intents.flatMap(({ eventId, mark, number }) => (eventId === null ? [] : [[mark, number]])),
  );
  const rowsOf = Map.groupBy(rows.dedupKeys, ({ tenant, eventId }) => `${tenant}/${eventId}`);
  const events = rows.events.filter(({ mark }) => identified.has(mark));
  const astray = events.flatMap(({ tenant, id, mark }): Finding[] => {
    const own = rowsOf.get(`${tenant}/${id}`) ?? [];
    const says = `${id} has ${own.length} rows, ${own.filter(({ isCompleted }) => isCompleted).length} completed`;
    const isOne = own.length === 1 && own.every(({ isCompleted }) => isCompleted);
    return isOne ? [] : [{ finding: 'dedup-key-astray', says, intent: identified.get(mark) }];
  });
  const surplus = rows.dedupKeys.length - events.length;
  return surplus > 0 ? [...astray, { finding: 'dedup-key-astray', says: `${surplus} rows of no such event` }] : astray;
}

function judgeRecords({ intents, rows }: History): Finding[] {
  const identity = (tenant: string, keyHash: string): string => `${tenant}/${keyHash}`;
  const finals = new Set(
    rows.records.filter(({ isFinal }) => isFinal).map(({ tenant, keyHash }) => identity(tenant, keyHash)),
  );
  const missing = intents
    .filter(({ tenant, key }) => !finals.has(identity(tenant, keyHashOf(key))))
    .map(({ number }): Finding => ({ finding: 'record-astray', says: 'no final record', intent: number }));
  const surplus = rows.records.length - intents.length;
  return surplus > 0 ? [...missing, { finding: 'record-astray', says: `${surplus} records of no key` }] : missing;
}
