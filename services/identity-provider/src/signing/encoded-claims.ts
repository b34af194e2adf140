/** The JSON text of a list, cut where groups of three bytes begin and end. */
type EncodedList = {
  /** The bytes that complete the group of the text before the list: 0 to 2. */
  readonly first: Buffer
  readonly groups: string
  readonly last: Buffer
}

/** Frozen lists in their latest place. Each is serialized once, until its place in the groups changes. */
const encodedLists = new WeakMap<readonly unknown[], EncodedList>()

/** The JSON of a value as base64url. */
export const encodeJson = (value: object): string =>
  Buffer.from(JSON.stringify(value)).toString('base64url')

/**
 * The JSON of claims as base64url.
 *
 * The first frozen list is serialized and encoded only once. It contains strings only, so that
 * nothing in it can change.
 */
export function encodeClaims(claims: object): string {
  const index = Object.values(claims).findIndex(isFrozenList)
  const [name, list] = index < 0 ? [] : (Object.entries(claims)[index] ?? [])
  if (name === undefined) return encodeJson(claims)
  // Quotation marks in a text are escaped, so only the member itself has this form.
  const member = `${JSON.stringify(name)}:`
  const text = JSON.stringify({ ...claims, [name]: [] })
  const start = text.indexOf(`${member}[]`) + member.length
  const before = Buffer.from(text.slice(0, start))
  const { first, groups, last } = encodedList(list, (3 - (before.length % 3)) % 3)
  const head = Buffer.concat([before, first]).toString('base64url')
  const tail = Buffer.concat([last, Buffer.from(text.slice(start + '[]'.length))])
  return `${head}${groups}${tail.toString('base64url')}`
}

const isFrozenList = (value: unknown) => Array.isArray(value) && Object.isFrozen(value)

function encodedList(list: readonly string[], firstLength: number): EncodedList {
  const known = encodedLists.get(list)
  if (known?.first.length === firstLength) return known
  const text = Buffer.from(JSON.stringify(list))
  const end = text.length - ((text.length - firstLength) % 3)
  const encoded = {
    first: text.subarray(0, firstLength),
    groups: text.toString('base64url', firstLength, end),
    last: text.subarray(end),
  }
  encodedLists.set(list, encoded)
  return encoded
}
