/**
 * Takes received records to their outcomes, so that every one is durable before its record is done: an event, a duplicate, or nothing
 * because it had been an event before. libs/dedup-store says who is the first of a key; this is what happens around it, for a batch.
 *
 *   collapse ─► recall ─► decide ─► judge ─► publish ─► complete ─► done
 *                 Redis     table    schemas    Kafka      table
 *
 * Records of one key form a group: its first record is decided, the others follow it as duplicates of the key's holder. A record that fails
 * on its data is left open with its followers; so nothing counts as a duplicate of a record that became no event.
 */
import type { WaitOut } from '#lib/backoff';
import { bisect } from '#lib/bisect';
import type { Tags } from '#lib/contract';
import type { CrashPoints } from '#lib/crash-points';
import { type DedupStore, type Holder, isChanged, type Verdict } from '#lib/dedup-store';
import { AppError, isAppError } from '#lib/errors';
import { createStepBudget, type StepBudget } from '#lib/fan-out';
import type { Logger } from '#lib/log';
import { attribute, traceIdOf } from '#lib/telemetry';
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

/** Resolves when every record is done but the culprits and their followers. @throws AppError stopped when the signal aborts */
export type Settle = (items: readonly Item[], signal: AbortSignal) => Promise<Culprit[]>;

interface Deps {
  store: DedupStore;
  publisher: Pick<Publisher, 'event' | 'duplicate'>;
  schemaTags: SchemaTags;
  crashPoints: CrashPoints;
  metrics: DedupMetrics;
  log: Logger;
  waitOut: WaitOut;
}

interface Settled {
  culprits: Culprit[];
  /** Items to decide in another round, see group.ts. */
  open: Item[];
}

export function createSettle({ store, publisher, schemaTags, crashPoints, metrics, log, waitOut }: Deps): Settle {
  const settleOnce = async (groups: readonly Group[], signal: AbortSignal): Promise<Settled> => {
    const recalled = await store.recall(groups.map(({ first }) => first.candidate));
    crashPoints.reach('dedup.after-claim');

    const { done: decided, culprits: undecidable } = await bisect(
      groups.filter((_, index) => recalled[index] === undefined),
      (part) => waitOut(() => store.decide(part.map(({ first }) => first.candidate)), signal),
    );
    crashPoints.reach('dedup.after-insert');

    const verdicts: Decided[] = [
      ...groups.flatMap((group, index) => {
        const verdict = recalled[index];
        return verdict === undefined ? [] : [{ group, verdict }];
      }),
      ...decided.map(({ item, result }) => ({ group: item, verdict: result })),
    ];
    const tags = await schemaTags(verdicts.filter(becomesEvent).map(({ group }) => group.first));
    const budget = createStepBudget();
    const published = await all(verdicts.map((one) => publish(one, { tags, budget, signal })));
    crashPoints.reach('dedup.after-publish');

    const events = published.filter(({ completes }) => completes).map(({ group }) => group.first.candidate);
    if (events.length > 0) await waitOut(() => store.complete(events), signal);
    crashPoints.reach('dedup.before-commit');

    for (const { ended } of published) for (const end of ended) end();
    return {
      culprits: [
        ...undecidable.map(({ item: { first, followers }, error }) => ({
          ...{ item: first, followers, error, mayBeDelivered: false },
        })),
        ...published.flatMap(({ culprits }) => culprits),
      ],
      open: published.flatMap(({ open }) => open),
    };
  };

  /** Publishes the event before its duplicates: if it can't be written, they are not duplicates. */
  const publish = async (
    { group, verdict }: Decided,
    { tags, budget, signal }: { tags: ReadonlyMap<Item, Tags>; budget: StepBudget; signal: AbortSignal },
  ): Promise<Published> => {
    const { first, followers } = group;
    const completes = becomesEvent({ verdict });
    if (completes) {
      const refusal = await publisher.event(first, { tags: tags.get(first) ?? {}, budget }, signal);
      if (refusal !== undefined) {
        // A record from before a crash may be on the topic.
        const mayBeDelivered = refusal.mayBeDelivered || verdict.kind === 'republish';
        const culprit = { item: first, followers, error: refusal.error, mayBeDelivered };
        return { group, completes: false, ended: [], open: [], culprits: [culprit] };
      }
    }
    const { duplicates, open } = shareOut(group, verdict);
    const ended = duplicates.includes(first) || open.includes(first) ? [] : [() => endFirst(first, verdict.kind)];
    const culprits: Culprit[] = [];
    await all(
      duplicates.map(async (item) => {
        const error = await dataErrorOf(publisher.duplicate(item, verdict.holder, signal));
        if (error === undefined) ended.push(() => endDuplicate(item, verdict.holder));
        else culprits.push({ item, followers: [], error, mayBeDelivered: false });
      }),
    );
    return { group, completes, ended, open, culprits };
  };

  const endFirst = (item: Item, kind: Verdict['kind']): void => {
    if (kind === 'first') ended(item, 'first', item.candidate.eventId);
    if (kind === 'republish') ended(item, 'republished', item.candidate.eventId);
    item.record.done();
  };
  const endDuplicate = (item: Item, holder: Holder): void => {
    ended(item, isChanged(item.candidate, holder) ? 'duplicate_changed' : 'duplicate', holder.eventId);
    item.record.done();
  };
  /** @param eventId null if only Redis knows it, by the end of its id: see README.md */
  const ended = ({ webhook, record }: Item, outcome: Outcome, eventId: string | null): void => {
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
    record.span?.set({
      [attribute.outcome]: outcome,
      [attribute.tenant]: tenant,
      [attribute.receiptId]: receiptId,
      [attribute.eventId]: eventId ?? undefined,
    });
  };

  return async (items, signal) => {
    const culprits: Culprit[] = [];
    let open = items;
    for (let round = 1; open.length > 0; round += 1) {
      // A round ends a record of each key, or moves the key's holder to the front. Endless rounds would be an invisible outage.
      if (round > 2 * items.length + 1) throw new AppError('bug', `undecided after ${round - 1} rounds`);
      const settled = await settleOnce(collapse(open), signal);
      culprits.push(...settled.culprits);
      open = settled.open;
    }
    return culprits;
  };
}

interface Decided {
  group: Group;
  verdict: Verdict;
}

const becomesEvent = ({ verdict }: Pick<Decided, 'verdict'>): boolean =>
  verdict.kind === 'first' || verdict.kind === 'republish';

interface Published {
  group: Group;
  completes: boolean;
  /** Called when everything is durable. */
  ended: (() => void)[];
  open: Item[];
  culprits: Culprit[];
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
