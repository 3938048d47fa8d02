import type { Refused } from '../receiving/outcome.ts';
import type { SourceDirectory } from './source-directory.ts';
import type { ActiveSource } from './source.ts';

/** The source of a request, if it can be used, as it was at most 1.5 s ago; otherwise the refusal. */
export async function findSource(
  sources: Pick<SourceDirectory, 'known' | 'lookUp' | 'recent'>,
  id: string,
): Promise<ActiveSource | Refused> {
  const reading = sources.recent();
  if (reading !== undefined) await reading;
  const source = sources.known(id) ?? (await sources.lookUp(id));
  if (source === 'unknown') return { kind: 'refused', code: 'not_found' };
  if (source === 'unavailable') return { kind: 'refused', code: 'unavailable' };
  if (source.state === 'active') return source;
  return { kind: 'refused', code: source.state === 'deleted' ? 'gone' : 'unavailable', source };
}
