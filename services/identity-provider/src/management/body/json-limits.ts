/** The limits of a JSON text. */
export type JsonLimits = {
  readonly maxLevels: number
  readonly maxPropertiesOfObject: number
  /** The largest number of properties and entries of arrays in all objects and arrays together. */
  readonly maxValues: number
}

const [quote, backslash, colon, comma] = [0x22, 0x5c, 0x3a, 0x2c]
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Finds the first limit that a JSON text exceeds, in one walk that ends there. It comes before the
 * parser, because a value of many objects takes far longer to build and to validate than its text.
 * A text that is not JSON may have any answer, since the parser refuses it.
 *
 * @returns the name of the limit; undefined when the text exceeds none
 */
export function exceededJsonLimit(
  text: Uint8Array,
  limits: JsonLimits,
): keyof JsonLimits | undefined {
  const { maxLevels, maxPropertiesOfObject, maxValues } = limits
  const propertiesAtLevel = new Uint32Array(maxLevels + 1)
  let level = 0
  // Each array and object has at most one value more than commas.
  let values = 0
  for (let index = 0; index < text.length; index += 1) {
    const byte = text[index]
    if (byte === quote) index = endOfString(text, index)
    else if (byte === openBrace || byte === openBracket) {
      level += 1
      values += 1
      if (level > maxLevels) return 'maxLevels'
      propertiesAtLevel[level] = 0
    } else if (byte === closeBrace || byte === closeBracket) level -= 1
    else if (byte === comma) values += 1
    else if (byte === colon) {
      const properties = (propertiesAtLevel[level] ?? 0) + 1
      propertiesAtLevel[level] = properties
      if (properties > maxPropertiesOfObject) return 'maxPropertiesOfObject'
    }
    if (values > maxValues) return 'maxValues'
  }
  return undefined
}

/** The index of the closing quote; the length of the text without one. */
function endOfString(text: Uint8Array, start: number): number {
  let index = start + 1
  while (index < text.length && text[index] !== quote) index += text[index] === backslash ? 2 : 1
  return index
}
