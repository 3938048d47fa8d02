import { eventTypeNamePattern } from '#lib/contract';

/** Below the base: what a canonical address and a sitemap say. */
export const typePath = (name: string): string => `/catalog/${encodeURIComponent(name)}`;
export const versionPath = (name: string, version: number): string => `${typePath(name)}/v/${version}`;
export const groupPath = (prefix: string): string => `/catalog/groups/${encodeURIComponent(prefix)}`;

const typeName = new RegExp(eventTypeNamePattern);
/** Nothing else can be the name of a type, so nothing has to be asked about it. */
export const isTypeName = (text: string): boolean => typeName.test(text);

/** The number of a version; undefined for what is none, or is written otherwise. */
export const versionOf = (text: string): number | undefined => (/^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined);
