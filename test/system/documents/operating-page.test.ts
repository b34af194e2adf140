import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { root } from '../greeting-process.ts'

const read = (path: string) => readFileSync(join(root, 'docs', path), 'utf8')
const page = read('guides/operating.md')
const references = ['identity-provider', 'greeting-api', 'authorizer']
  .map((name) => read(`reference/${name}.md`))
  .join('')

/** The metrics that the references list. Their own tests compare them with the services. */
const documented = new Set(
  [...references.matchAll(/^\| `([a-z_]+)(?:\{[a-z_,]+\})?` \|/gm)].map(([, name]) => name),
)
const ofNode = /^(nodejs|process)_/
const metricNames = (text: string) =>
  [...text.matchAll(/\b(?:greeting|http_server|nodejs|process)_[a-z0-9_]+/g)].map(([name]) =>
    name.replace(/(duration_seconds)_(count|sum|bucket)$/, '$1'),
  )

describe('docs/guides/operating.md', () => {
  it('names only documented metrics', () => {
    const unknown = metricNames(page).filter((name) => !documented.has(name) && !ofNode.test(name))
    assert.deepEqual(unknown, [])
  })

  it('names only documented settings', () => {
    const settings = [...page.matchAll(/\b([A-Z]{3,}(?:_[A-Z]+)+)\b/g)].map(([name]) => name)
    assert.deepEqual(
      settings.filter((name) => !references.includes(`\`${name}\``)),
      [],
    )
  })
})
