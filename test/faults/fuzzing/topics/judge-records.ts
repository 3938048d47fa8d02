import { type DeadLetterStage, header, type TopicName } from '#lib/contract';
import type { Stack } from '../../../support/stack.ts';
import type { Finding } from '../findings.ts';
import { type Evidence, type Letter, positionOf, textOf } from './evidence.ts';
import { markHeader, type SentRecord } from './forged-record.ts';
import type { Reasons } from './documented-reasons.ts';
import type { TopicReader } from './readers.ts';

export interface TopicTally {
  /** By what is wrong with them. */
  kinds: Record<string, number>;
  /** `stage reason` */
  letters: Record<string, number>;
  processed: number;
  controls: number;
}

interface Judged {
  findings: Finding[];
  tally: ReadonlyMap<TopicName, TopicTally>;
}

interface Options {
  stack: Stack;
  records: readonly SentRecord[];
  readers: readonly TopicReader[];
  evidence: Evidence;
  reasons: Reasons;
  /**
   * `topic-partition-offset` of dead letters of which the projector has logged that it can't project them: nobody writes a dead letter
   * about a dead letter.
   */
  unprojected: ReadonlySet<string>;
  /** At least once: a stage whose group has rebalanced does again what it had not committed. */
  mayRepeat(stage: DeadLetterStage): boolean;
}

export async function judgeRecords(options: Options): Promise<Judged> {
  const { stack, records, readers, evidence, reasons, unprojected, mayRepeat } = options;
  const findings: Finding[] = [];
  const tally = new Map<TopicName, TopicTally>();
  for (const record of records) {
    const { topic, kind } = record;
    const ofTopic = tally.get(topic) ?? { kinds: {}, letters: {}, processed: 0, controls: 0 };
    tally.set(topic, ofTopic);
    count(kind === 'control' ? {} : ofTopic.kinds, kind);
    if (kind === 'control') ofTopic.controls += 1;
    for (const { stage } of readers.filter((reader) => reader.topic === topic)) {
      const letters = evidence.deadLettersOf(record, stage);
      const isUnprojected = unprojected.has(positionOf(stack, record));
      const processed = await evidence.timesProcessed(record, stage);
      for (const { reason } of letters) count(ofTopic.letters, `${stage} ${reason}`);
      if (isUnprojected) count(ofTopic.letters, `${stage} logged`);
      if (processed > 0) ofTopic.processed += 1;
      const place = `${positionOf(stack, record)} at ${stage}: ${kind}; ${letters.length} letters, processed ${processed} times`;
      const find = (finding: Finding['finding'], more = ''): void =>
        void findings.push({ finding, says: `${place}${more}` });

      const isDead = letters.length > 0 || isUnprojected;
      if (letters.length > 1 && !mayRepeat(stage)) find('second-letter');
      for (const letter of letters) {
        if (!reasons.has(letter.stage, letter.reason)) find('unknown-reason', `: ${letter.stage} ${letter.reason}`);
        const difference = differenceOf(record, letter);
        if (difference !== undefined) find('altered-letter', `: ${difference}`);
      }
      if (kind === 'control') {
        if (isDead || processed === 0) find('control-lost');
        else if (processed > 1 && !mayRepeat(stage)) find('control-twice');
      } else if (record.ending === 'passed') {
        if (isDead || processed > 0) find('wrong-end', ', and is for another');
      } else if (!isDead && processed === 0) find('vanished-record');
      else if (record.ending === 'letter' && !isDead) find('wrong-end', ', and should be a dead letter');
      else if (record.ending === 'processed' && isDead) find('wrong-end', `, and is sound: ${letters[0]?.reason}`);
    }
  }
  return { findings, tally };
}

/** In words; undefined where the dead letter has what died as it was. */
function differenceOf(record: SentRecord, { record: letter }: Letter): string | undefined {
  const value = record.value ?? Buffer.alloc(0);
  if (!letter.value.equals(value)) return `${letter.value.length} bytes instead of ${value.length}`;
  const isRemade = letter.headers[markHeader] === undefined;
  if (isRemade) {
    const names = [header.tenant, header.deliveryId, header.eventId, header.endpointId, header.generation];
    const other = names.find((name) => (letter.headers[name] ?? '') !== textOf(record, name));
    return other === undefined ? undefined : `header ${other}`;
  }
  if (!(letter.key ?? Buffer.from('\0null')).equals(record.key ?? Buffer.from('\0null'))) return 'key';
  const other = Object.entries(record.headers).find(([name, values]) => {
    const kept = Object.hasOwn(letter.rawHeaders, name) ? [letter.rawHeaders[name] ?? []].flat() : [];
    const sent = [values].flat();
    return kept.length !== sent.length || !sent.every((each, index) => kept[index]?.equals(each));
  });
  return other === undefined ? undefined : `header ${JSON.stringify(other[0]).slice(0, 80)}`;
}

const count = (counts: Record<string, number>, name: string): void => void (counts[name] = (counts[name] ?? 0) + 1);
