export { type Problem, type ProblemCode, problem, problemCodes, problemContentType } from './problem.ts';
