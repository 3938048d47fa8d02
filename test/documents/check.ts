/** Part of `make lint`: links within the documents lead somewhere, and each document says for whom it is. */
import { root } from '#deploy/local/paths.ts';
import { documentsIn, problemsOf } from './problems.ts';

const documents = documentsIn(root);
const problems = problemsOf(root, documents);
for (const problem of problems) console.error(problem);
console.log(`${documents.length} documents, ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
