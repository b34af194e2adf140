import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { z } from 'zod'
import { checkReferences } from '../src/references.ts'

/** The number of names that a check of the references reads. */
function readsWith(clients: number): number {
  let reads = 0
  const named = <Entry extends object>(entry: Entry, name: string) =>
    Object.defineProperty(entry, 'displayName', {
      enumerable: true,
      get: () => {
        reads += 1
        return name
      },
    }) as Entry & { readonly displayName: string }
  const appRoles = [
    {
      value: 'Read',
      displayName: 'Read',
      description: 'Read',
      allowedMemberTypes: ['Application' as const],
      isEnabled: true,
    },
  ]
  const issues: string[] = []
  const context = {
    addIssue: ({ message }: { readonly message: string }) => issues.push(message),
  } as unknown as z.core.$RefinementCtx
  const numbers = Array.from({ length: clients }, (_, index) => index)
  checkReferences(
    {
      apis: numbers.map((index) => named({ appRoles }, `API ${index}`)),
      clients: numbers.map((index) =>
        named({ permissions: [{ api: `API ${index}`, roles: ['Read'] }] }, `Client ${index}`),
      ),
      consents: numbers.map((index) => ({ client: `Client ${index}`, api: `API ${index}` })),
      blueprints: [],
      removed: numbers.map((index) => `Former ${index}`),
    },
    context,
  )
  assert.deepEqual(issues, [])
  return reads
}

describe('checking the references', () => {
  it('looks up each name a fixed number of times', () => {
    assert.equal(readsWith(400) / readsWith(50), 8)
  })
})
