import { describeSchema } from '../../../../libs/schema-checks/documents/prepare-schema.ts';
import { countWords, groupsOf, linkedNames } from '../../../../services/api/event-types/type-texts.ts';

test('words are those of the texts and of what the schema says of its fields', () => {
  expect(countWords({ description: 'An event — of ours', notes: '' }, 0)).toBe(4);
  expect(countWords({ description: 'One', notes: 'two' }, 6)).toBe(8);
  const schema = { description: 'three more words', properties: { id: { description: 'Its id.' } } };
  expect(describeSchema(JSON.stringify(schema)).fieldWords).toBe(5);
});

test('links and groups', () => {
  expect(linkedNames('[[a.b]] and [[a.b]], [[c]]; not [[ d ]] or [e]')).toEqual(['a.b', 'c']);
  expect(groupsOf('a.b.c')).toEqual(['a', 'a.b']);
  expect(groupsOf('abc')).toEqual([]);
});
