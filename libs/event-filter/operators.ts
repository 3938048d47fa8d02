/**
 * The operators of the MongoDB query language that a filter may use, with what may stand behind each. What is not here does not exist for
 * the library either: nothing that runs code (`$where`, `$expr`), and no regular expressions, which one payload can keep busy for ever.
 */
import { Context } from 'mingo/core';
import { $all, $elemMatch, $size } from 'mingo/operators/query/array';
import { $eq, $gt, $gte, $in, $lt, $lte, $ne, $nin } from 'mingo/operators/query/comparison';
import { $exists } from 'mingo/operators/query/element';
import { $and, $nor, $not, $or } from 'mingo/operators/query/logical';

export const context = Context.init({
  query: { $all, $and, $elemMatch, $eq, $exists, $gt, $gte, $in, $lt, $lte, $ne, $nin, $nor, $not, $or, $size },
});

/** Instead of a path, each with a list of filters. */
export const combiners: ReadonlySet<string> = new Set(['$and', '$or', '$nor']);

export type Operand = 'value' | 'ordered' | 'values' | 'boolean' | 'count' | 'condition' | 'element';

/** Behind a path. */
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
