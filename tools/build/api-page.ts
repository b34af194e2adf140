import { createHash } from 'node:crypto'

const form =
  /^# .*\n\n`npm run generate` writes this page\.\nLast change: (.*)\nDigest: `(\w+)`\n\n(.*)$/s

/** A page of `tools/api-reports/`, with the entry of the changelog that describes its last change. */
export type ApiPage = { readonly entry: string; readonly digest: string; readonly report: string }

/** Connects a report with its entry, so that neither changes alone. */
const digestOf = (report: string, entry: string): string =>
  createHash('sha256').update(`${entry}\n${report}`).digest('hex').slice(0, 16)

export const writeApiPage = (name: string, report: string, entry: string): string =>
  `# The interface of ${name}\n\n\`npm run generate\` writes this page.\nLast change: ${entry}\nDigest: \`${digestOf(report, entry)}\`\n\n${report}`

export function readApiPage(text: string): ApiPage | undefined {
  const [, entry, digest, report] = form.exec(text) ?? []
  if (entry === undefined || digest === undefined || report === undefined) return undefined
  return { entry, digest, report }
}

/** Returns what is wrong with a page, or undefined if nothing is. */
export function apiPageFault(
  page: ApiPage | undefined,
  report: string,
  changelog: string,
): string | undefined {
  const remedy = 'Describe the change in CHANGELOG.md, and run: npm run generate -- "<that entry>"'
  if (page?.report !== report) return `the exported names or types have changed. ${remedy}`
  if (page.digest !== digestOf(report, page.entry)) return `the page was written by hand. ${remedy}`
  if (!changelog.includes(page.entry)) return `CHANGELOG.md has no entry "${page.entry}". ${remedy}`
  return undefined
}
