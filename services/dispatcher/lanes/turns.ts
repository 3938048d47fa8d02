/**
 * Shares the places for requests in flight, among tenants first, then among the lanes of each.
 *
 * A tenant's share of the places (libs/tenancy/shared-room.ts) is what it holds plus what it could still take. Tenants take turns, one send
 * each. Within a tenant,
 *
 * | a lane that wants a place                                   | gets one while the tenant has in flight                        |
 * |-------------------------------------------------------------|----------------------------------------------------------------|
 * | and has none                                                | less than its share, in all its lanes                          |
 * | and has some; its endpoint answered within a second         | less than three quarters of the share                          |
 * | and has some; its endpoint did not                          | the same, and less than a quarter in all lanes but sick ones   |
 * | and is slow (its sends hold their places for long)          | the same, and less than three quarters in slow and sick lanes  |
 * | and is sick                                                 | the same as slow, and less than half in sick lanes             |
 *
 * Even if many endpoints begin to hang at once, with all their places in use, the others find places before the first time-out shows which
 * ones hang; and so do other tenants, even if each hanging endpoint has only one place, or answers after a minute. Lanes of one kind take
 * turns, one send each; so do sick, slow and healthy lanes, so that none starves.
 */
import type { Clock } from '#lib/runtime';
import type { SharedRoom } from '#lib/tenancy';
import type { Standing } from '../endpoints/endpoint-health.ts';

const laneClasses = ['healthy', 'slow', 'sick'] as const;

/** How a lane shares its tenant's places for requests in flight (turns.ts). */
export type LaneClass = (typeof laneClasses)[number];

export const laneClassOf = ({ kind }: Standing): LaneClass => (kind === 'healthy' || kind === 'slow' ? kind : 'sick');

export interface Turns<Lane> {
  /** Sets the state of a lane; its place in the queue stays if the state has not changed. Its tenant never changes. */
  place(lane: Lane, now: TurnState): void;
  /** The next lane to send one. It is in no line until it is placed again. */
  next(): Lane | undefined;
}

interface TurnState {
  tenant: string;
  wantsTurn: boolean;
  class: LaneClass;
  inFlight: number;
  /** When its endpoint last took something, in monotonic milliseconds. */
  answeredAtMs: number;
}

/** Parts of a tenant's share. */
export interface TurnParts {
  /** In flight in all its lanes, before one that has some gets another. */
  answering: number;
  /** In flight in all its lanes but sick ones, before one that has some gets another though its endpoint did not answer lately. */
  unproven: number;
  /** In flight in slow and sick lanes. */
  slow: number;
  /** In flight in sick lanes. */
  sick: number;
}

export const turnParts: TurnParts = { answering: 0.75, unproven: 0.25, slow: 0.75, sick: 0.5 };

const orders = {
  quick: { slow: ['healthy', 'slow', 'sick'], sick: ['healthy', 'sick', 'slow'] },
  others: { slow: ['slow', 'sick', 'healthy'], sick: ['sick', 'slow', 'healthy'] },
} as const;
const answeringForMs = 1_000;

type Line<Lane> = Record<LaneClass, Set<Lane>>;

interface TenantTurns<Lane> {
  readonly name: string;
  /** Lanes that want a turn: those with none in flight; the others by whether their endpoints answer. */
  readonly first: Line<Lane>;
  readonly answering: Line<Lane>;
  readonly unproven: Line<Lane>;
  readonly inFlight: Record<LaneClass, number>;
  /** Known lanes, and those that want a turn. */
  known: number;
  wanting: number;
  /** Whose turn is next: quick lanes or the others; of these, slow or sick ones. A lane that may not use its turn keeps it. */
  quickNext: boolean;
  othersNext: 'slow' | 'sick';
}

interface Known<Lane> {
  readonly tenant: TenantTurns<Lane>;
  line: Set<Lane> | undefined;
  class: LaneClass;
  inFlight: number;
  answeredAtMs: number;
}

const newLine = <Lane>(): Line<Lane> => ({ healthy: new Set(), slow: new Set(), sick: new Set() });

const newTenant = <Lane>(name: string): TenantTurns<Lane> => ({
  name,
  first: newLine(),
  answering: newLine(),
  unproven: newLine(),
  inFlight: { healthy: 0, slow: 0, sick: 0 },
  known: 0,
  wanting: 0,
  quickNext: true,
  othersNext: 'slow',
});

/** @param room for requests in flight; taken from and given back to here alone */
export function createTurns<Lane>(room: SharedRoom, clock: Clock, parts: TurnParts = turnParts): Turns<Lane> {
  const tenants = new Map<string, TenantTurns<Lane>>();
  /** Tenants with lanes that want a turn, the next first. */
  const line = new Set<TenantTurns<Lane>>();
  const known = new Map<Lane, Known<Lane>>();

  const isAnswering = (answeredAtMs: number): boolean => clock.monotonicMs() - answeredAtMs < answeringForMs;

  function tenantOf(name: string): TenantTurns<Lane> {
    const tenant = tenants.get(name) ?? newTenant<Lane>(name);
    tenants.set(name, tenant);
    return tenant;
  }

  function lineFor(tenant: TenantTurns<Lane>, state: TurnState): Line<Lane> {
    if (state.inFlight === 0) return tenant.first;
    return isAnswering(state.answeredAtMs) ? tenant.answering : tenant.unproven;
  }

  function moveTo(line: Set<Lane> | undefined, lane: Lane, entry: Known<Lane>): void {
    if (entry.line === line) return;
    if (entry.line?.delete(lane)) entry.tenant.wanting -= 1;
    if (line?.add(lane)) entry.tenant.wanting += 1;
    entry.line = line;
  }

  /** Moves lanes whose endpoints have not answered lately: time has passed since they were placed. */
  function sortOut({ answering, unproven }: TenantTurns<Lane>): void {
    for (const each of laneClasses) {
      for (const lane of answering[each]) {
        const entry = known.get(lane);
        if (entry === undefined || isAnswering(entry.answeredAtMs)) break;
        moveTo(unproven[each], lane, entry);
      }
    }
  }

  function headOf(tenant: TenantTurns<Lane>, line: Line<Lane>, share: number): Lane | undefined {
    const { slow, sick } = tenant.inFlight;
    for (const each of orders[tenant.quickNext ? 'quick' : 'others'][tenant.othersNext]) {
      if (each !== 'healthy' && slow + sick >= atLeastOne(share * parts.slow)) continue;
      if (each === 'sick' && sick >= atLeastOne(share * parts.sick)) continue;
      const [lane] = line[each];
      if (lane === undefined) continue;
      tenant.quickNext = each !== 'healthy';
      if (each !== 'healthy') tenant.othersNext = each === 'slow' ? 'sick' : 'slow';
      return lane;
    }
    return undefined;
  }

  function headWithin(tenant: TenantTurns<Lane>): Lane | undefined {
    if (!room.mayTake(tenant.name)) return undefined;
    sortOut(tenant);
    const share = room.shareOf(tenant.name);
    const total = room.held(tenant.name);
    const notSick = total - tenant.inFlight.sick;
    const mayHaveMore = total < Math.ceil(share * parts.answering);
    return (
      headOf(tenant, tenant.first, share) ??
      (mayHaveMore ? headOf(tenant, tenant.answering, share) : undefined) ??
      (mayHaveMore && notSick < Math.ceil(share * parts.unproven) ? headOf(tenant, tenant.unproven, share) : undefined)
    );
  }

  return {
    place(lane, state) {
      const entry = known.get(lane) ?? {
        tenant: tenantOf(state.tenant),
        line: undefined,
        class: state.class,
        inFlight: 0,
        answeredAtMs: 0,
      };
      const { tenant } = entry;
      if (!known.has(lane)) tenant.known += 1;
      tenant.inFlight[entry.class] -= entry.inFlight;
      tenant.inFlight[state.class] += state.inFlight;
      if (state.inFlight !== entry.inFlight) room.take(tenant.name, state.inFlight - entry.inFlight);
      moveTo(state.wantsTurn ? lineFor(tenant, state)[state.class] : undefined, lane, entry);
      Object.assign(entry, { class: state.class, inFlight: state.inFlight, answeredAtMs: state.answeredAtMs });
      known.set(lane, entry);
      if (tenant.wanting > 0) line.add(tenant);
      else line.delete(tenant);
      if (entry.line !== undefined || state.inFlight > 0) return;
      known.delete(lane);
      tenant.known -= 1;
      if (tenant.known === 0) tenants.delete(tenant.name);
    },
    next() {
      if (room.free() === 0) return undefined;
      for (const tenant of line) {
        const lane = headWithin(tenant);
        const entry = lane === undefined ? undefined : known.get(lane);
        if (lane === undefined || entry === undefined) continue;
        moveTo(undefined, lane, entry);
        // Moves the tenant to the end of the line; without a lane that wants a turn, it leaves the line.
        line.delete(tenant);
        if (tenant.wanting > 0) line.add(tenant);
        return lane;
      }
      return undefined;
    },
  };
}

const atLeastOne = (places: number): number => Math.max(1, Math.floor(places));
