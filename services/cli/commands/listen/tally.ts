import type { Arrival } from './listener.ts';

export interface Summary {
  received: number;
  verified: number;
  not_verified: number;
  /** By status; `timeout` and `reset` count requests without an answer. */
  answered: Readonly<Record<string, number>>;
  repeats: number;
}

export interface Tally {
  /** Whether a request of this webhook was received before. */
  add(arrival: Pick<Arrival, 'verdict' | 'answer'>, webhookId: string | undefined): { isRepeat: boolean };
  summary(): Summary;
}

/** Ids are some 30 characters: 10 MB. */
const maxKnownIds = 100_000;

export function createTally(): Tally {
  const known = new Set<string>();
  const answered = new Map<string, number>();
  let received = 0;
  let verified = 0;
  let unverified = 0;
  let repeats = 0;

  const remember = (id: string): void => {
    known.add(id);
    const [oldest] = known;
    if (known.size > maxKnownIds && oldest !== undefined) known.delete(oldest);
  };

  return {
    add({ verdict, answer }, webhookId) {
      const isRepeat = webhookId !== undefined && known.has(webhookId);
      if (webhookId !== undefined) remember(webhookId);
      received += 1;
      verified += Number(verdict === 'verified');
      unverified += Number(verdict !== 'verified' && verdict !== 'no secret given');
      repeats += Number(isRepeat);
      answered.set(String(answer), (answered.get(String(answer)) ?? 0) + 1);
      return { isRepeat };
    },
    summary: () => ({
      received,
      verified,
      not_verified: unverified,
      answered: Object.fromEntries(answered),
      repeats,
    }),
  };
}

/** `3 received; 2 verified; 1 not verified; 1 repeated; answered 2 × 200, 1 × 401` */
export function describeSummary({ received, verified, not_verified, answered, repeats }: Summary): string {
  const answers = Object.entries(answered).map(([answer, count]) => `${count} × ${answer}`);
  return [
    `${received} received`,
    `${verified} verified`,
    `${not_verified} not verified`,
    `${repeats} repeated`,
    ...(answers.length === 0 ? [] : [`answered ${answers.join(', ')}`]),
  ].join('; ');
}
