/**
 * The text of a member of a JSON object, exactly as it came: parsed and printed again, 9007199254740993 and `1.0` would be other numbers.
 *
 * @param json an object; it must be valid
 * @returns undefined if the object has no such member
 */
export function rawMember(json: string, name: string): string | undefined {
  let depth = 0;
  let key: string | undefined;
  let from = 0;
  for (const match of json.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/gs)) {
    const [token] = match;
    if (token === '{' || token === '[') depth += 1;
    const ends = depth === 1 && (token === ',' || token === '}');
    if (ends && key === name) return json.slice(from, match.index).trim();
    if (ends) key = undefined;
    if (depth === 1 && token === ':' && key !== undefined && from === 0) from = match.index + 1;
    if (depth === 1 && token.startsWith('"') && key === undefined) {
      key = JSON.parse(token) as string;
      from = 0;
    }
    if (token === '}' || token === ']') depth -= 1;
  }
  return undefined;
}
