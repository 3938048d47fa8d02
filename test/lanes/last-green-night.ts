import { execFileSync } from 'node:child_process';
import { isGreen, keptNights, recordedNightFile } from './nightly-report.ts';

/** A line that says at which commit the night's suite was last green, and how many commits ago; in a shallow clone the commit alone. */
export function lastGreenNight(): string {
  const night = keptNights(recordedNightFile);
  if (night === undefined || !isGreen(night)) return 'the night’s suite (make test-nightly): no green run is recorded';
  const says = `the night’s suite (make test-nightly) was last green at ${night.commit} on ${night.day}`;
  try {
    const since = execFileSync('git', ['rev-list', '--count', `${night.commit}..HEAD`], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return `${says}, ${since.trim()} commits ago`;
  } catch {
    return says;
  }
}
