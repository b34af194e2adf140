/**
 * Reads the pairs of `application/x-www-form-urlencoded` in linear time, and no more than `maxPairs`.
 * `URLSearchParams` takes quadratic time for pairs without `=`.
 */
export function readPairs(
  body: string,
  maxPairs: number,
): readonly (readonly [string, string])[] | 'too_many_parameters' | 'parameter_malformed' {
  const pairs: [string, string][] = []
  for (let start = 0, end = 0; start < body.length; start = end + 1) {
    end = body.indexOf('&', start)
    if (end < 0) end = body.length
    if (end === start) continue
    if (pairs.length === maxPairs) return 'too_many_parameters'
    const pair = body.slice(start, end)
    const equals = pair.indexOf('=')
    const name = percentDecode(equals < 0 ? pair : pair.slice(0, equals))
    const value = equals < 0 ? '' : percentDecode(pair.slice(equals + 1))
    if (name === undefined || value === undefined) return 'parameter_malformed'
    pairs.push([name, value])
  }
  return pairs
}

/** Decodes one percent-encoded name or value; undefined when it is malformed. */
export function percentDecode(encoded: string): string | undefined {
  if (!/[%+]/.test(encoded)) return encoded
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}
