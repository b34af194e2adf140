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
