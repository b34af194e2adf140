import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import {
  createPassword,
  type PasswordCredential,
  put,
  remove,
  systemRuntime,
} from '@greeting/directory'
import type { StorageOptions } from '@greeting/directory/storage'
import { agreedNow } from '../../../test/fixtures/directory/agreed-now.ts'
import { openLocalStorage } from '../../../test/fixtures/directory/local-storage.ts'
import { patientStore } from '../../../test/fixtures/directory/patient-store.ts'
import { KeyEncryptionKey } from '../src/signing/key-encryption-key.ts'
import { SigningKeys } from '../src/signing/signing-keys.ts'
import type { Service } from '../src/startup/service.ts'
import { startHere } from './provider-here.ts'
import { readSeeded, startProvider } from './provider-process.ts'
import { fixtureSigningKey } from './signing/fixture-signing-key.ts'
import { type Issued, type Target, TokenLoad } from './token-load.ts'

const administrator = { actor: 'an administrator', correlationId: null }

/** The maximum time, in milliseconds, until a change takes effect at every server. */
export const inForceWithinMs = 1000

/** Ends a test whose servers issue nothing. It is far beyond the time that a busy machine needs. */
const patienceMs = 120_000

/** The role whose consent is withdrawn. */
export const withdrawnRole = 'CallHelloApiRole'

export type Withdrawn = {
  readonly consentAtMs: number
  readonly keyAtMs: number
  /** The id of the key that was revoked. */
  readonly kid: string
  readonly secretAtMs: number
}

type Environment = Readonly<Record<string, string>>

type Server = Pick<Service, 'url' | 'stop'>
type Servers = readonly [Server, Server]

/** Starts a server in another process, with separate locks on the data file. It costs more than one in this process. */
export async function startThere(environment: Environment): Promise<Server> {
  const { url, end } = await startProvider(environment)
  return { url, stop: async () => void (await end('SIGTERM')) }
}

/** Two servers under load, and a third server that changes their data. */
export class FailoverScene {
  readonly servers: Servers
  readonly load: TokenLoad
  readonly #keyEncryptionKey: KeyEncryptionKey
  readonly #clientId: string

  private constructor(
    servers: Servers,
    load: TokenLoad,
    keyEncryptionKey: KeyEncryptionKey,
    clientId: string,
  ) {
    this.servers = servers
    this.load = load
    this.#keyEncryptionKey = keyEncryptionKey
    this.#clientId = clientId
  }

  /**
   * Starts the servers and the load.
   *
   * @param at Where the store is, for this process.
   * @param settings Where it is, for each server; the first one fills it.
   * @param startOther Starts the second server.
   * @param secretNames More secrets of the client; the one that is called `lost` is given later.
   */
  static async start(
    at: StorageOptions,
    settings: readonly [Environment, Environment],
    startOther: (environment: Environment) => Promise<Server>,
    secretNames: readonly string[],
  ): Promise<FailoverScene> {
    const keyEncryptionKey = KeyEncryptionKey.generate()
    const environment = {
      HTTPS_PORT: 'off',
      KEY_ENCRYPTION_KEY: keyEncryptionKey.toBase64(),
      WRONG_CREDENTIALS_PER_CLIENT_PER_MINUTE: '1000000',
      WRONG_CREDENTIALS_PER_SOURCE_PER_MINUTE: '1000000',
    }
    const here = await startHere({ ...environment, ...settings[0] })
    const servers = [here, await startOther({ ...environment, ...settings[1] })] as const
    const { tenantId, apis, clients } = await readSeeded(settings[0].DATA_DIR ?? '')
    const made = secretNames.map((displayName) => ({
      displayName,
      ...createPassword({ displayName }, systemRuntime),
    }))
    const secrets = {
      kept: clients[0].clientSecret,
      ...Object.fromEntries(made.map(({ displayName, secretText }) => [displayName, secretText])),
    }
    const target: Omit<Target, 'url'> = {
      tenantId,
      clientId: clients[0].applicationId,
      scope: `${apis[0].identifierUri}/.default`,
      secrets,
    }
    const load = new TokenLoad(servers.map(({ url }) => ({ url, ...target })))
    const scene = new FailoverScene(servers, load, keyEncryptionKey, target.clientId)
    scene.#credentials = new Map(made.map((one) => [one.displayName, one.credential]))
    await scene.change(
      at,
      secretNames.filter((name) => name !== 'lost').map((name) => scene.gives(name)),
    )
    return scene
  }

  #credentials = new Map<string, PasswordCredential>()

  gives = (name: string) => (known: readonly PasswordCredential[]) => {
    const credential = this.#credentials.get(name)
    assert.ok(credential)
    return [...known, credential]
  }

  removes = (name: string) => (known: readonly PasswordCredential[]) =>
    known.filter(({ displayName }) => displayName !== name)

  /** Changes the secrets of the client, a commit for each change. */
  async change(
    at: StorageOptions,
    edits: readonly ((known: readonly PasswordCredential[]) => readonly PasswordCredential[])[],
  ): Promise<void> {
    const storage = await openLocalStorage(at)
    const directory = patientStore(storage.directory)
    for (const edit of edits)
      await directory.update((current) => {
        const client = current.applicationByAppId(this.#clientId)
        assert.ok(client)
        const passwordCredentials = [...edit(client.passwordCredentials)]
        const changes = [put('application', { ...client, passwordCredentials })]
        return { changes, audit: [], result: undefined }
      })
    await storage.close()
  }

  /** Withdraws a consent, revokes the active key and removes a secret: when each was done. */
  async withdraw(at: StorageOptions): Promise<Withdrawn> {
    const storage = await openLocalStorage(at)
    const directory = patientStore(storage.directory)
    await directory.update((current) => {
      const client = current.applicationByAppId(this.#clientId)
      assert.ok(client)
      const principal = current.servicePrincipalByAppId(client.tenantId, this.#clientId)
      const api = current.applicationByAppId('5b0c8f52-7d1e-4a36-b8e4-93f1a2c6d705')
      const role = api?.appRoles.find(({ value }) => value === withdrawnRole)
      const consent = current
        .assignmentsOf(principal?.id ?? '')
        .find(({ appRoleId }) => appRoleId === role?.id)
      assert.ok(consent)
      return { changes: [remove('appRoleAssignment', consent.id)], audit: [], result: undefined }
    })
    const consentAtMs = performance.now()
    const keys = await SigningKeys.open({
      store: storage.keyRing,
      keyEncryptionKey: this.#keyEncryptionKey,
      agreedTime: agreedNow(),
      schedule: { longestTokenSeconds: 3600 },
      generate: fixtureSigningKey,
    })
    const active = keys.states().find(({ phase }) => phase === 'active')?.key.kid ?? ''
    await keys.revoke(active, administrator)
    const keyAtMs = performance.now()
    await storage.close()
    await this.change(at, [this.removes('removed')])
    return { consentAtMs, keyAtMs, kid: active, secretAtMs: performance.now() }
  }

  /** Until when, after a moment, tokens were issued that break a rule: 0 when none was. */
  brokenForMs(sinceMs: number, breaks: (token: Issued) => boolean): number {
    const broken = this.load.issued.filter((token) => token.askedAtMs >= sinceMs && breaks(token))
    return Math.max(0, ...broken.map(({ askedAtMs }) => askedAtMs - sinceMs))
  }

  /** How long after a moment the first good token was issued. */
  backAfterMs(sinceMs: number): number {
    const good = this.load.issued.find((token) => token.askedAtMs >= sinceMs)
    return good === undefined ? Number.POSITIVE_INFINITY : good.receivedAtMs - sinceMs
  }

  /** Waits until each server has issued a token for a secret, to a request of after a moment. */
  async untilIssuedFor(name: string, sinceMs = 0): Promise<void> {
    for (const { url } of this.servers) {
      const isIssued = (token: Issued) =>
        token.url === url && token.secret === name && token.askedAtMs > sinceMs
      const endMs = performance.now() + patienceMs
      while (!this.load.issued.some(isIssued)) {
        if (performance.now() > endMs) throw new Error(`No token of ${url} for "${name}".`)
        await setTimeout(10)
      }
    }
  }

  async end(): Promise<void> {
    await this.load.stop()
    await Promise.all(this.servers.map((server) => server.stop()))
  }
}
