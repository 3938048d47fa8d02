import { describeFound } from '../support/describe-found.ts';

/** The findings of these runs, a sentence each. */
const findings = {
  'server-error': 'answered 5xx, and not 503',
  'no-answer': 'a request without an answer',
  'not-a-problem': 'refused in another form than the documented one',
  undocumented: 'refused with a code that the document of its operation does not have',
  'route-untouched': 'a route that got no request',
  'not-refused': 'taken, or refused by another code, where one code alone is right',
  'left-by-refused': 'more rows or records than requests that were answered 2xx',
  'accepted-but-lost': 'a webhook that was answered 2xx is no event, no duplicate and no dead letter',
  'control-failed': 'a sound request between the others did not get its answer',
  'process-died': 'a process ended, or is not ready',
  'memory-grew': 'a process took more memory than there is reason for',
  'topic-untouched': 'a topic with a reader that got no record',
  'not-drained': 'a group does not come to the end of its topic',
  'vanished-record': 'a record that is neither processed nor a dead letter',
  'second-letter': 'more than one letter of a record from one stage',
  'altered-letter': 'a letter without the key, headers and bytes of its record',
  'unknown-reason': 'a letter with a stage or reason that is not documented',
  'wrong-end': 'a record that ended in another way than the contract says',
  'control-lost': 'a sound record between the others was not processed',
  'control-twice': 'a sound record between the others was processed or counted more than once',
} as const;

type FindingName = keyof typeof findings;

export interface Finding {
  finding: FindingName;
  says: string;
}

export const describeFindings = (found: readonly Finding[]): string[] =>
  describeFound(findings, found, ({ says }) => says);
