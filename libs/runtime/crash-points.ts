import { AppError } from './app-error.ts';

/**
 * The places where a crash does most harm, by name, so that a test can kill a process at exactly one of them. SIGKILL leaves what a power
 * cut leaves: no handler, no flush, no commit. Armed by HOOKLINE_CRASH_POINT, which production refuses.
 */

const crashPointNames = [
  'ingress.before-produce',
  'ingress.after-produce',
  'dedup.after-claim',
  'dedup.after-insert',
  'dedup.after-publish',
  'dedup.before-commit',
  'publish.after-event',
  'fan-out.before-set',
  'fan-out.between-chunks',
  'fan-out.after-set',
  'fan-out.after-deliveries',
  'dispatcher.before-send',
  'dispatcher.after-send',
  'dispatcher.after-dead-letter',
  'dispatcher.after-outcome',
  'dispatcher.before-commit',
  'announcing.after-claim',
  'announcing.after-publish',
  'replay.after-claim',
  'replay.after-publish',
  'idempotency.after-row',
  'idempotency.after-effect',
  'idempotency.before-commit',
  'idempotency.after-commit',
  'idempotency-group.after-keys',
  'idempotency-group.after-effects',
  'idempotency-group.before-commit',
  'idempotency-group.after-commit',
  'outbox.before-send',
  'outbox.after-claim',
  'outbox.after-publish',
  'projector.before-transaction',
  'projector.after-ahead',
  'projector.after-transaction',
  'erasure.after-mark',
  'erasure.after-removal',
  'erasure.before-completion',
] as const;

export type CrashPointName = (typeof crashPointNames)[number];

export interface CrashPoints {
  /** Marks that the work has reached this point; kills the process if the point is armed and this is its n-th pass. */
  reach(point: CrashPointName): void;
}

export const noCrashPoints: CrashPoints = { reach: () => undefined };

/**
 * @param spec `name` or `name@n` (at the n-th passing, from 1); empty arms nothing
 * @throws AppError config_invalid for a name that does not exist: a fault test that kills nothing would pass
 */
export function createCrashPoints(
  spec: string,
  kill: () => void = () => process.kill(process.pid, 'SIGKILL'),
): CrashPoints {
  if (spec === '') return noCrashPoints;
  const [name = '', turn = '1'] = spec.split('@');
  if (!crashPointNames.some((known) => known === name)) {
    throw new AppError(
      'config_invalid',
      `HOOKLINE_CRASH_POINT=${spec}: no such point; there are ${crashPointNames.join(', ')}`,
    );
  }
  let passings = 0;
  return {
    reach(point) {
      if (point !== name) return;
      passings += 1;
      if (passings === Number(turn)) kill();
    },
  };
}
