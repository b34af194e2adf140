import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import { manifestsFor } from '../../image/layers.ts'

const root = join(import.meta.dirname, '../../..')

for (const [path, expected] of [
  ['services/identity-provider', true],
  ['services/authorizer', false],
] as const)
  it(`the image of ${path} ${expected ? 'has' : 'lacks'} what only the directory depends on`, () => {
    const files = manifestsFor(root, [path])
    const registrations = files.get('packages/registrations/package.json')
    const { packages } = Object(files.get('package-lock.json'))
    for (const { dependencies } of [Object(registrations), packages['packages/registrations']])
      assert.equal('@greeting/directory' in dependencies, expected)
  })
