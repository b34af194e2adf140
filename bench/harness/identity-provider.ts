import { mkdtemp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PostgresServer } from '../../services/identity-provider/test/storage/postgres-server.ts'
import type { Lab } from './contender.ts'
import { repositoryFolder } from './programs.ts'
import { startServer } from './server-process.ts'
import type { RunningIssuer } from './token-endpoint.ts'

/** A store of the identity provider: what it adds to the settings, and how it is cleared away. */
export type Store = () => Promise<{
  readonly settings: Readonly<Record<string, string>>
  stop(): Promise<void>
}>

/** The default: a file in the data folder. */
export const sqlite: Store = () => Promise.resolve({ settings: {}, stop: () => Promise.resolve() })

/** A server of its own, beside the load: it stands for another machine. */
export const postgresql: Store = async () => {
  const server = await PostgresServer.start()
  return { settings: { DATABASE_URL: await server.database() }, stop: () => server.stop() }
}

/** The part of `seeded.json` that a client needs. */
type Seeded = {
  readonly tenantId: string
  readonly apis: readonly [{ readonly applicationId: string }]
  readonly clients: readonly [{ readonly applicationId: string; readonly clientSecret: string }]
}

// With application ids, which a seed has to name.
const sampleRegistrations = 'services/identity-provider/test/registrations/sample.json'

/** Starts the identity provider with a new directory that holds one API and one client. */
export async function startIdentityProvider(
  store: Store,
  { folder }: Lab,
  cores: readonly number[],
): Promise<RunningIssuer> {
  const dataDir = await mkdtemp(join(folder, 'identity-provider-'))
  const { settings, stop: stopStore } = await store()
  try {
    const running = await startServer(
      {
        command: [
          process.execPath,
          join(repositoryFolder, 'services', 'identity-provider', 'src', 'main.ts'),
        ],
        environment: {
          PORT: '0',
          DATA_DIR: dataDir,
          REGISTRATIONS: join(repositoryFolder, sampleRegistrations),
          ...settings,
        },
        folder,
      },
      cores,
    )
    const seeded: Seeded = JSON.parse(await readFile(join(dataDir, 'seeded.json'), 'utf8'))
    return {
      ...addressesOf(running.url, seeded),
      pid: running.pid,
      stop: async () => {
        await running.stop()
        await stopStore()
      },
    }
  } catch (error) {
    await stopStore()
    throw error
  }
}

function addressesOf(url: string, { tenantId, apis: [api], clients: [client] }: Seeded) {
  return {
    tokenEndpoint: `${url}/${tenantId}/oauth2/v2.0/token`,
    keySetUrl: `${url}/${tenantId}/discovery/keys`,
    form: {
      grant_type: 'client_credentials',
      scope: `api://${api.applicationId}/.default`,
      client_id: client.applicationId,
      client_secret: client.clientSecret,
    },
  }
}
