/** The values of one run, by the name that replaces them, such as `{ tenant: '3ab8...' }`. */
export type KnownValues = Readonly<Record<string, string>>

const variableParts: readonly { readonly pattern: RegExp; readonly name: string }[] = [
  { pattern: /(?<=\/eid1\/c\/pub\/)t\/[\w-]{22}\/a\/[\w-]{22}/g, name: 't/<tenant>/a/<blueprint>' },
  { pattern: /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi, name: '<guid>' },
  { pattern: /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)?/g, name: '<time>' },
]

/** Replaces the parts of an output that differ between two runs. Trailing spaces are removed. */
export function stableTranscript(output: string, known: KnownValues): string {
  let text = output
  for (const [name, value] of Object.entries(known)) text = text.replaceAll(value, `<${name}>`)
  for (const { pattern, name } of variableParts) text = text.replace(pattern, name)
  return text.replace(/[ \t]+$/gm, '')
}

/** The first row that differs, or undefined when both transcripts are equal. */
export function firstDifference(expected: string, actual: string): string | undefined {
  if (expected === actual) return undefined
  const actualRows = actual.split('\n')
  const expectedRows = expected.split('\n')
  const index = actualRows.findIndex((row, place) => row !== expectedRows[place])
  const place = index === -1 ? actualRows.length : index
  return `row ${place + 1}: expected ${shown(expectedRows[place])}, printed ${shown(actualRows[place])}`
}

const shown = (row: string | undefined) => (row === undefined ? 'the end' : `"${row}"`)
