import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { startLeadingProxy } from '../clients/leading-proxy.ts'
import { azureAdGraphHost, fromMicrosoftGraph, toMicrosoftGraph } from './azure-ad-graph.ts'

/** The token endpoint is needed too, because a token for Azure AD Graph is translated. */
const translatedHosts: readonly string[] = [azureAdGraphHost, 'login.microsoftonline.com']

/** The settings of an identity provider that responds under other host names. */
export const settingsFor = (hosts: readonly string[]): NodeJS.ProcessEnv => ({
  HTTPS_NAMES: hosts.join(','),
  // MSAL for Go compares the issuer of the metadata with the authority in its code.
  ISSUER_URL_V2: 'https://login.microsoftonline.com',
})

/**
 * Starts a proxy that leads host names to the identity provider, for a program whose code contains them.
 *
 * Connections are passed on as they are. When a program uses Azure AD Graph, two hosts end at a
 * server that translates their requests.
 *
 * @param origin the identity provider, over HTTPS
 * @param dataDir the folder with its certificate
 */
export async function leadHosts(
  hosts: readonly string[],
  origin: string,
  dataDir: string,
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const translator = hosts.includes(azureAdGraphHost)
    ? await startTranslator(origin, join(dataDir, 'tls'))
    : undefined
  const exceptions = translator && translatedHosts.map((host) => [host, translator.origin] as const)
  const proxy = await startLeadingProxy(origin, new Map(exceptions))
  return {
    url: proxy.url,
    stop: async () => {
      await proxy.stop()
      await translator?.stop()
    },
  }
}

/** Starts a server with the certificate of the identity provider, which passes its requests on. */
async function startTranslator(origin: string, folder: string) {
  const read = (file: string) => readFile(join(folder, file))
  const [cert, key, ca] = await Promise.all([
    read('server.pem'),
    read('server.key'),
    read('authority.pem'),
  ])
  const server = createServer({ cert, key }, (incoming, response) => {
    pass(incoming, response, origin, ca).catch((error: Error) => response.destroy(error))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    origin: `https://127.0.0.1:${port}`,
    stop: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

async function pass(
  incoming: IncomingMessage,
  response: ServerResponse,
  origin: string,
  ca: Buffer,
): Promise<void> {
  const { host = '', ...headers } = incoming.headers
  const sent = toMicrosoftGraph({
    host,
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    body: (await buffer(incoming)).toString(),
  })
  if (sent === undefined) {
    const error = { code: 'Request_UnsupportedQuery', message: 'This operation is not translated.' }
    response.writeHead(501).end(JSON.stringify(fromMicrosoftGraph({ error })))
    return
  }
  const outgoing = request(new URL(sent.path, origin), {
    method: sent.method,
    headers: {
      ...headers,
      host: sent.host,
      'accept-encoding': 'identity',
      'content-length': Buffer.byteLength(sent.body),
    },
    ca,
    servername: sent.host,
  })
  outgoing.end(sent.body)
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
  const text = (await buffer(answer)).toString()
  const body =
    host === azureAdGraphHost ? JSON.stringify(fromMicrosoftGraph(JSON.parse(text))) : text
  const { 'content-length': _, 'transfer-encoding': __, ...shown } = answer.headers
  response.writeHead(answer.statusCode ?? 502, shown).end(body)
}
