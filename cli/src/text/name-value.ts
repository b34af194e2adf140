import { InvalidArgumentError } from 'commander'

export type NameValues = Readonly<Record<string, unknown>>

/**
 * Adds a repeated option of the form `name=value` to the previous ones. The value is JSON, else a text.
 *
 * @throws {InvalidArgumentError} when the text has no name
 */
export function addNameValue(text: string, previous: NameValues = {}): NameValues {
  const nameCharacters = text.indexOf('=')
  if (nameCharacters < 1) throw new InvalidArgumentError('The form is name=value')
  const value = jsonOrText(text.slice(nameCharacters + 1))
  return { ...previous, [text.slice(0, nameCharacters)]: value }
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
