import { InvalidArgumentError } from 'commander'

const unitsMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

const maxCharacters = 100

// Timers of the runtime hold no more.
const maxMs = 24 * 86_400_000

/** Reads a duration as a person writes it, such as 5m or 1h30m, as milliseconds. */
export function durationMs(text: string): number {
  // Many digits without a unit would be read from each of them on.
  const parts = [...text.slice(0, maxCharacters).matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)]
  const sum = parts.reduce(
    (ms, [, count, unit = '']) => ms + Number(count) * (unitsMs[unit] ?? 0),
    0,
  )
  if (parts.map(([part]) => part).join('') !== text || text === '' || sum > maxMs) {
    throw new InvalidArgumentError(
      'The duration must have a form like 30s, 5m or 1h30m, and be at most 24d.',
    )
  }
  return Math.round(sum)
}

/** A duration in words as short as they are exact enough, such as 12 ms, 3.4 s or 2 min. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`
  return `${Math.round(ms / 60_000)} min`
}
