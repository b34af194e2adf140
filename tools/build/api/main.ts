import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readApiPage, writeApiPage } from '../api-page.ts'
import { packageReports } from '../package-reports.ts'

// `npm run generate -- "<entry>"` writes the pages of `tools/api-reports/` whose package has changed. The entry is a line of the
// changelog that describes the change.

const root = join(import.meta.dirname, '../../..')
const [entry = ''] = process.argv.slice(2)
const unreleased = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
const changed = packageReports(root).filter(({ page, report }) => {
  const path = join(root, page)
  return !existsSync(path) || readApiPage(readFileSync(path, 'utf8'))?.report !== report
})
if (changed.length === 0) console.log('no page of tools/api-reports/ has changed')
else if (entry.length < 10 || !unreleased.includes(entry)) {
  const names = changed.map(({ name }) => name).join(', ')
  console.error(
    `The interface of ${names} changed. Describe the change in CHANGELOG.md, then run npm run generate -- "<that entry>"`,
  )
  process.exitCode = 2
} else {
  for (const { page, name, report } of changed) {
    writeFileSync(join(root, page), writeApiPage(name, report, entry))
    console.log(page)
  }
}
