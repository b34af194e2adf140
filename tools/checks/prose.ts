/** One sentence of a document, and the line on which its paragraph begins. */
export type Sentence = { readonly text: string; readonly line: number; readonly words: number }

/** One paragraph, heading, list item or table cell, in one line of plain text. */
type Passage = { readonly text: string; readonly line: number }

/**
 * Replaces inline code by one word and links by their text, and removes emphasis and HTML.
 *
 * Code and addresses have no grammar of their own, so each counts as one word.
 */
export const withoutMarkup = (markdown: string): string =>
  markdown
    .replace(/(`+)(?:(?!\1).)+\1/g, 'CODE')
    .replace(/!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])/g, '$1')
    .replace(/https?:\/\/\S+/g, 'URL')
    .replace(/<!--.*?-->|<\/?[a-z][^>]*>/gi, ' ')
    .replace(/\*\*|__|(?<!\w)[*_]|[*_](?!\w)/g, '')

/** Splits Markdown into passages. Fenced code and the ruler of a table are left out. `<br>` ends a passage of a table. */
export function passagesOf(markdown: string): Passage[] {
  const passages: Passage[] = []
  let fence: string | undefined
  let open: { text: string; line: number } | undefined
  const close = () => {
    if (open) passages.push({ ...open, text: withoutMarkup(open.text).replace(/\s+/g, ' ').trim() })
    open = undefined
  }
  for (const [index, line] of markdown.split('\n').entries()) {
    const [mark] = /^\s*(?:```+|~~~+)/.exec(line) ?? []
    if (mark !== undefined || fence !== undefined) {
      close()
      if (fence === undefined) fence = mark?.trim()
      else if (mark?.trim().startsWith(fence)) fence = undefined
      continue
    }
    const start = index + 1
    if (/^\s*\|/.test(line)) {
      close()
      for (const cell of /^[\s|:-]+$/.test(line) ? [] : line.split(/(?<!\\)\||<br>/)) {
        open = { text: cell, line: start }
        close()
      }
      continue
    }
    const isHeading = /^#{1,6} /.test(line)
    const isNew = isHeading || /^\s*(?:[-*+]|\d+\.) |^>/.test(line) || line.trim() === ''
    if (isNew) close()
    const text = line.replace(/^\s*(?:#{1,6}|[-*+]|\d+\.|>) ?/, '')
    if (text.trim() !== '')
      open = open ? { ...open, text: `${open.text} ${text}` } : { text, line: start }
    if (isHeading) close()
  }
  close()
  return passages.filter(({ text }) => text !== '')
}

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' })

/** Splits plain text into sentences. A full stop inside a word, such as `v1.0`, does not end one. */
export const splitSentences = (text: string): string[] =>
  [...segmenter.segment(text)].map(({ segment }) => segment.trim())

/** Counts words. Signs that stand alone, such as a dash, are not words. */
export const countWords = (text: string): number =>
  text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length

/** Every sentence of a Markdown document. */
export const sentencesOf = (markdown: string): Sentence[] =>
  passagesOf(markdown).flatMap(({ text, line }) =>
    splitSentences(text).map((sentence) => ({ text: sentence, line, words: countWords(sentence) })),
  )
