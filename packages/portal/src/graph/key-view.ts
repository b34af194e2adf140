import { z } from 'zod'

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
