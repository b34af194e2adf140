import { once } from 'node:events'
import { put } from '../../src/directory/directory-change.ts'
import { DirectoryStore } from '../../src/directory-store/directory-store.ts'
import { openStorage } from '../../src/storage/storage.ts'
import { tenant } from '../directory/sample.ts'

// A separate process, so that a test can kill it. It prints the line `ready`, and waits for input.
// Then it writes without a pause, and prints the name of each acknowledged change as a line. Each change
// increments the number in the tenant's name. It adds an audit record with the name of the change, and
// uses an assertion with the same name.
const [dataDir = '', databaseUrl = '', name = '', count = 'forever'] = process.argv.slice(2)
const storage = await openStorage({ dataDir, databaseUrl: databaseUrl || undefined })
const directory = new DirectoryStore({ log: storage.directory })
process.stdout.write('ready\n')
await once(process.stdin, 'data')
process.stdin.pause()

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
