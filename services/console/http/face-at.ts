import type { Face } from '../page.ts';

const inPortal = /^\/(portal|p)(\/|$)/;

/** Whose page an address is where nothing is: what is at no path belongs to the console, where there is one. */
export function faceAt(pathname: string, { base, faces }: { base: string; faces: readonly Face[] }): Face {
  const [first = 'console'] = faces;
  if (faces.includes('portal') && inPortal.test(pathname.slice(base.length))) return 'portal';
  return faces.includes('console') ? 'console' : first;
}
