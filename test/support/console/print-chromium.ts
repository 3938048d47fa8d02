/** Prints the program of Chromium, which is installed if that is possible. Exits with 1 and the reason where it can't be had. */
import { StackError } from '#deploy/local/failure.ts';
import { provideTools } from '#deploy/local/install/install.ts';
import { chromium } from '#deploy/local/install/tools.ts';

try {
  const found = await provideTools({ chromium }, (line) => process.stderr.write(`${line}\n`));
  console.log(found.chromium);
} catch (error) {
  if (!(error instanceof StackError)) throw error;
  console.log(error.message);
  process.exitCode = 1;
}
