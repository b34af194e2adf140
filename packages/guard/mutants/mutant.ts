/** A text in the guard's source, and its replacement. Every occurrence is replaced. */
export type Edit = readonly [find: string, replace: string]

/** One way to break the guard. */
export type Mutant = {
  /** The changed file, below `src`. */
  readonly file: string
  /** The broken rule. */
  readonly breaks: string
  readonly edits: readonly Edit[]
}

/** Creates several mutants of one file. */
export function mutantsOf(
  file: string,
  rows: readonly (readonly [breaks: string, ...edits: Edit[]])[],
): readonly Mutant[] {
  return rows.map(([breaks, ...edits]) => ({ file, breaks, edits }))
}
