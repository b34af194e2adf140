import { put } from '../../src/directory/directory-change.ts'
import { DirectoryStore } from '../../src/storage/directory-store.ts'
import { openStorage } from '../../src/storage/storage.ts'
import { tenant } from '../directory/sample.ts'

// Writes as fast as it can and says, line by line, what was acknowledged: a process of its own, so
// that it can be killed. Each change counts one tenant up, with an audit record of its name, and
// spends an assertion of its name.
const [dataDir = '', databaseUrl = '', name = '', count = 'forever'] = process.argv.slice(2)
const storage = await openStorage({ dataDir, databaseUrl: databaseUrl || undefined })
const directory = new DirectoryStore({ log: storage.directory })

for (let index = 0; String(index) !== count; index += 1) {
  const change = `${name}.${index}`
  await directory.update((current) => {
    const counted = Number(current.tenant(tenant().id)?.displayName ?? 0)
    return {
      changes: [put('tenant', tenant({ displayName: String(counted + 1) }))],
      audit: [
        {
          at: new Date(),
          tenantId: null,
          actor: name,
          action: 'tenant.count',
          target: change,
          outcome: 'done',
          reason: null,
          correlationId: null,
        },
      ],
      result: undefined,
    }
  })
  await storage.assertions.spend('client', change, new Date('2100-01-01T00:00:00Z'))
  process.stdout.write(`${change}\n`)
}
await storage.close()
