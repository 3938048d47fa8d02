/**
 * The operators of the MongoDB query language that a filter may use, with their operands. The library gets no others: nothing that runs
 * code (`$where`, `$expr`), and no regular expressions, which one payload can keep busy for ever.
 *
 * Each operator counts its steps first, and does nothing that would exceed the steps that are left.
 */
import { Context } from 'mingo/core';
import { $all, $elemMatch, $size } from 'mingo/operators/query/array';
import { $eq, $in, $ne, $nin } from 'mingo/operators/query/comparison';
import { $exists } from 'mingo/operators/query/element';
import { $and, $nor, $not, $or } from 'mingo/operators/query/logical';
import type { Options } from 'mingo/types';
import { resolve } from 'mingo/util';
import { stepsOf } from './count-steps.ts';
import { compareNumbers, isNumber } from './exact-number.ts';

/** The steps that a filter has left. One meter for all filters: the library is synchronous, so two filters never run at once. */
export const meter = { stepsLeft: 0 };

/** Thrown by a condition that would take more steps than are left. */
export const stepsSpent = new Error('no steps are left');

type Matches = (document: never) => boolean;
type Operator = (path: string, operand: never, options: Options) => Matches;

function counted(operators: Record<`$${string}`, Operator>): Record<`$${string}`, Operator> {
  const withSteps = ([name, operator]: [string, Operator]): [string, Operator] => [
    name,
    (path, operand, options) => {
      const matches = operator(path, operand, options);
      const steps = stepsOf(name, path, operand);
      return (document) => {
        meter.stepsLeft -= steps(document);
        if (meter.stepsLeft < 0) throw stepsSpent;
        return matches(document);
      };
    },
  ];
  return Object.fromEntries(Object.entries(operators).map(withSteps));
}

/** As the library's own, for numbers that a double doesn't hold, too: a value, or one in a list, of the operand's type. */
const ordered =
  (holds: (order: number) => boolean): Operator =>
  (path, operand: unknown) =>
  (document: Record<string, unknown>) => {
    const found: unknown = resolve(document, path, { unwrapArray: true });
    return (Array.isArray(found) ? found : [found]).some((value: unknown) => {
      if (isNumber(value) && isNumber(operand)) return holds(compareNumbers(value, operand));
      if (typeof value !== 'string' || typeof operand !== 'string') return false;
      return holds(value < operand ? -1 : value > operand ? 1 : 0);
    });
  };
const $gt = ordered((order) => order > 0);
const $gte = ordered((order) => order >= 0);
const $lt = ordered((order) => order < 0);
const $lte = ordered((order) => order <= 0);

export const context = Context.init({
  query: {
    ...counted({ $all, $elemMatch, $eq, $exists, $gt, $gte, $in, $lt, $lte, $ne, $nin, $size }),
    // The conditions within them are counted.
    $and,
    $nor,
    $not,
    $or,
  },
});

/** Instead of a path, each with a list of filters. */
export const combiners: ReadonlySet<string> = new Set(['$and', '$or', '$nor']);

export type Operand = 'value' | 'ordered' | 'values' | 'boolean' | 'count' | 'condition' | 'element';

/** The operators that may follow a path. */
export const operators: ReadonlyMap<string, Operand> = new Map<string, Operand>([
  ['$eq', 'value'],
  ['$ne', 'value'],
  ['$gt', 'ordered'],
  ['$gte', 'ordered'],
  ['$lt', 'ordered'],
  ['$lte', 'ordered'],
  ['$in', 'values'],
  ['$nin', 'values'],
  ['$all', 'values'],
  ['$exists', 'boolean'],
  ['$size', 'count'],
  ['$not', 'condition'],
  ['$elemMatch', 'element'],
]);
