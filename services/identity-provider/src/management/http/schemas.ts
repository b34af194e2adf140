import { z } from 'zod'
import { isGuid } from '../../directory/guid.ts'
import { storableTextIssues } from '../../directory/storable-text.ts'

/**
 * A text that every store can keep, byte for byte.
 *
 * @param maxLength In UTF-16 code units; default 256.
 */
export const text = (maxLength = 256) =>
  z
    .string()
    // A text that is too long is not looked at any further.
    .max(maxLength, { error: `must not be longer than ${maxLength} characters`, abort: true })
    .check(({ value, issues }) => {
      for (const message of storableTextIssues(value))
        issues.push({ code: 'custom', input: value, message })
    })

/** A text that says something. */
export const name = (maxLength?: number) =>
  text(maxLength).refine((value) => value.trim() !== '', 'must not be empty')

/** A GUID in any case, kept in lower case. */
export const guid = z
  .string()
  .refine(isGuid, 'must be a GUID')
  .transform((value) => value.toLowerCase())

/** A point in time with its time zone, as RFC 3339 writes it. */
export const dateTime = z
  .string()
  .refine(
    (value) => z.iso.datetime({ offset: true }).safeParse(value).success,
    'must be a date and time as in 2026-01-31T12:00:00Z',
  )
  .transform((value) => new Date(value))
