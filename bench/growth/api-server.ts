import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { startServer } from '../harness/child-processes.ts'
import { type Fixture, keySetOf } from '../harness/fixture.ts'
import { repositoryFolder, runtimes } from '../harness/programs.ts'
import { type ProcessMetrics, processMetrics } from './identity-server.ts'

const main = join(repositoryFolder, 'services', 'greeting-api', 'src', 'main.ts')

export type ApiServer = {
  readonly url: string
  metrics(): Promise<ProcessMetrics>
  stop(): Promise<void>
}

/** Starts the greeting API as a process that trusts the keys of a fixture. */
export async function startApiServer(
  fixture: Fixture,
  folder: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<ApiServer> {
  const keySet = keySetOf(fixture)
  const keyServer = createServer((_, response) => response.end(keySet))
  const { promise: listening, resolve } = Promise.withResolvers<void>()
  keyServer.listen(0, '127.0.0.1', resolve)
  await listening
  const { port } = keyServer.address() as AddressInfo
  const stopKeys = () => {
    keyServer.closeAllConnections()
    keyServer.close()
  }
  const environment = {
    TENANT_ID: fixture.tenantId,
    API_APPLICATION_ID: fixture.apiApplicationId,
    AUTH_URL: `http://127.0.0.1:${port}`,
    ISSUER_URL: fixture.issuerUrl,
    PORT: '0',
    METRICS_PORT: '0',
    ...settings,
  }
  try {
    const { url, metricsUrl, stop } = await startServer(
      { command: [...runtimes.node, main], environment, folder },
      [],
    )
    return {
      url,
      metrics: async () => processMetrics(await (await fetch(`${metricsUrl}/metrics`)).text()),
      stop: () => stop().finally(stopKeys),
    }
  } catch (cause) {
    stopKeys()
    throw cause
  }
}
