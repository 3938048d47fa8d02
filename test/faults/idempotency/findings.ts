import { describeFound } from '../support/describe-found.ts';
import { explain } from './explain.ts';
import type { History } from './history.ts';

/** The findings of the rules, a sentence each. */
const findings = {
  'unexpected-answer': 'an answer that there is no reason for',
  'lost-connection': 'a connection that ended without an answer, though nothing was done to the process',
  unanswered: 'a key that has no answer in the end',
  'second-fresh-answer': 'carried out twice, by what the answers say',
  'other-answer': 'two answers that say what came of it, and differ',
  'second-effect': 'there is twice what was asked for once',
  'lost-effect': 'answered for, and not there',
  'effect-of-another': 'what is there is not what the answers name',
  'unknown-effect': 'there, and asked for by nobody',
  'dedup-key-astray': 'the rows of dedup_keys are not one, completed, for each event with an identifier',
  'record-astray': 'the records are not one, final, for each key',
  'left-in-outbox': 'a row of the outbox that nobody has worked off',
  'not-published': 'an event that is not on its topic',
  'published-without-effect': 'on the topic, and not in the tables',
  'published-changed': 'on the topic with another payload than its publisher gave',
  'published-twice': 'on the topic twice, and nothing was done to the system since it was taken',
  'out-of-order': 'published before an earlier event of its ordering key',
  'logged-as-error': 'logged as what someone must act on',
} as const;

type FindingName = keyof typeof findings;

export interface Finding {
  finding: FindingName;
  says: string;
  /** The intent concerned; its history is printed. */
  intent?: number;
}

/** Each kind with how many there are, and the first of them with all that is known of their keys. */
export const describeFindings = (found: readonly Finding[], history: History): string[] =>
  describeFound(findings, found, ({ says, intent }) =>
    [says, ...(intent === undefined ? [] : explain(history, intent))].join('\n'),
  );
