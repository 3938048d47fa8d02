/** The event types of a tenant as the API answers them, in memory: one name each, aliases that lead there, and what was retired. */
import type { HttpRequest } from '#client';
import type { EventTypeChange, EventTypeSummary, EventTypeVersion, EventType } from '#lib/api-contract';
import { type FakeApi, problemReply, type Reply } from './fake-api.ts';

type Given = Partial<EventType>;

interface FakeEventTypes {
  create(name: string, given?: Given): void;
  /** Replaces some of what a type has. */
  set(name: string, given: Given): void;
  publish(name: string, version: Partial<EventTypeVersion>): void;
  rename(name: string, to: string): void;
  merge(name: string, into: string): void;
  retire(name: string): void;
  names(): readonly string[];
  away: boolean;
}

interface Stored {
  view: EventType;
  versions: EventTypeVersion[];
}

const at = '2026-01-01T10:00:00.000000Z';

export const wordsOf = (count: number): string => Array.from({ length: count }, (_, index) => `word${index}`).join(' ');

export function serveEventTypes(api: Pick<FakeApi, 'on'>): FakeEventTypes {
  const types: Stored[] = [];
  const changes: EventTypeChange[] = [];
  const byName = new Map<string, Stored>();
  const state = { away: false };

  const note = (change: EventTypeChange['change'], { view }: Stored, more: Partial<EventTypeChange> = {}): void =>
    void changes.unshift({
      id: `etc_${changes.length}`,
      at,
      change,
      name: view.name,
      target: view.name,
      visibility: view.visibility,
      version: null,
      compatibility: null,
      from: null,
      into: null,
      notes: null,
      ...more,
    });

  function stored(name: string): Stored {
    const found = byName.get(name);
    if (found === undefined) throw new Error(`there is no ${name}`);
    return found;
  }

  // As JSON it has none.
  const summaryOf = ({ view }: Stored): EventTypeSummary => ({ ...view, newest: undefined }) as EventTypeSummary;

  function answer({ path }: HttpRequest): Reply | 'away' {
    if (state.away) return problemReply(503, 'unavailable', { retryAfter: '2' });
    const { pathname, searchParams } = new URL(path, 'http://api');
    const [inPath, below, version] = pathname.split('/').slice(3).map(decodeURIComponent);
    const name = inPath === '-' ? (searchParams.get('name') ?? undefined) : inPath;
    if (name === undefined) {
      const isRetired = searchParams.get('status') === 'retired';
      return {
        body: types.filter(({ view }) => (view.status === 'retired') === isRetired).map(summaryOf),
      };
    }
    if (name === 'changes')
      return {
        body: changes.map((change) => {
          const type = byName.get(change.name);
          return { ...change, target: type === undefined || type.view.status === 'retired' ? null : type.view.name };
        }),
      };
    const type = byName.get(name);
    if (type === undefined) return problemReply(404, 'not_found');
    if (type.view.status === 'retired') return problemReply(410, 'gone');
    if (type.view.name !== name) {
      const { kind = 'renamed' } = type.view.aliases.find((alias) => alias.name === name) ?? {};
      return { status: 301, body: { name, kind, target: type.view.name } };
    }
    if (below === undefined) return { body: type.view };
    const found = type.versions.find((one) => String(one.version) === version);
    return found === undefined ? problemReply(404, 'not_found') : { body: found };
  }

  api.on('GET /v1/event-types*', answer);
  return {
    get away() {
      return state.away;
    },
    set away(away) {
      state.away = away;
    },
    create(name, given = {}) {
      const view: EventType = {
        id: `typ_${types.length}`,
        name,
        status: 'active',
        visibility: 'public',
        category: null,
        groups: [...name.matchAll(/\./g)].map(({ index }) => name.slice(0, index)),
        description: '',
        notes: '',
        words: 0,
        enforce: 'off',
        paused: null,
        deprecation: null,
        aliases: [],
        links: {},
        version: null,
        created_at: at,
        changed_at: at,
        retired_at: null,
        newest: null,
        ...given,
      };
      const one = { view, versions: [] };
      types.push(one);
      byName.set(name, one);
      note('created', one);
    },
    set: (name, given) => void Object.assign(stored(name).view, given),
    publish(name, given) {
      const type = stored(name);
      const version: EventTypeVersion = {
        version: type.versions.length + 1,
        schema: true,
        example: {},
        example_generated: false,
        notes: '',
        compatibility: type.versions.length === 0 ? 'initial' : 'compatible',
        differences: [],
        fields: [],
        fields_truncated: false,
        published_at: at,
        ...given,
      };
      type.versions.push(version);
      Object.assign(type.view, { version: version.version, newest: version });
      note('version', type, { version: version.version, compatibility: version.compatibility });
    },
    rename(name, to) {
      const type = stored(name);
      const { view } = type;
      const former = view.name;
      view.name = to;
      view.groups = [...to.matchAll(/\./g)].map(({ index }) => to.slice(0, index));
      view.aliases = [...view.aliases, { name: former, kind: 'renamed' as const, since: at }].filter(
        (alias) => alias.name !== to,
      );
      byName.set(to, type);
      note('renamed', type, { from: former });
    },
    merge(name, into) {
      const [type, other] = [stored(name), stored(into)];
      note('merged', type, { into: other.view.name });
      for (const alias of [type.view.name, ...type.view.aliases.map((one) => one.name)]) {
        other.view.aliases = [...other.view.aliases, { name: alias, kind: 'merged', since: at }];
        byName.set(alias, other);
      }
      types.splice(types.indexOf(type), 1);
    },
    retire(name) {
      const type = stored(name);
      Object.assign(type.view, { status: 'retired', retired_at: at });
      note('retired', type);
    },
    names: () => types.filter(({ view }) => view.status !== 'retired').map(({ view }) => view.name),
  };
}
