import { z } from 'zod'
import { isGuid } from '../../directory/guid.ts'

const controlCharacter = /\p{Cc}/u

/**
 * A text that can be kept and shown byte for byte.
 *
 * Control characters are refused, because what is shown in a terminal would act there, and PostgreSQL
 * keeps no NUL; so are lone surrogates, which have no bytes in UTF-8.
 *
 * @param maxLength In UTF-16 code units; default 256.
 */
export const text = (maxLength = 256) =>
  z
    .string()
    .max(maxLength, `must not be longer than ${maxLength} characters`)
    .refine((value) => value.isWellFormed(), 'must not contain half a surrogate pair')
    .refine((value) => !controlCharacter.test(value), 'must not contain control characters')

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
