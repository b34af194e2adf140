import { mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { repositoryFolder, runtimes } from '../../harness/programs.ts'
import type { Figure } from '../figure.ts'
import type { GrowthCase } from '../growth-case.ts'
import { administratorOf, startIdentityServer } from '../identity-server.ts'
import { runCommand } from '../run-command.ts'

const command = join(repositoryFolder, 'cli', 'bin', 'greeting.js')
/** The sizes of the file, and of the directory that is exported. */
const sizes = { file: [100, 1000, 5000], export: [1000, 10_000] }
const tinySizes = { file: [5, 10], export: [5, 10] }

/** A registrations file with an API and this many clients, each with a secret and a consent. */
export function registrationsOf(clients: number): object {
  const api = 'Growth API'
  const names = Array.from({ length: clients }, (_, index) => `Job ${index}`)
  return {
    apis: [
      {
        displayName: api,
        appRoles: [
          {
            ...{ allowedMemberTypes: ['Application'], description: 'Call the API' },
            ...{ displayName: 'Call', id: '0e6f2b1d-93c4-4d8a-a1f7-6c5e8b2d4f10', isEnabled: true },
            ...{ lang: null, origin: 'Application', value: 'Call' },
          },
        ],
      },
    ],
    clients: names.map((displayName) => ({
      displayName,
      permissions: [{ api, roles: ['Call'] }],
      secrets: [{ displayName: 'First' }],
    })),
    consents: names.map((client) => ({ client, api, roles: ['Call'] })),
  }
}

/** Plans and applies files of several sizes, and exports directories. */
export const registrations: GrowthCase = {
  id: 'registrations',
  title: 'greeting registrations; the size is the number of clients or applications',
  usesStore: true,
  goals: [
    { what: 'plan', size: 1000, atMost: 12 },
    { what: 'apply', size: 1000, atMost: 12 },
    { what: 'plan', size: 5000, atMost: 60 },
    { what: 'apply', size: 5000, atMost: 60 },
    { what: 'export', size: 10_000, atMost: 10 },
  ],
  async run({ stores, isTiny, folder, progress }) {
    const figures: Figure[] = []
    const record = async (what: string, size: number, args: string[], dataDir: string) => {
      progress(`${what} of ${size}`)
      const { wallSeconds, cpuSeconds } = await runCommand(
        [...runtimes.node, command, 'registrations', ...args, '--quiet', '--data-dir', dataDir],
        {},
        dataDir,
      )
      figures.push({ what, size, unit: 's', value: wallSeconds })
      figures.push({ what: `${what}: CPU of the command`, size, unit: 's', value: cpuSeconds })
    }
    const wanted = isTiny ? tinySizes : sizes
    for (const size of wanted.file) {
      const store = await stores.copyOf(0, 0)
      const server = await startIdentityServer(store)
      const file = join(await mkdtemp(join(folder, 'registrations-')), 'registrations.json')
      await writeFile(file, JSON.stringify(registrationsOf(size)))
      await record('plan', size, ['plan', file], store.dataDir)
      await record('apply', size, ['apply', file, '--yes'], store.dataDir)
      await record('apply without changes', size, ['apply', file, '--yes'], store.dataDir)
      await server.stop()
      await store.remove()
    }
    for (const size of wanted.export) {
      const store = await stores.copyOf(size, 0)
      const server = await startIdentityServer(store)
      await administratorOf(server, store)
      await record('export', size, ['export'], store.dataDir)
      await server.stop()
      await store.remove()
    }
    return { figures }
  },
}
