/**
 * Tags: short texts by name, by which events are found. A source's `tags_from` takes them from a webhook, a publisher gives them. They are
 * as private as the payload, so that they are in no log, trace or metric.
 */

export type Tags = Readonly<Record<string, string>>;

/** The limit for one event. */
export const maxTags = 5;
export const maxTagBytes = 128;

/** A name has no colon: that separates it from the value. */
export const tagNamePattern = '^[A-Za-z0-9_.-]{1,64}$';
const tagName = new RegExp(tagNamePattern);

export const isTagName = (name: string): boolean => tagName.test(name);

/** Text of one line that Postgres can index. */
export const isTagValue = (value: string): boolean =>
  value !== '' && value.isWellFormed() && !/\p{Cc}/u.test(value) && Buffer.byteLength(value) <= maxTagBytes;
