import { problem } from '../../page-result.ts';
import { tenantPage } from '../../page.ts';
import { comparePage } from '../../pages/compare/compare-page.ts';
import { readSide, readSideName } from './side.ts';

const wrongName = 'must be the id of an event, or a delivery with the number of an attempt, such as dlv_…/2';

/** `T/compare?a=&b=`: two payloads, or two attempts. */
export const compare = tenantPage({
  path: '/compare',
  title: 'Compare',
  section: 'events',
  get: {
    query: ['a', 'b'],
    async answer({ api, query, t }) {
      const [a, b] = [query.get('a')?.trim() ?? '', query.get('b')?.trim() ?? ''];
      const [left, right] = [readSideName(a), readSideName(b)];
      const errors = [
        ...(a !== '' && left === undefined ? [{ field: 'a', message: wrongName }] : []),
        ...(b !== '' && right === undefined ? [{ field: 'b', message: wrongName }] : []),
        ...(left !== undefined && right !== undefined && left.kind !== right.kind
          ? [{ field: 'b', message: `must be ${left.kind === 'payload' ? 'an event' : 'an attempt'}, too` }]
          : []),
      ];
      if (errors.length > 0 || left === undefined || right === undefined) return comparePage({ t, a, b, errors });
      const [one, other] = await Promise.all([readSide(api, left), readSide(api, right)]);
      if (typeof one === 'number') return problem(one);
      return typeof other === 'number' ? problem(other) : comparePage({ t, a, b, sides: [one, other] });
    },
  },
});
