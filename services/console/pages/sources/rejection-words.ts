import { problemCodes } from '#lib/problem';

/** Why a webhook was rejected, as its sender was told. */
export function rejectionWords(code: string): string {
  const known = Object.hasOwn(problemCodes, code) ? problemCodes[code as keyof typeof problemCodes] : undefined;
  return known?.title ?? code.replaceAll('_', ' ');
}
