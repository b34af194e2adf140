import { InvalidArgumentError } from 'commander'

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

const unitsMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

const maxCharacters = 100

// The maximum delay of a timer in Node.
const maxMs = 24 * 86_400_000

/** Parses a duration such as 5m or 1h30m, in milliseconds. */
export function durationMs(text: string): number {
  // Limit the length first: the match takes quadratic time on many digits without a unit.
  const parts = [...text.slice(0, maxCharacters).matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)]
  const sum = parts.reduce(
    (ms, [, count, unit = '']) => ms + Number(count) * (unitsMs[unit] ?? 0),
    0,
  )
  if (parts.map(([part]) => part).join('') !== text || text === '' || sum > maxMs)
    throw new InvalidArgumentError(
      'The duration must have a form like 30s, 5m or 1h30m, and be at most 24d',
    )
  return Math.round(sum)
}

/** Formats a duration with one unit, such as 12 ms, 3.4 s or 2 min. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`
  return `${Math.round(ms / 60_000)} min`
}

/** Says why requests wait, and when they are sent again. */
export const waitText = (server: string, reason: string, durationMs: number): string =>
  `${server}: ${reason}. Next attempt in ${(durationMs / 1000).toFixed(1)} s.\n`
