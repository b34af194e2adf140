import { refuse } from '../refusals/graph-error.ts'

const references = /@odata\.(?:bind|id)$/

/**
 * A body without its control information. Every SDK sends some, such as `@odata.type`, and OData lets a
 * service ignore it. References by `@odata.bind` and `@odata.id` are no such information: they change an
 * object.
 *
 * @param embedded the name of members that are bodies themselves, and stay as they are
 * @see OData JSON Format 4.01 section 4.6
 */
export function withoutControlInformation(body: unknown, embedded?: string): unknown {
  if (Array.isArray(body)) return body.map((entry) => withoutControlInformation(entry, embedded))
  if (typeof body !== 'object' || body === null) return body
  return Object.fromEntries(
    Object.entries(body)
      .filter(([name]) => !name.includes('@odata.') || references.test(name))
      .map(([name, value]) => [
        name,
        name === embedded ? value : withoutControlInformation(value, embedded),
      ]),
  )
}

const typeName = /^(?:[^#]*#)?(?:microsoft\.)?graph\.(\w+)$/i
const maxTypeLength = 100

/**
 * Requires that a body for one type of objects names no other one. Such an object must not become an
 * ordinary one.
 *
 * @param type without namespace
 * @throws {GraphError} graph_refusal type_unsupported.
 * @see OData JSON Format 4.01 section 4.6.3
 */
export function requireType(body: unknown, type: string): void {
  const { '@odata.type': named = null } = Object(body)
  if (named === null) return
  const text = String(named).slice(0, maxTypeLength)
  if (typeName.exec(text)?.[1]?.toLowerCase() === type.toLowerCase()) return
  throw refuse('type_unsupported', text, type)
}
