import { changes } from './changes.ts';
import { group } from './group.ts';
import { exampleJson, schemaJson } from './json.ts';
import { robots } from './robots.ts';
import { search } from './search.ts';
import { sitemap } from './sitemap.ts';
import { type } from './type.ts';
import { types } from './types.ts';
import { verify } from './verify.ts';
import { version } from './version.ts';

export const catalogPages = [
  ...[types, search, changes, group, verify],
  ...[type, version, schemaJson, exampleJson],
  ...[sitemap, robots],
];
