import { hash } from 'node:crypto'

/** A time with the seven digits of a second that Microsoft Graph keeps. A Date has three. */
class ExactTime extends Date {
  readonly #digits: string

  constructor(ms: number, digits: string) {
    super(ms)
    this.#digits = digits
  }

  override toISOString(): string {
    return super.toISOString().replace('Z', `${this.#digits}Z`)
  }
}

/** Reads the time in a text, with up to seven digits of a second. */
export function exactTime(text: string): Date {
  const time = new Date(text)
  const digits = /\.\d{3}(\d{1,4})/.exec(text)?.[1]?.padEnd(4, '0') ?? '0000'
  return digits === '0000' ? time : new ExactTime(time.getTime(), digits)
}

/**
 * A time that the server chose, with seven digits. The clock gives three. The others follow from
 * the ID of the object, so every server shows the same digits.
 */
export function madeTime(time: Date, id: string): Date {
  const number = hash('sha256', id, 'buffer').readUInt16BE()
  const digits = `${String(number % 1000).padStart(3, '0')}${1 + (number % 9)}`
  return new ExactTime(time.getTime(), digits)
}

/** A Microsoft Graph time, without trailing zeros in its seconds (entra E340). */
export const timeText = (time: Date): string => time.toISOString().replace(/\.?0{0,7}Z$/, 'Z')

/** The time of a change to an object, for which Microsoft Graph keeps whole seconds (entra E341). */
export const wholeSeconds = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`
