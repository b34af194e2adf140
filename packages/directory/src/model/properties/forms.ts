import { z } from 'zod'
import { exactTime } from '../exact-time.ts'
import { isGuid } from '../guid.ts'
import { storableTextIssues } from '../storable-text.ts'
import { type ComplexType, defaultsOf, formsOf, type Member } from './property.ts'

/**
 * The schema of a text that every store can keep byte for byte.
 *
 * @param maxLength in UTF-16 code units; default 256
 */
export const text = (maxLength = 256) =>
  z
    .string()
    // A text that is too long is not examined any further.
    .max(maxLength, { error: `must not be longer than ${maxLength} characters`, abort: true })
    .check(({ value, issues }) => {
      for (const message of storableTextIssues(value))
        issues.push({ code: 'custom', input: value, message })
    })

/** The schema of a text that is not blank. */
export const name = (maxLength?: number) =>
  text(maxLength).refine((value) => value.trim() !== '', 'must not be empty')

/** The schema of a GUID in any case, stored in lower case. */
export const guid = z
  .string()
  .refine(isGuid, 'must be a GUID')
  .transform((value) => value.toLowerCase())

/** Whether Graph has a form for a time: an offset may move it out of these years. */
const isInRange = (time: Date): boolean => /^(?!0000)\d{4}-/.test(time.toISOString())

/** The schema of a date and time with its time zone (RFC 3339 section 5.6). */
export const dateTime = z
  .string()
  .refine(
    (value) => z.iso.datetime({ offset: true }).safeParse(value).success,
    'must be a date and time as in 2026-01-31T12:00:00Z',
  )
  .transform(exactTime)
  .refine(isInRange, 'must be in the years 1 to 9999')

/**
 * The schema of a collection in a body. The size is checked first, so entries above the limit cost nothing.
 *
 * @param maxEntries the largest number of entries
 */
export const bodyCollection = <Item extends z.ZodType>(
  item: Item,
  maxEntries: number,
  message = `must not hold more than ${maxEntries} entries`,
) => z.array(z.unknown()).max(maxEntries, message).pipe(z.array(item))

const webProtocols = new Set(['http:', 'https:'])

/** The schema of a page's URL. */
export const webUrl = text(2048).refine(
  (value) => webProtocols.has(URL.parse(value)?.protocol ?? ''),
  'must be a URL that starts with http:// or https://',
)

/** The numbers and sizes of Entra ID. */
const maxRedirectUris = 256
const maxTags = 100

/** The schema of a short text that only people read. */
export const note = text(1024)

export const tags = bodyCollection(text(), maxTags)

/** The schema of URLs for users to sign in. They have no effect here. */
export const redirectUris = bodyCollection(
  text().refine((value) => URL.canParse(value), 'must be an absolute URI'),
  maxRedirectUris,
)

/** The schema of an object whose members a body may omit. A null resets all of them. */
export const complex = <Members extends Readonly<Record<string, Member>>>({
  members,
}: ComplexType<Members>) => z.strictObject(formsOf(members)).partial().nullable()

/** The property row of an object that is only stored and shown. */
export const inertObject = <Members extends Readonly<Record<string, Member>>>(
  type: ComplexType<Members>,
) => ({ inert: defaultsOf(type), body: complex(type), type })

/** The origin, with an optional path, at which an API is mounted. */
export const baseUrl = z
  .url({ protocol: /^https?$/ })
  .refine((url) => !url.endsWith('/'), 'must not end with a slash')
