/** The defects of mutants.ts, one at a time, by hand: `node test/faults/idempotency/try-mutants.ts [NAME]`. */
import { tryMutants } from '../support/try-mutants.ts';
import { mutants } from './mutants.ts';

const chosen = mutants.filter(({ name }) => name.includes(process.argv[2] ?? ''));
const args = ['--keys', '600', '--turns', '1', '--seed', '11'];
process.exit(tryMutants(chosen, { program: 'test/faults/idempotency/main.ts', args }));
