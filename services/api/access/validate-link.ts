import type { BodyOf, createPortalLink } from '#lib/api-contract';
import type { FieldErrors } from '../http/send-problem.ts';
import type { PortalDeps } from '../route.ts';

/** WCAG 2.2, 1.4.3: of text in normal size. */
const leastContrast = 4.5;

/** Errors of a portal link that its schema does not see. */
export function validateLink(
  { capabilities, return_url: returnUrl, accent }: BodyOf<typeof createPortalLink>,
  { returnOrigins }: Pick<PortalDeps, 'returnOrigins'>,
): FieldErrors {
  return [
    ...(capabilities.includes('view')
      ? []
      : [{ field: '/capabilities', message: 'must have `view`: without it, nothing is shown' }]),
    ...(returnUrl === undefined ? [] : returnErrors(returnUrl, returnOrigins)),
    ...(accent === undefined ? [] : accentErrors(accent)),
  ];
}

function returnErrors(text: string, origins: readonly string[]): FieldErrors {
  const field = '/return_url';
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '')
    return [{ field, message: 'must be an https URL without credentials' }];
  if (origins.some((origin) => URL.parse(origin)?.origin === url.origin)) return [];
  return [{ field, message: 'must have one of the origins of HOOKLINE_PORTAL_RETURN_ORIGINS' }];
}

function accentErrors(accent: string): FieldErrors {
  const contrast = contrastWithWhite(accent);
  if (contrast >= leastContrast) return [];
  // Rounded down: 4.49 is not said to be 4.5.
  const shown = (Math.floor(contrast * 10) / 10).toFixed(1);
  return [
    { field: '/accent', message: `must have a contrast of ${leastContrast}:1 or more with white, and has ${shown}:1` },
  ];
}

/** The contrast ratio of WCAG 2.2 between `#rrggbb` and white: from 1 to 21. */
export function contrastWithWhite(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05);
}
