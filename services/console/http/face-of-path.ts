import type { Face } from '../page.ts';

const portalPaths = /^\/(portal|p)(\/|$)/;

/** The face of an address that has no page: the portal for paths below its own, otherwise the console, if the process shows it. */
export function faceOfPath(pathname: string, { base, faces }: { base: string; faces: readonly Face[] }): Face {
  const [first = 'console'] = faces;
  if (faces.includes('portal') && portalPaths.test(pathname.slice(base.length))) return 'portal';
  return faces.includes('console') ? 'console' : first;
}
