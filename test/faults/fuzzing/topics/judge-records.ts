import { type DeadLetterStage, header, type TopicName } from '#lib/contract';
import type { Stack } from '../../../support/stack.ts';
import type { Finding } from '../findings.ts';
import { documentedReasons } from './documented-reasons.ts';
import type { DeadLetter, Evidence } from './evidence.ts';
import { type Ending, markHeader, positionOf, type SentRecord, textOf } from './forged-record.ts';
import type { TopicReader } from './readers.ts';

export interface TopicTally {
  /** How many records of each kind were written; `control`: sound ones. */
  kinds: Record<string, number>;
  /** `stage reason` */
  letters: Record<string, number>;
  processed: number;
}

interface Options {
  stack: Stack;
  records: readonly SentRecord[];
  readers: readonly TopicReader[];
  evidence: Evidence;
  /** `topic-partition-offset` of dead letters that the projector has logged: nobody writes a dead letter about a dead letter. */
  unprojected: ReadonlySet<string>;
  /** At least once: a stage whose group has rebalanced does again what it had not committed. */
  mayRepeat(stage: DeadLetterStage): boolean;
}

export async function judgeRecords({ stack, records, readers, evidence, unprojected, mayRepeat }: Options) {
  const reasons = documentedReasons();
  const findings: Finding[] = [];
  const tally = new Map<TopicName, TopicTally>();
  for (const record of records) {
    const { topic, kind, ending } = record;
    const ofTopic = tally.get(topic) ?? { kinds: {}, letters: {}, processed: 0 };
    tally.set(topic, ofTopic);
    count(ofTopic.kinds, kind);
    for (const { stage } of readers.filter((reader) => reader.topic === topic)) {
      const letters = evidence.deadLettersOf(record, stage);
      const isLogged = unprojected.has(positionOf(stack, record));
      const processed = await evidence.timesProcessed(record, stage);
      for (const { reason } of letters) count(ofTopic.letters, `${stage} ${reason}`);
      if (isLogged) count(ofTopic.letters, `${stage} logged`);
      if (processed > 0) ofTopic.processed += 1;

      const place = `${record.caseName}, ${positionOf(stack, record)} at ${stage}`;
      const find = (finding: Finding['finding'], more: string): void =>
        void findings.push({
          finding,
          says: `${place}: ${letters.length} letters, processed ${processed} times${more}`,
        });
      for (const letter of letters) {
        if (!reasons.has(letter.stage, letter.reason)) find('unknown-reason', `, ${letter.reason}`);
        const difference = differenceOf(record, letter);
        if (difference !== undefined) find('altered-letter', `, ${difference}`);
      }
      if (letters.length > 1 && !mayRepeat(stage)) find('second-letter', '');
      const isDead = letters.length > 0 || isLogged;
      const isTwice = processed > 1 && !mayRepeat(stage);
      const wrong = kind === 'control' ? wrongControl(isDead, processed, isTwice) : wrongEnd(ending, isDead, processed);
      if (wrong !== undefined) find(wrong, `, ends as ${ending}`);
    }
  }
  return { findings, tally };
}

function wrongControl(isDead: boolean, processed: number, isTwice: boolean): Finding['finding'] | undefined {
  if (isDead || processed === 0) return 'control-lost';
  return isTwice ? 'control-twice' : undefined;
}

function wrongEnd(ending: Ending, isDead: boolean, processed: number): Finding['finding'] | undefined {
  if (ending === 'passed') return isDead || processed > 0 ? 'wrong-end' : undefined;
  if (!isDead && processed === 0) return 'vanished-record';
  return ending === 'either' || isDead === (ending === 'letter') ? undefined : 'wrong-end';
}

/** In words; undefined where the dead letter has what died as it was. */
function differenceOf(record: SentRecord, { record: letter }: DeadLetter): string | undefined {
  const value = record.value ?? Buffer.alloc(0);
  if (!letter.value.equals(value)) return `${letter.value.length} bytes instead of ${value.length}`;
  const isRemade = letter.headers[markHeader] === undefined;
  if (isRemade) {
    const names = [header.tenant, header.deliveryId, header.eventId, header.endpointId, header.generation];
    const other = names.find((name) => (letter.headers[name] ?? '') !== textOf(record, name));
    return other === undefined ? undefined : `header ${other}`;
  }
  if (letter.key === null ? record.key !== null : !record.key?.equals(letter.key)) return 'key';
  const valuesIn = (headers: SentRecord['headers'], name: string) =>
    Object.hasOwn(headers, name)
      ? [headers[name] ?? []]
          .flat()
          .map((each) => each.toString('hex'))
          .join()
      : undefined;
  const names = Object.keys(record.headers);
  const other = names.find((name) => valuesIn(record.headers, name) !== valuesIn(letter.rawHeaders, name));
  return other === undefined ? undefined : `header ${JSON.stringify(other).slice(0, 80)}`;
}

const count = (counts: Record<string, number>, name: string): void => void (counts[name] = (counts[name] ?? 0) + 1);
