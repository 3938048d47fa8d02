import { countWords, groupsOf, linkedNames } from '../../../../services/api/event-types/type-texts.ts';

test('words are those of the texts and of what the schema says of its fields', () => {
  const schema = { description: 'three more words', properties: { id: { description: 'Its id.' } } };
  expect(countWords({ description: 'An event — of ours', notes: '' })).toBe(4);
  expect(countWords({ description: 'One', notes: 'two' }, { schema, notes: 'three' })).toBe(8);
});

test('links and groups', () => {
  expect(linkedNames('[[a.b]] and [[a.b]], [[c]]; not [[ d ]] or [e]')).toEqual(['a.b', 'c']);
  expect(groupsOf('a.b.c')).toEqual(['a', 'a.b']);
  expect(groupsOf('abc')).toEqual([]);
});
