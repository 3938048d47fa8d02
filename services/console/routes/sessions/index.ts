import { endOperatorSession, endSession } from './end.ts';
import { operatorSessions, sessions } from './sessions.ts';

/** The sessions of a tenant, and those of the operator. Signing in and out is in session/. */
export const sessionPages = [sessions, endSession, operatorSessions, endOperatorSession];
