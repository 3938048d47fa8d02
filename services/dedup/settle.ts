/**
 * Takes received records to their outcomes, so that every one is durable before its record is done: an event, a duplicate, or nothing
 * because it had been an event before. libs/dedup-store says who is the first of a key; this is what happens around it, for a batch.
 *
 *   collapse ─► recall ─► decide ─► validate ─► publish ─► [ complete ─► done ]
 *                 Redis     table    schemas    Kafka       table, for many batches: completions.ts
 *
 * Records of one key form a group: its first record is decided, the others follow it as duplicates of the key's holder. A record that fails
 * on its data is left open with its followers; so nothing counts as a duplicate of a record that became no event.
 */
import type { Tags } from '#lib/contract';
import { type Candidate, type DedupStore, holderOf, isChanged, type Verdict } from '#lib/dedup-store';
import { createStepBudget, type StepBudget } from '#lib/fan-out';
import { AppError, type CrashPoints, isAppError, type Logger } from '#lib/runtime';
import { attribute, traceIdOf } from '#lib/telemetry';
import type { Completions } from './completions.ts';
import type { Decide } from './decide.ts';
import { collapse, type Group, shareOut } from './group.ts';
import type { Item } from './item.ts';
import type { DedupMetrics, Outcome } from './metrics.ts';
import type { Publisher } from './publisher.ts';
import type { SchemaTags } from './schema-tags.ts';

export interface Culprit {
  item: Item;
  /** Later records of the same key: they are decided again when the culprit has ended. */
  followers: Item[];
  error: AppError;
  /** A receiver may have the event under its id, so the key must keep that id: it is never released. */
  mayBeDelivered: boolean;
}

interface Unsettled {
  culprits: Culprit[];
  /** Records of tenants that are to be waited for, because a row of theirs is locked. Their order is kept. */
  locked: Item[];
}

/**
 * Resolves when every other record has its outcome: it is done once that is durable, and its row completed.
 *
 * @throws AppError stopped when the signal aborts
 */
export type Settle = (items: readonly Item[], signal: AbortSignal) => Promise<Unsettled>;

interface Deps {
  store: Pick<DedupStore, 'recall'>;
  decide: Decide;
  completions: Pick<Completions, 'has' | 'add'>;
  publisher: Pick<Publisher, 'event' | 'duplicate'>;
  schemaTags: SchemaTags;
  crashPoints: CrashPoints;
  metrics: DedupMetrics;
  log: Logger;
}

interface Settled extends Unsettled {
  /** Items to decide in another round, see group.ts. */
  open: Item[];
}

export function createSettle(deps: Deps): Settle {
  const { store, decide, completions, publisher, schemaTags, crashPoints, metrics, log } = deps;

  const settleOnce = async (groups: readonly Group[], signal: AbortSignal): Promise<Settled> => {
    const { ours = [], others = [] } = Object.groupBy(groups, ({ first }) =>
      completions.has(first.candidate) ? 'ours' : 'others',
    );
    const recalled = await store.recall(others.map(({ first }) => first.candidate));
    crashPoints.reach('dedup.after-claim');

    const { decided, undecidable, locked } = await decide(
      others.filter((_, index) => recalled[index] === undefined),
      signal,
    );
    crashPoints.reach('dedup.after-insert');

    const verdicts: Decided[] = [
      ...ours.map((group) => ({ group, verdict: publishedHere(group.first.candidate), isOurs: true })),
      ...others.flatMap((group, index) => {
        const verdict = recalled[index];
        return verdict === undefined ? [] : [{ group, verdict }];
      }),
      ...decided,
    ];
    const tags = await schemaTags(verdicts.filter(becomesEvent).map(({ group }) => group.first));
    const budget = createStepBudget();
    const published = await all(verdicts.map((one) => publish(one, { tags, budget, signal })));
    crashPoints.reach('dedup.after-publish');

    finish(published);
    return {
      culprits: [
        ...undecidable.map(({ group: { first, followers }, error }) => ({
          item: first,
          followers,
          error,
          mayBeDelivered: false,
        })),
        ...published.flatMap(({ culprits }) => culprits),
      ],
      locked: locked.flatMap(({ first, followers }) => [first, ...followers]),
      open: published.flatMap(({ open }) => open),
    };
  };

  /** Records without a row to complete are done now. */
  const finish = (published: readonly Published[]): void => {
    const ending = published.filter(({ completes, ended }) => !completes && ended.length > 0);
    if (ending.length > 0) crashPoints.reach('dedup.before-commit');
    for (const { ended } of ending) ended.forEach(end);
    for (const { group, completes, ended } of published)
      if (completes)
        completions.add({
          candidate: group.first.candidate,
          records: ended.map(({ item }) => item.record),
          end: () => ended.forEach(end),
        });
  };

  /** Publishes the event before its duplicates: if it can't be written, they are not duplicates. */
  const publish = async (
    { group, verdict, isOurs = false }: Decided,
    { tags, budget, signal }: { tags: ReadonlyMap<Item, Tags>; budget: StepBudget; signal: AbortSignal },
  ): Promise<Published> => {
    const { first, followers } = group;
    if (becomesEvent({ verdict })) {
      const refusal = await publisher.event(first, { tags: tags.get(first) ?? {}, budget }, signal);
      if (refusal !== undefined) {
        // A record from before a crash may be on the topic.
        const mayBeDelivered = refusal.mayBeDelivered || verdict.kind === 'republish';
        const culprit = { item: first, followers, error: refusal.error, mayBeDelivered };
        return { group, completes: false, ended: [], open: [], culprits: [culprit] };
      }
    }
    const { holder, kind } = verdict;
    const { duplicates, open } = shareOut(group, verdict);
    const ended: Ended[] = [];
    if (!duplicates.includes(first) && !open.includes(first))
      ended.push({ item: first, outcome: outcomeOf(kind), eventId: first.candidate.eventId });
    const culprits: Culprit[] = [];
    await all(
      duplicates.map(async (item) => {
        const error = await dataErrorOf(publisher.duplicate(item, holder, signal));
        const outcome = isChanged(item.candidate, holder) ? 'duplicate_changed' : 'duplicate';
        if (error === undefined) ended.push({ item, outcome, eventId: holder.eventId });
        else culprits.push({ item, followers: [], error, mayBeDelivered: false });
      }),
    );
    ended.forEach(endSpan);
    return { group, completes: isOurs || becomesEvent({ verdict }), ended, open, culprits };
  };

  const end = ({ item: { webhook, record }, outcome, eventId }: Ended): void => {
    record.done();
    if (outcome === undefined) return;
    const { tenant, sourceId, receiptId, traceparent } = webhook;
    metrics.ended(outcome);
    if (log.isOn('debug'))
      log.debug({
        event: 'webhook.settled',
        outcome,
        tenant,
        sourceId,
        receiptId,
        eventId,
        traceId: traceIdOf(traceparent),
      });
  };

  return async (items, signal) => {
    const culprits: Culprit[] = [];
    const locked: Item[] = [];
    let open = items;
    for (let round = 1; open.length > 0; round += 1) {
      // A round ends a record of each key, or moves the key's holder to the front. Endless rounds would be an invisible outage.
      if (round > 2 * items.length + 1) throw new AppError('bug', `undecided after ${round - 1} rounds`);
      const settled = await settleOnce(collapse(open), signal);
      culprits.push(...settled.culprits);
      locked.push(...settled.locked);
      open = settled.open;
    }
    return { culprits, locked };
  };
}

interface Decided {
  group: Group;
  verdict: Verdict;
  /** Its event waits in this process for its row to be completed. */
  isOurs?: boolean;
}

const becomesEvent = ({ verdict }: Pick<Decided, 'verdict'>): boolean =>
  verdict.kind === 'first' || verdict.kind === 'republish';

const publishedHere = (candidate: Candidate): Verdict => ({
  kind: 'done',
  holder: holderOf(candidate),
  expiresAt: null,
});

interface Published {
  group: Group;
  /** Its records end when the row is completed. */
  completes: boolean;
  /** Records whose outcome is on its topic. */
  ended: Ended[];
  open: Item[];
  culprits: Culprit[];
}

interface Ended {
  item: Item;
  /** Undefined: it was counted before. */
  outcome: Outcome | undefined;
  /** Null if only Redis knows it, by the end of its id: see README.md. */
  eventId: string | null;
}

function outcomeOf(kind: Verdict['kind']): Outcome | undefined {
  if (kind === 'first') return 'first';
  return kind === 'republish' ? 'republished' : undefined;
}

/** The work on it is over: what its row waits for is no part of it. */
function endSpan({ item: { webhook, record }, outcome, eventId }: Ended): void {
  if (outcome !== undefined)
    record.span?.set({
      [attribute.outcome]: outcome,
      [attribute.tenant]: webhook.tenant,
      [attribute.receiptId]: webhook.receiptId,
      [attribute.eventId]: eventId ?? undefined,
    });
  record.span?.end();
}

async function dataErrorOf(work: Promise<void>): Promise<AppError | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (isAppError(error, 'data_invalid')) return error;
    throw error;
  }
}

/** Waits for all, even if one has failed, so that no work continues unnoticed. */
async function all<T>(work: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}
