import { z } from 'zod'

/** Any one of the letters and digits that `$search` takes as a word. */
const word = /[\p{L}\p{N}]/u
/** They end the text of a `$search`. */
const quoting = /["\\]/g

/** The query for objects by their application ID, or by words of their names in any order. */
export function searchQuery(text: string): Readonly<Record<string, string>> {
  if (text === '') return {}
  if (z.guid().safeParse(text).success) return { $filter: `appId eq '${text}'` }
  if (word.test(text)) return { $search: `"displayName:${text.replaceAll(quoting, ' ')}"` }
  return { $filter: `startswith(displayName,'${text.replaceAll("'", "''")}')` }
}
