import { type Clock, silentLogger, systemClock } from '#lib/runtime';
import { type CheckLimits, createDocumentJobs, createSchemaChecks } from '#lib/schema-checks';

/** A machine that runs tests is slow at times. */
export const patientLimits: CheckLimits = { checkMs: 5_000, compileMs: 20_000, tenantShare: 1 };

export const patientChecks = () => createSchemaChecks({ clock: systemClock, log: silentLogger, limits: patientLimits });

export const patientDocuments = () =>
  createDocumentJobs({
    clock: systemClock,
    log: silentLogger,
    limits: { readMs: 20_000, schemaMs: 20_000, tenantShare: 1 },
  });

/** Slower than the system's, for the time limits of whoever asks for checks: starting the thread counts into the first batch's two seconds. */
export const patientClock: Clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() / 20 };
