/**
 * Runs a command, says what it cost, and ends as it ended:
 *
 *   node test/lanes/measure.ts make checks tests
 *
 * The last line says when the night's suite was last green. The cost is processor time, multiplied by the machine's speed before and after (reference-loop.ts), so that runs on different machines,
 * and beside other work, can be compared.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { machineSpeed } from './reference-loop.ts';
import { lastGreenNight } from './last-green-night.ts';
import { processorSeconds } from './spent-time.ts';

const [command = '', ...args] = process.argv.slice(2);
const beganAt = performance.now();
const speeds = [machineSpeed()];
// jest.config.js goes by it.
const env = { ...process.env, HOOKLINE_MACHINE_SPEED: String(speeds[0]) };
const child = spawn(command, args, { stdio: 'inherit', env });
const [code] = (await once(child, 'exit')) as [number | null];
const minutes = (performance.now() - beganAt) / 60_000;
speeds.push(machineSpeed());
const speed = speeds.reduce((sum, each) => sum + each, 0) / speeds.length;
const seconds = processorSeconds();
const cost =
  seconds === undefined
    ? ''
    : `, ${Math.round(seconds * speed)} s of processor time at nominal speed (${Math.round(seconds)} s, speed ${speeds.map((each) => each.toFixed(2)).join(' and ')})`;
console.log(`${minutes.toFixed(1)} min${cost}\n${lastGreenNight()}`);
process.exitCode = code ?? 1;
