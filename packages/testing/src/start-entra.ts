// Folder: Starts the identity provider by its public exports.

import { access, constants, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import {
  createClientCertificate,
  type LabFederation,
  type LabProvider,
  type LabProviderOptions,
  startLabProvider,
} from '@greeting/identity-provider/lab'
import { Entra, type SeededRegistrations } from './entra.ts'
import type { ClientCredential } from './entra-client.ts'
import type { Graph } from './graph.ts'
import {
  type ApiRegistrations,
  type BlueprintRegistrations,
  type ClientRegistrations,
  type ClientWithoutSecret,
  clientsWithoutSecret,
  type Registrations,
  registrationsFileOf,
} from './registrations.ts'

/** What the registration of a credential uses. */
type Registry = {
  readonly graph: Graph
  readonly federation: Pick<LabFederation, 'issuer' | 'token'>
  readonly clock: { readonly now: () => Date }
}

type Client = Omit<ClientWithoutSecret, 'kind'>

const register: Readonly<
  Record<
    ClientWithoutSecret['kind'],
    (client: Client, registry: Registry) => Promise<ClientCredential>
  >
> = {
  certificate: async ({ applicationId }, { clock, graph }) => {
    const certificate = await createClientCertificate(clock.now())
    await graph.setCertificate(applicationId, certificate.certificate)
    return { certificate }
  },
  federated: async ({ applicationId, displayName }, { federation, graph }) => {
    const subject = `client:${displayName}`
    await graph.trust(applicationId, { issuer: federation.issuer, subject })
    return { federatedToken: () => federation.token({ subject }) }
  },
}

/** Registers a credential of a client over Microsoft Graph, as an administrator does. */
const registerCredential = (
  kind: ClientWithoutSecret['kind'],
  client: Client,
  registry: Registry,
): Promise<ClientCredential> => register[kind](client, registry)

/** Gives the tokens of an API a lifetime: a token lifetime policy, assigned to its service principal. */
async function setTokenLifetime(applicationId: string, seconds: number, graph: Graph) {
  const time = new Date(seconds * 1000).toISOString().slice(11, 19)
  const AccessTokenLifetime = `${Math.floor(seconds / 86_400)}.${time}`
  const rules = { TokenLifetimePolicy: { Version: 1, AccessTokenLifetime } }
  const policies = '/policies/tokenLifetimePolicies'
  const policy = { displayName: applicationId, definition: [JSON.stringify(rules)] }
  const { id } = await graph.send<{ readonly id: string }>('POST', policies, policy)
  const path = `/servicePrincipals(appId='${applicationId}')/tokenLifetimePolicies/$ref`
  await graph.send('POST', path, {
    '@odata.id': `https://graph.microsoft.com/v1.0${policies}/${id}`,
  })
}

/** The options of `startEntra`, including the settings of the identity provider. */
export type EntraOptions<
  Apis extends ApiRegistrations,
  Clients extends ClientRegistrations<Apis>,
  Blueprints extends BlueprintRegistrations<Apis> = BlueprintRegistrations<Apis>,
> = Omit<LabProviderOptions, 'registrations' | 'tenantId' | 'httpsPort'> & {
  /** The port for HTTPS: by default `0`, a free one. `off` disables HTTPS. */
  readonly httpsPort?: LabProviderOptions['httpsPort']
  /** The path of a registrations file, or the registrations themselves. */
  readonly registrations?: string | Registrations<Apis, Clients, Blueprints>
}

/** The file with the IDs and secrets of the registrations, as the identity provider writes it. */
type SeededFile = {
  readonly apis: readonly Omit<SeededRegistrations['apis'][number], 'roles' | 'tokenVersion'>[]
  readonly clients: readonly {
    readonly displayName: string
    readonly applicationId: string
    readonly clientSecret: string
  }[]
  readonly agents?: SeededRegistrations['agents']
}

/**
 * Starts an identity provider in this process, for tests. It has real registrations, consent and
 * secrets, listens on free ports for HTTP and HTTPS, and keeps nothing. Several may run at once.
 *
 * @throws {IdentityProviderOptionsError} identity_provider_options lists every invalid option
 * @example
 * await using entra = await startEntra({
 *   registrations: {
 *     apis: { 'Orders API': { roles: ['Orders.Read'] } },
 *     clients: { 'Payroll job': { roles: { 'Orders API': ['Orders.Read'] } } },
 *   },
 * })
 * const token = await entra.client('Payroll job').token()
 */
export async function startEntra<
  const Apis extends ApiRegistrations,
  const Clients extends ClientRegistrations<Apis>,
  const Blueprints extends BlueprintRegistrations<Apis>,
>({
  registrations,
  ...options
}: EntraOptions<Apis, Clients, Blueprints> = {}): Promise<Entra<Apis, Clients, Blueprints>> {
  const isInCode = typeof registrations === 'object'
  if (typeof registrations === 'string') await requireFile(registrations)
  const withoutSecret = isInCode ? clientsWithoutSecret(registrations) : []
  const provider = isInCode
    ? await startWithFile(registrationsFileOf(registrations, withoutSecret), options)
    : await startLabProvider({
        httpsPort: 0,
        ...options,
        ...(registrations && { registrations }),
      })
  try {
    const seeded = await readSeeded(provider, registrations !== undefined)
    const entra = new Entra<Apis, Clients, Blueprints>({ provider, ...seeded })
    const known: ApiRegistrations = isInCode ? registrations.apis : {}
    const lifetimes = seeded.apis.flatMap(({ applicationId, displayName }) => {
      const seconds = known[displayName]?.tokenLifetimeSeconds
      return seconds === undefined ? [] : [{ applicationId, seconds }]
    })
    if (withoutSecret.length + lifetimes.length === 0) return entra
    for (const { applicationId, seconds } of lifetimes)
      await setTokenLifetime(applicationId, seconds, entra.graph)
    const clients = [...seeded.clients]
    for (const { kind, ...client } of withoutSecret)
      clients.push({ ...client, credential: await registerCredential(kind, client, entra) })
    entra.keepState()
    return new Entra({ provider, ...seeded, clients })
  } catch (cause) {
    await provider.stop()
    throw cause
  }
}

/** @throws {TypeError} names the option, and not only the file */
async function requireFile(path: string): Promise<void> {
  await access(path, constants.R_OK).catch((cause: NodeJS.ErrnoException) => {
    throw new TypeError(`registrations: the file ${path} cannot be read (${cause.code})`, { cause })
  })
}

async function startWithFile(content: object, options: LabProviderOptions): Promise<LabProvider> {
  const folder = await mkdtemp(join(tmpdir(), 'greeting-testing-'))
  try {
    const registrations = join(folder, 'registrations.json')
    await writeFile(registrations, JSON.stringify(content))
    return await startLabProvider({ httpsPort: 0, ...options, registrations })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Reads the IDs and secrets that the identity provider has written at its start. */
async function readSeeded({ dataDir, lab }: LabProvider, hasRegistrations: boolean) {
  const [seeded, administrator] = await Promise.all([
    hasRegistrations && readFile(join(dataDir, 'seeded.json'), 'utf8').then(JSON.parse),
    readFile(join(dataDir, 'administrator.env'), 'utf8').then(parseEnv),
  ])
  const { TENANT_ID = '', CLIENT_ID = '', CLIENT_SECRET = '' } = administrator
  const { apis = [], clients = [], agents = [] }: Partial<SeededFile> = seeded || {}
  return {
    administrator: { tenantId: TENANT_ID, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET },
    clients: clients.map(({ clientSecret, ...client }): SeededRegistrations['clients'][number] => ({
      ...client,
      credential: { clientSecret },
    })),
    agents,
    apis: await Promise.all(
      apis.map(async (api) => ({ ...api, ...(await lab.apiOf(api.applicationId)) })),
    ),
  }
}

/** The functions of a test runner that register hooks. */
export type TestHooks = {
  readonly beforeAll: (run: () => Promise<void>) => unknown
  readonly afterEach: (run: () => Promise<void>) => unknown
  readonly afterAll: (run: () => Promise<void>) => unknown
}

/**
 * Starts an identity provider before the tests, resets it after each, and stops it after the last.
 *
 * @param mustApplyFaults fails a test whose faults no request has met; default false
 * @returns the identity provider, for use within a test
 * @example
 * const entra = hookEntra({ beforeAll, afterEach, afterAll }, { registrations: 'registrations.json' })
 */
export function hookEntra<
  const Apis extends ApiRegistrations,
  const Clients extends ClientRegistrations<Apis>,
  const Blueprints extends BlueprintRegistrations<Apis>,
>(
  { beforeAll, afterEach, afterAll }: TestHooks,
  {
    mustApplyFaults = false,
    ...options
  }: EntraOptions<Apis, Clients, Blueprints> & { readonly mustApplyFaults?: boolean } = {},
): () => Entra<Apis, Clients, Blueprints> {
  let entra: Entra<Apis, Clients, Blueprints> | undefined
  beforeAll(async () => {
    entra = await startEntra(options as EntraOptions<Apis, Clients, Blueprints>)
  })
  afterEach(async () => {
    try {
      if (mustApplyFaults) entra?.faults.assertApplied()
    } finally {
      await entra?.reset()
    }
  })
  afterAll(async () => {
    await entra?.stop()
  })
  return () => {
    if (entra === undefined) throw new TypeError('Use the identity provider within a test')
    return entra
  }
}
