import { bodyEtag, isUnchanged, matches } from '../../../services/api/http/etag.ts';

test.each([
  [undefined, true],
  ['*', true],
  ['"3"', true],
  ['"1", "3"', true],
  ['"4"', false],
  ['W/"3"', false],
  ['3', false],
  ['', false],
  ['"33"', false],
])('If-Match %j lets revision 3 be changed: %j', (ifMatch, allowed) => {
  expect(matches(ifMatch, { revision: 3 })).toBe(allowed);
});

const tag = bodyEtag('[]');

test.each([
  [undefined, false],
  ['*', true],
  [tag, true],
  [`W/${tag}`, true],
  [`"other", W/${tag} ,"third"`, true],
  [tag.slice(1, -1), false],
  [bodyEtag('[1]'), false],
  ['', false],
])('If-None-Match %j knows the body: %j', (ifNoneMatch, known) => {
  expect(isUnchanged(ifNoneMatch, '[]')).toBe(known);
});
