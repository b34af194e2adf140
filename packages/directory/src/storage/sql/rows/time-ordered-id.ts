import { randomUUID } from 'node:crypto'

let count = 0

/**
 * A unique ID (UUID version 7) that sorts by time, and within a process by order of creation.
 *
 * @see RFC 9562 section 5.7, section 6.2
 */
export function timeOrderedId(at: Date): string {
  count = (count + 1) & 0xfff
  // A random UUID ends in the variant and 62 random bits, as version 7 does.
  return `${timeOf(at)}-7${hex(count, 3)}${randomUUID().slice(18)}`
}

/** The id that sorts before all ids of this time and after all earlier ids. */
export const timeOrderedIdFloor = (at: Date): string => `${timeOf(at)}-0000-0000-000000000000`

const timeOf = (at: Date) => {
  const text = hex(Math.max(0, at.getTime()), 12)
  return `${text.slice(0, 8)}-${text.slice(8)}`
}

const hex = (number: number, digits: number) => number.toString(16).padStart(digits, '0')
