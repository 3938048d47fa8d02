export { type Problem, type ProblemCode, problem, problemCodes, problemContentType } from './problem.ts';
export { prefersHtml, problemPage } from './problem-page.ts';
