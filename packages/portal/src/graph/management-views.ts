import { z } from 'zod'

/** A record of a log, as the management API lists it. */
const auditRecord = z.object({
  id: z.string(),
  at: z.iso.datetime().transform((text) => new Date(text)),
  tenantId: z.string().nullable(),
  actor: z.string(),
  action: z.string(),
  target: z.string().nullable(),
  outcome: z.enum(['done', 'refused']),
  reason: z.string().nullable(),
  correlationId: z.string().nullable(),
})

export type AuditView = z.output<typeof auditRecord>

export const auditPage = z.object({ value: z.array(auditRecord), next: z.string().nullable() })

const dateTime = z.iso.datetime().transform((text) => new Date(text))

/** A signing key, as the management API lists it. */
export const keyState = z.object({
  kid: z.string(),
  announcedDateTime: dateTime,
  signsFromDateTime: dateTime,
  phase: z.string(),
  untilDateTime: dateTime.nullable(),
})

export type KeyView = z.output<typeof keyState>
