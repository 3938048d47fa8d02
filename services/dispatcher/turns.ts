/**
 * Whose turn it is: how the places for requests in flight are shared among lanes.
 *
 * | a lane that wants a place                                   | gets one while there are in flight                             |
 * |-------------------------------------------------------------|----------------------------------------------------------------|
 * | and has none                                                | fewer than there are places, in all lanes                      |
 * | and has some; its endpoint took something within a second   | fewer than three quarters of that                              |
 * | and has some; its endpoint did not                          | the same, and fewer than a quarter in all lanes but sick ones  |
 * | and is sick                                                 | the same, and fewer than half in sick lanes                    |
 *
 * However many endpoints begin to hang at once, each with all that it may have in flight, the others find places before the first time-out
 * has told which they are. Lanes of one kind take turns, one send each; so do the sick and the healthy, so that none starves.
 */
import type { Clock } from '#lib/clock';

export interface Turns<Lane> {
  /** Where a lane stands now; it keeps its place in the line where that has not changed. */
  place(lane: Lane, now: TurnState): void;
  /** The next lane to send one. It is in no line until it is placed again. */
  next(): Lane | undefined;
}

export interface TurnState {
  wantsTurn: boolean;
  sick: boolean;
  inFlight: number;
  /** When its endpoint last took something, in monotonic milliseconds. */
  answeredAtMs: number;
}

export interface TurnLimits {
  /** Requests in flight, in all lanes together. */
  inFlight: number;
  /** In flight in all lanes, before one that has some gets another. */
  forAnswering: number;
  /** In flight in all but sick lanes, before one that has some gets another though its endpoint did not answer lately. */
  forUnproven: number;
  /** In flight in sick lanes. */
  forSick: number;
}

export const turnLimitsOf = (inFlight: number): TurnLimits => ({
  inFlight,
  forAnswering: Math.ceil(inFlight * 0.75),
  forUnproven: Math.ceil(inFlight * 0.25),
  forSick: Math.max(1, Math.floor(inFlight / 2)),
});

const answeringForMs = 1_000;

type Health = 'healthy' | 'sick';
type Line<Lane> = Record<Health, Set<Lane>>;

interface Known<Lane> {
  line: Set<Lane> | undefined;
  health: Health;
  inFlight: number;
  answeredAtMs: number;
}

const newLine = <Lane>(): Line<Lane> => ({ healthy: new Set(), sick: new Set() });

export function createTurns<Lane>(limits: TurnLimits, clock: Clock): Turns<Lane> {
  /** Lanes that want a turn: those that have none in flight; those that have, by whether their endpoints answer. */
  const first = newLine<Lane>();
  const answering = newLine<Lane>();
  const unproven = newLine<Lane>();
  const known = new Map<Lane, Known<Lane>>();
  const inFlight: Record<Health, number> = { healthy: 0, sick: 0 };
  let turn: Health = 'healthy';

  const isAnswering = (answeredAtMs: number): boolean => clock.monotonicMs() - answeredAtMs < answeringForMs;

  function lineFor(state: TurnState): Line<Lane> {
    if (state.inFlight === 0) return first;
    return isAnswering(state.answeredAtMs) ? answering : unproven;
  }

  /** Time has passed since they were placed. */
  function sortOut(): void {
    for (const health of ['healthy', 'sick'] as const) {
      for (const lane of answering[health]) {
        const entry = known.get(lane);
        if (entry === undefined || isAnswering(entry.answeredAtMs)) break;
        answering[health].delete(lane);
        unproven[health].add(lane);
        entry.line = unproven[health];
      }
    }
  }

  function headOf(line: Line<Lane>): Lane | undefined {
    const other: Health = turn === 'healthy' ? 'sick' : 'healthy';
    for (const health of [turn, other]) {
      if (health === 'sick' && inFlight.sick >= limits.forSick) continue;
      const [lane] = line[health];
      if (lane === undefined) continue;
      turn = health === 'healthy' ? 'sick' : 'healthy';
      return lane;
    }
    return undefined;
  }

  return {
    place(lane, state) {
      const before = known.get(lane);
      const health: Health = state.sick ? 'sick' : 'healthy';
      const line = state.wantsTurn ? lineFor(state)[health] : undefined;
      if (before !== undefined) {
        inFlight[before.health] -= before.inFlight;
        if (before.line !== line) before.line?.delete(lane);
      }
      inFlight[health] += state.inFlight;
      line?.add(lane);
      if (line === undefined && state.inFlight === 0) known.delete(lane);
      else known.set(lane, { line, health, inFlight: state.inFlight, answeredAtMs: state.answeredAtMs });
    },
    next() {
      const total = inFlight.healthy + inFlight.sick;
      if (total >= limits.inFlight) return undefined;
      sortOut();
      const lane =
        headOf(first) ??
        (total < limits.forAnswering ? headOf(answering) : undefined) ??
        (total < limits.forAnswering && inFlight.healthy < limits.forUnproven ? headOf(unproven) : undefined);
      const entry = lane === undefined ? undefined : known.get(lane);
      if (lane === undefined || entry === undefined) return undefined;
      entry.line?.delete(lane);
      entry.line = undefined;
      return lane;
    },
  };
}
