/**
 * Preloaded into a service (`--import`): its wall clock is off by the milliseconds in the file STEPPED_CLOCK, from a tenth of a second
 * after the file changes. Monotonic clocks (performance, hrtime, timers) are unchanged, as on a machine whose time is set.
 */
import { readFileSync, watchFile } from 'node:fs';

const file = process.env.STEPPED_CLOCK ?? '';
const everyMs = 100;

const RealDate = Date;
const realNow = Date.now;
let stepMs = 0;
const now = (): number => realNow() + stepMs;

function read(): void {
  stepMs = Number(readFileSync(file, 'utf8'));
}

read();
watchFile(file, { interval: everyMs, persistent: false }, read);
RealDate.now = now;
globalThis.Date = new Proxy(RealDate, {
  construct: (target, given, newTarget) =>
    Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget) as Date,
  apply: () => new RealDate(now()).toString(),
});
RealDate.prototype.constructor = globalThis.Date;
