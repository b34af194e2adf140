import { z } from 'zod'

const dateTime = z.iso.datetime().transform((text) => new Date(text))

/** A record of a log, as the management API lists it. */
const auditRecord = z.object({
  id: z.string(),
  at: dateTime,
  tenantId: z.string().nullable(),
  actor: z.string(),
  blueprintId: z.string().optional(),
  action: z.string(),
  target: z.string().nullable(),
  outcome: z.enum(['done', 'refused']),
  reason: z.string().nullable(),
  correlationId: z.string().nullable(),
})

export type AuditView = z.output<typeof auditRecord>

export const auditPage = z.object({ value: z.array(auditRecord), next: z.string().nullable() })

const auditHour = z.object({
  from: dateTime,
  done: z.number(),
  refused: z.number(),
})

export type AuditHourView = z.output<typeof auditHour>

export const auditHours = z.object({ value: z.array(auditHour) })

/** A signing key, as the management API lists it. */
export const keyState = z.object({
  kid: z.string(),
  announcedDateTime: dateTime,
  signsFromDateTime: dateTime,
  phase: z.string(),
  untilDateTime: dateTime.nullable(),
})

export type KeyView = z.output<typeof keyState>
