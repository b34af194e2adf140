import { InvalidArgumentError } from 'commander'
import { z } from 'zod'
import { durationMs } from './duration.ts'

const isoTime = z.union([z.iso.date(), z.iso.datetime({ offset: true })])

/**
 * Parses a date in UTC, a time with its zone, or the age of a time such as 6h.
 *
 * @throws {InvalidArgumentError} commander.invalidArgument when it is none of them.
 */
export function parseTime(text: string, nowMs: number): Date {
  if (isoTime.safeParse(text).success) return new Date(text)
  try {
    return new Date(nowMs - durationMs(text))
  } catch {
    throw new InvalidArgumentError(
      'The time must have a form like 2026-01-31 or 2026-01-31T12:00:00Z, or be an age such as 30m, 6h or 7d (at most 24d).',
    )
  }
}
