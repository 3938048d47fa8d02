#!/usr/bin/env node
import { systemClock } from '#lib/runtime';
import { openInBrowser } from './commands/console.ts';
import { environmentOfProcess } from './config.ts';
import { localEnvFile } from './local-env.ts';
import { screenOf } from './output/print.ts';
import { run } from './run.ts';

// A reader such as `head` may close the pipe when it has seen enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

const env = environmentOfProcess();
process.exitCode = await run(process.argv.slice(2), {
  process,
  env,
  localEnvFile,
  clock: systemClock,
  random: Math.random,
  screen: screenOf(process.stdout, env),
  openInBrowser,
});
