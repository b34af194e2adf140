import { z } from 'zod'

/** The books of the audit, as a person names them and as the identity provider does. */
export const auditBooks = { directory: 'directory', 'sign-ins': 'signIns' } as const

export type AuditBook = keyof typeof auditBooks

/** Who did what to what, when, and how it ended. */
export const auditRecord = z.object({
  id: z.string(),
  at: z.iso.datetime(),
  tenantId: z.string().nullable(),
  actor: z.string(),
  action: z.string(),
  target: z.string().nullable(),
  outcome: z.string(),
  reason: z.string().nullable(),
  correlationId: z.string().nullable(),
})

/** A record, and the book that it is in. */
export type AuditRecord = z.output<typeof auditRecord> & { readonly book: AuditBook }

/** A part of a book, the latest first; `next` leads to the part before it. */
export const auditPage = z.object({ value: z.array(auditRecord), next: z.string().nullable() })
