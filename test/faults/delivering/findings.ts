import { describeFound } from '../support/describe-found.ts';

/** The findings of these runs' judges beside the checker's, a sentence each. */
const findings = {
  'repeat-elsewhere': 'sent again after it was taken, though its partition had not changed hands',
  'repeat-by-the-same': 'sent again by the process that knew it as delivered',
  'repeat-of-the-known': 'sent again by a new owner, though the tables had known for long that it had ended',
  'repeat-by-nobody': 'sent again after it was taken; nobody who lived on says so, and nobody was killed',
  'dead-letter-twice': 'two dead letters of one delivery without a kill or a lost partition between them',
  'dead-letters-in-the-table': 'the table of dead letters does not have one row for each dead-lettered delivery',
  'wrong-end': 'ended in a way that its endpoint gives no reason for',
  'sent-after-gone': 'sent to an endpoint that had answered 410 and was disabled',
  'not-disabled': 'an endpoint that answered 410 is not disabled',
  'out-of-order': 'arrived before an earlier event of its key had ended',
  'order-undefined': 'events of one key in two partitions',
} as const;

type FindingName = keyof typeof findings;

export interface Finding {
  finding: FindingName;
  says: string;
}

/** Each kind with how many there are, and the first of them. */
export const describeFindings = (found: readonly Finding[]): string[] =>
  describeFound(findings, found, ({ says }) => says);
