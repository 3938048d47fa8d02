import type { Scope } from '#lib/api-contract';
import type { PageContent } from './page-result.ts';
import { hasScope, type Session } from './reader.ts';

interface SectionRow {
  label: string;
  /** Below the tenant's base; of the operator: below the console's. */
  path: string;
  scope: Scope | 'operator';
}

/** The entries of the navigation, in its order. What a session may not see is left out. */
export const sections = {
  overview: { label: 'Overview', path: '', scope: 'read' },
  events: { label: 'Events', path: '/events', scope: 'read' },
  deliveries: { label: 'Deliveries', path: '/deliveries', scope: 'read' },
  endpoints: { label: 'Endpoints', path: '/endpoints', scope: 'read' },
  sources: { label: 'Sources', path: '/sources', scope: 'read' },
  dead_letters: { label: 'Dead letters', path: '/dead-letters', scope: 'read' },
  replays: { label: 'Replays', path: '/replays', scope: 'read' },
  keys: { label: 'Keys', path: '/keys', scope: 'admin' },
  sessions: { label: 'Sessions', path: '/sessions', scope: 'admin' },
  audit: { label: 'Audit', path: '/audit', scope: 'admin' },
  tenants: { label: 'Tenants', path: '/tenants', scope: 'operator' },
  system: { label: 'System', path: '/system', scope: 'operator' },
} as const satisfies Record<string, SectionRow>;

export type NamedSection = SectionRow & { name: string };
const named: readonly NamedSection[] = Object.entries(sections).map(([name, row]) => ({ name, ...row }));

export const operatorSections = named.filter(({ scope }) => scope === 'operator');

/** The sections of a tenant that the session may see. */
export const tenantSections = (session: Session): readonly NamedSection[] =>
  named.filter(({ scope }) => scope !== 'operator' && hasScope(session, scope));

/** The sections of the portal, below its base. */
export const portalSections = {
  overview: { label: 'Start', path: '' },
  endpoints: { label: 'Endpoints', path: '/endpoints' },
  deliveries: { label: 'Deliveries', path: '/deliveries' },
  events: { label: 'Events', path: '/events' },
  replays: { label: 'Replays', path: '/replays' },
  event_types: { label: 'Event types', path: '/event-types' },
} as const;

export type Section = keyof typeof sections | keyof typeof portalSections;

export type Crumb = NonNullable<PageContent['crumbs']>[number];

/** The way back to a list of the navigation, and to what is below it. */
export const crumbsTo = (t: string, section: keyof typeof sections, ...below: readonly Crumb[]): Crumb[] => [
  { label: sections[section].label, href: t + sections[section].path },
  ...below,
];
