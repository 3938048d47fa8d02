import { sessionCode } from './code.ts';
import { signIn } from './sign-in.ts';
import { signOut } from './sign-out.ts';

/** Signing in and out of the console. The sessions of a tenant are in sessions/. */
export const signInPages = [signIn, signOut, sessionCode];
