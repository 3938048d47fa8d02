import type { SourceScheme } from '#lib/contract';
import { github } from './github.ts';
import { hookline } from './hookline.ts';
import type { SignatureScheme } from './scheme.ts';

/** Every scheme that a source may have, by its name. */
export const signatureSchemes: Readonly<Record<SourceScheme, SignatureScheme>> = { hookline, github };
