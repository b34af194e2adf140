import { z } from 'zod'
import { principalAppId } from '../directory/directory-state.ts'
import { type Graph, GraphRefusalError } from './graph.ts'
import { filtered, quoted } from './read-directory.ts'

/** An application of the tenant, or another tenant's application with a service principal in it. */
export type FoundApplication = {
  readonly applicationId: string
  readonly displayName: string
  readonly createdDateTime: Date | undefined
}

const named = z.object({
  id: z.guid().toLowerCase(),
  appId: principalAppId,
  displayName: z.string(),
  createdDateTime: z.iso.datetime({ offset: true }).nullish(),
  identifierUris: z.array(z.string()).default([]),
  servicePrincipalNames: z.array(z.string()).default([]),
})
type Named = z.output<typeof named>

const sets = ['/applications', '/servicePrincipals'] as const
// Longer than every name and every identifier URI.
const maxTextLength = 1024
const scopeSuffix = '/.default'

/**
 * Finds the applications that a text names: by application ID or object ID, else by identifier URI
 * or display name. A name in another case counts only if no name is equal.
 */
export async function findApplications(graph: Graph, text: string): Promise<FoundApplication[]> {
  const ask = async (questions: readonly (readonly [set: string, filter: string])[]) => {
    const paths = questions.flatMap(([set, filter]) => filtered(set, [filter]))
    return (await Promise.all(paths.map((path) => graph.list(path, named)))).flat()
  }
  const onBoth = (filter: string) => sets.map((set) => [set, filter] as const)
  if (text.length > maxTextLength) return []
  if (z.guid().safeParse(text).success) {
    const id = quoted(text.toLowerCase())
    const identified = await ask([...onBoth(`appId eq ${id}`), ...onBoth(`id eq ${id}`)])
    if (identified.length > 0) return distinct(identified).map(foundOf)
  }
  const uri = text.endsWith(scopeSuffix) ? text.slice(0, -scopeSuffix.length) : text
  const found = await ask([
    ...onBoth(`displayName eq ${quoted(text)}`),
    ['/applications', `identifierUris/any(x:x eq ${quoted(uri)})`],
    ['/servicePrincipals', `servicePrincipalNames/any(x:x eq ${quoted(uri)})`],
  ])
  const equal = found.filter((one) => one.displayName === text || urisOf(one).includes(uri))
  return distinct(equal.length > 0 ? equal : found).map(foundOf)
}

const maxSimilar = 5
const maxComparedLength = 64

/**
 * Finds at most five applications that a misspelt text can mean, the likeliest first. It compares
 * one page of the tenant's applications, and those that a search for the words of the text finds.
 */
export async function similarApplications(graph: Graph, text: string): Promise<FoundApplication[]> {
  const wanted = text.slice(0, maxComparedLength).toLowerCase()
  const words = wordsOf(wanted)
  const search = encodeURIComponent(`"displayName:${words.join(' ')}"`)
  const queries = ['$top=999', ...(words.length > 0 ? [`$search=${search}`] : [])]
  const pages = await Promise.all(
    sets.flatMap((set) => queries.map((query) => firstPage(graph, `${set}?${query}`))),
  )
  const near = distinct(pages.flat())
    .map((one) => ({ one, distance: distanceOf(one, wanted, words) }))
    .filter(({ distance }) => distance <= maxDistance(wanted))
    .toSorted((a, b) => a.distance - b.distance)
  return near.slice(0, maxSimilar).map(({ one }) => foundOf(one))
}

/** The page is only advice: its refusal is no failure of the search. */
async function firstPage(graph: Graph, path: string): Promise<Named[]> {
  try {
    for await (const page of graph.pages(path, named)) return page
  } catch (cause) {
    if (!(cause instanceof GraphRefusalError)) throw cause
  }
  return []
}

/** How far the nearest name of an application is from a text, as a whole or word by word. */
function distanceOf(one: Named, wanted: string, words: readonly string[]): number {
  const name = one.displayName.slice(0, maxComparedLength).toLowerCase()
  // Only a text with a colon can mean a URI, and comparisons of long texts take time.
  const uris = wanted.includes(':') ? urisOf(one).slice(0, maxSimilar) : []
  const texts = [name, one.appId, ...uris].map((text) => text.slice(0, maxComparedLength))
  const wordsOfName = wordsOf(name)
  const byWord = words.map((word) =>
    name.includes(word) ? 0 : Math.min(...wordsOfName.map((other) => editDistance(word, other))),
  )
  return Math.min(
    words.length === 0 ? Number.POSITIVE_INFINITY : byWord.reduce((sum, each) => sum + each, 0),
    ...texts.map((text) => distanceWithin(maxDistance(wanted), wanted, text.toLowerCase())),
  )
}

/** The distance, or infinity if the lengths alone differ by more than the limit. */
const distanceWithin = (limit: number, one: string, other: string) =>
  Math.abs(one.length - other.length) > limit ? Number.POSITIVE_INFINITY : editDistance(one, other)

const maxDistance = (wanted: string) => Math.ceil(wanted.length / 4)

const wordsOf = (text: string) => text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')

const urisOf = ({ identifierUris, servicePrincipalNames }: Named) => [
  ...identifierUris,
  ...servicePrincipalNames,
]

/** Each application once. The list of applications comes before the list of service principals. */
const distinct = (all: readonly Named[]): Named[] =>
  [...new Map(all.toReversed().map((one) => [one.appId || one.id, one])).values()].toReversed()

const foundOf = ({ id, appId, displayName, createdDateTime }: Named): FoundApplication => ({
  applicationId: appId || id,
  displayName,
  createdDateTime: createdDateTime ? new Date(createdDateTime) : undefined,
})

/**
 * The number of characters to insert, remove, replace or swap with their neighbour, so that one text
 * becomes the other. It takes time in proportion to the product of both lengths, so limit both first.
 */
export function editDistance(one: string, other: string): number {
  const width = other.length + 1
  // Rows of the table one after the other. A row needs only the two before it.
  const rows = new Uint32Array(3 * width)
  for (let column = 0; column < width; column += 1) rows[column] = column
  for (let row = 1; row <= one.length; row += 1) {
    const current = (row % 3) * width
    const last = ((row - 1) % 3) * width
    const beforeLast = ((row + 1) % 3) * width
    rows[current] = row
    for (let column = 1; column < width; column += 1) {
      const isSame = one.charCodeAt(row - 1) === other.charCodeAt(column - 1)
      let least = at(rows, last + column - 1) + (isSame ? 0 : 1)
      least = Math.min(least, at(rows, last + column) + 1, at(rows, current + column - 1) + 1)
      const isSwapped =
        row > 1 &&
        column > 1 &&
        one.charCodeAt(row - 1) === other.charCodeAt(column - 2) &&
        one.charCodeAt(row - 2) === other.charCodeAt(column - 1)
      if (isSwapped) least = Math.min(least, at(rows, beforeLast + column - 2) + 1)
      rows[current + column] = least
    }
  }
  return at(rows, (one.length % 3) * width + other.length)
}

const at = (rows: Uint32Array, index: number) => rows[index] ?? 0
