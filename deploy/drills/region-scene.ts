import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PostgresServer } from '../../test/fixtures/postgres-server.ts'
import { startProcess } from '../running/process.ts'
import { readSeeded, type SystemIdentity } from '../running/seeded-system.ts'
import { sourceLauncher } from '../running/source-launcher.ts'
import { Administrator } from './administrator.ts'
import { type Region, RegionNetwork } from './region-network.ts'
import { newKeyEncryptionKey } from './rolling-scene.ts'

const regionCount = 2
const serversPerRegion = 2

/** A primary in a separate network, and regions with a standby and identity providers. */
export type RegionScene = AsyncDisposable & {
  /** Loses all packets to and from the primary, or none. */
  readonly cutPrimary: (isCut: boolean) => void
  /** What ends before the servers. */
  readonly stack: AsyncDisposableStack
  /** The origins of all identity providers. */
  readonly urls: readonly string[]
  /** Two clients of the same API. */
  readonly clients: readonly SystemIdentity[]
  /** One for each region. */
  readonly administrators: readonly Administrator[]
}

/** @param root the folder of the release that the servers run */
export async function startRegionScene(root: string): Promise<RegionScene> {
  await using stack = new AsyncDisposableStack()
  const folder = stack.adopt(mkdtempSync(join(tmpdir(), 'greeting-regions-')), (path) =>
    rmSync(path, { recursive: true }),
  )
  const registrations = join(folder, 'registrations.json')
  writeFileSync(
    registrations,
    withTwoClients(join(root, 'services/greeting-api/registrations.json')),
  )
  const network = stack.use(new RegionNetwork())
  const startIn = async (region: Region, name: string, settings: Record<string, string>) => {
    const dataDir = join(folder, name)
    mkdirSync(dataDir)
    const { command, settings: places } = sourceLauncher(root, dataDir)
    const listener = { HOST: region.host, PORT: '0', AUTH_URL: authUrl, ISSUER_URL: authUrl }
    return stack.use(
      await startProcess([...region.enter, ...command('identity-provider')], {
        ...places('identity-provider'),
        ...listener,
        REGISTRATIONS: registrations,
        ...settings,
      }),
    )
  }

  const home = network.add()
  const primary = stack.adopt(
    await PostgresServer.start(undefined, undefined, RegionNetwork.placeOf(home)),
    (one) => one.stop(),
  )
  const databaseUrl = await primary.database()
  const store = { DATABASE_URL: databaseUrl, KEY_ENCRYPTION_KEY: newKeyEncryptionKey() }
  await (await startIn(home, 'first', store)).stop()

  const urls: string[] = []
  const administrators: Administrator[] = []
  for (let region = 1; region <= regionCount; region += 1) {
    const here = network.add()
    const standby = stack.adopt(await primary.standby(RegionNetwork.placeOf(here)), (one) =>
      one.stop(),
    )
    const readUrl = new URL(databaseUrl)
    readUrl.host = `${here.host}:${standby.port}`
    for (let server = 1; server <= serversPerRegion; server += 1) {
      const settings = { ...store, DATABASE_READ_URL: readUrl.href }
      const { url } = await startIn(here, `region-${region}-${server}`, settings)
      urls.push(url)
      if (server === 1) administrators.push(new Administrator(url, join(folder, 'first')))
    }
  }

  const owned = stack.move()
  return {
    stack: owned,
    cutPrimary: (isCut) => network.cut(home, isCut),
    urls,
    clients: clientsIn(join(folder, 'first')),
    administrators,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

const authUrl = 'https://login.example.com'

function withTwoClients(file: string): string {
  const { clients, consents, ...rest } = JSON.parse(readFileSync(file, 'utf8'))
  const [client] = clients
  const [consent] = consents
  const displayName = 'Second client'
  return JSON.stringify({
    ...rest,
    clients: [client, { ...client, displayName }],
    consents: [consent, { ...consent, client: displayName }],
  })
}

function clientsIn(dataDir: string): readonly SystemIdentity[] {
  const { clients } = JSON.parse(readFileSync(join(dataDir, 'seeded.json'), 'utf8')) as {
    readonly clients: readonly SystemIdentity['client'][]
  }
  return clients.map((client) => ({ ...readSeeded(dataDir), client }))
}
