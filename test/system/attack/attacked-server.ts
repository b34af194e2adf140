import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseEnv } from 'node:util'
import { makeClientCertificate } from '../clients/client-certificate.ts'
import { Attack } from './attack.ts'
import { readDocumentedRoleIds, readDocumentedRoles } from './documented-roles.ts'
import { ClientCertificate, ManagementClient } from './management-client.ts'
import { attackerCount } from './set-scene.ts'

const root = join(import.meta.dirname, '../../..')
const read = (path: string) => readFile(join(root, path), 'utf8')

/** An identity provider as a process, with an attack that knows only its documentation. */
export type AttackedServer = AsyncDisposable & {
  readonly attack: Attack
  readonly client: ManagementClient
}

/**
 * Starts an identity provider in a new folder.
 *
 * @param databaseUrl the PostgreSQL of its store; default a SQLite file
 */
export async function startAttackedServer(databaseUrl?: string): Promise<AttackedServer> {
  const opened = new AsyncDisposableStack()
  const dataDir = await mkdtemp(join(tmpdir(), 'greeting-attack-'))
  opened.defer(() => rm(dataDir, { recursive: true }))
  const child = spawn('node', [join(root, 'services/identity-provider/src/main.ts')], {
    env: {
      PATH: process.env.PATH,
      DATA_DIR: dataDir,
      PORT: '0',
      HTTPS_PORT: 'off',
      // Most requests of an attack are refused.
      WRONG_CREDENTIALS_PER_SOURCE_PER_MINUTE: '1000000',
      WRONG_CREDENTIALS_PER_CLIENT_PER_MINUTE: '1000000',
      // The lab has no shared database. Without it, its paths do not exist.
      ...(databaseUrl ? { DATABASE_URL: databaseUrl } : { LAB: 'on' }),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  opened.defer(async () => {
    child.kill('SIGTERM')
    await once(child, 'close')
  })
  let isListening = false
  for await (const line of createInterface(child.stdout)) {
    isListening = JSON.parse(line).msg === 'listening'
    if (isListening) break
  }
  if (!isListening) throw new Error('the identity provider did not start')
  child.stdout.resume()
  const administrator = parseEnv(await readFile(join(dataDir, 'administrator.env'), 'utf8'))
  const { AUTH_URL = '', TENANT_ID = '', CLIENT_ID = '', CLIENT_SECRET = '' } = administrator
  const [graph, lab] = [await read('docs/reference/graph.md'), await read('docs/reference/lab.md')]
  const certificates: ClientCertificate[] = []
  for (let one = 0; one < attackerCount; one += 1) {
    const { file } = await makeClientCertificate(join(dataDir, `attacker-${one}.pem`))
    certificates.push(new ClientCertificate(await readFile(file, 'utf8')))
  }
  const client = new ManagementClient(AUTH_URL)
  const attack = new Attack({
    client,
    administrator: { tenantId: TENANT_ID, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET },
    operations: readDocumentedRoles(graph),
    roles: readDocumentedRoleIds(graph),
    forbidden: [...lab.matchAll(/^\| `([A-Z]+ \/lab[^`]*)` \|/gm)].map(([, one = '']) => one),
    certificates,
  })
  return { attack, client, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}
