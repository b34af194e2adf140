import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { displayNames, eventual, names, withNames } from './named-applications.ts'

describe('$orderby', () => {
  it('orders all pages by name or time, in both directions', async () => {
    const { admin } = await withNames()
    const rows = [
      ['displayName', ['Alpha', 'alpha', 'Beta', 'Gamma', "O'Brien's"]],
      ['DISPLAYNAME desc', ["O'Brien's", 'Gamma', 'Beta', 'alpha', 'Alpha']],
      ['createdDateTime asc', names],
    ] as const
    for (const [order, expected] of rows) {
      const found: string[] = []
      let next: string | undefined = `/applications?$top=2&$orderby=${encodeURIComponent(order)}`
      while (next !== undefined) {
        const { body }: Awaited<ReturnType<typeof admin.get>> = await admin.get(next)
        found.push(...displayNames(body))
        next = body['@odata.nextLink']
      }
      assert.deepEqual(found, expected)
    }
  })

  it('is also supported with a filter in advanced queries', async () => {
    const { admin } = await withNames()
    const path = "/applications?$filter=startswith(displayName,'a')&$orderby=displayName desc"
    const { body } = await admin.get(`${path}&$count=true`, undefined, eventual)
    assert.deepEqual(displayNames(body), ['alpha', 'Alpha'])
  })
})
