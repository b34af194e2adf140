/**
 * A body without its control information. Every SDK sends some, such as `@odata.type`, and OData lets a
 * service ignore it. A reference by `@odata.bind` is no such information: it changes an object.
 *
 * @see OData JSON Format 4.01 section 4.6
 */
export function withoutControlInformation(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(withoutControlInformation)
  if (typeof body !== 'object' || body === null) return body
  return Object.fromEntries(
    Object.entries(body)
      .filter(([name]) => !name.includes('@odata.') || name.endsWith('@odata.bind'))
      .map(([name, value]) => [name, withoutControlInformation(value)]),
  )
}
