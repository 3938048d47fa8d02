/** The defects of mutants.ts, one at a time, by hand: `node test/faults/delivering/try-mutants.ts [NAME]`. */
import { tryMutants } from '../support/try-mutants.ts';
import { mutants } from './mutants.ts';

const chosen = mutants.filter(({ name }) => name.includes(process.argv[2] ?? ''));
const args = ['--deliveries', '8000', '--turns', '1', '--seed', '11'];
process.exit(tryMutants(chosen, { program: 'test/faults/delivering/main.ts', args }));
