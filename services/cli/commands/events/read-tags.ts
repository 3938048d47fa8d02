import { usageFailure } from '../../command-failure.ts';

/** `name:value`, repeatable. The API validates them. */
export const readTags = (texts: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    texts.map((text) => {
      const colon = text.indexOf(':');
      if (colon === -1) throw usageFailure(`--tag must be NAME:VALUE, not ${text}`);
      return [text.slice(0, colon), text.slice(colon + 1)];
    }),
  );
