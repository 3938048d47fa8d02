import type { PageContent } from '../page-result.ts';
import { sections } from '../sections.ts';

export type Crumb = NonNullable<PageContent['crumbs']>[number];

/** The way back to a list of the navigation, and to what is below it. */
export const crumbsTo = (t: string, section: keyof typeof sections, ...below: readonly Crumb[]): Crumb[] => [
  { label: sections[section].label, href: t + sections[section].path },
  ...below,
];
