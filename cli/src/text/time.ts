import { InvalidArgumentError } from 'commander'
import { z } from 'zod'
import { durationMs } from '../schedule/duration.ts'

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

/** An ISO time without its fraction of a second. */
export const wholeSeconds = (isoText: string): string => isoText.replace(/\.\d+Z$/, 'Z')

const unitsSeconds = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** A time relative to now, such as "in 54 minutes" or "5 minutes ago". */
export function timeInWords(epochSeconds: number, nowSeconds: number): string {
  const distance = Math.round(epochSeconds - nowSeconds)
  // At least two of a unit: "in 64 minutes" is more precise than "in 1 hour".
  const fitting = unitsSeconds.find(([, size]) => Math.abs(distance) >= 2 * size)
  const [unit, size] = fitting ?? ['second', 1]
  const count = Math.trunc(distance / size)
  return new Intl.RelativeTimeFormat('en', { numeric: 'auto' }).format(count, unit)
}
