import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { type LabProviderOptions, startLabProvider } from '@greeting/identity-provider/lab'
import { Entra, type SeededRegistrations } from './entra.ts'
import {
  type ApiRegistrations,
  type ClientRegistrations,
  type Registrations,
  registrationsFileOf,
} from './registrations.ts'

/** The options of `startEntra`. The other options are settings of the identity provider. */
export type EntraOptions<
  Apis extends ApiRegistrations,
  Clients extends ClientRegistrations<Apis>,
> = Omit<LabProviderOptions, 'registrations' | 'tenantId'> & {
  /** The path of a registrations file, or the registrations themselves. */
  readonly registrations?: string | Registrations<Apis, Clients>
}

type SeededFile = {
  readonly apis: readonly Omit<SeededRegistrations['apis'][number], 'roles'>[]
  readonly clients: SeededRegistrations['clients']
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
>({ registrations, ...options }: EntraOptions<Apis, Clients> = {}): Promise<Entra<Apis, Clients>> {
  const isInCode = typeof registrations === 'object'
  const folder = isInCode ? await mkdtemp(join(tmpdir(), 'greeting-testing-')) : ''
  try {
    const path = isInCode ? join(folder, 'registrations.json') : registrations
    const file = isInCode ? JSON.stringify(registrationsFileOf(registrations)) : undefined
    if (file !== undefined && path !== undefined) await writeFile(path, file)
    const provider = await startLabProvider({
      httpsPort: 0,
      ...options,
      ...(path && { registrations: path }),
    })
    const { dataDir } = provider
    const [seeded, administrator] = await Promise.all([
      path && readFile(join(dataDir, 'seeded.json'), 'utf8').then(JSON.parse),
      readFile(join(dataDir, 'administrator.env'), 'utf8').then(parseEnv),
    ])
    const { TENANT_ID = '', CLIENT_ID = '', CLIENT_SECRET = '' } = administrator
    const { apis = [], clients = [] }: Partial<SeededFile> = seeded ?? {}
    return new Entra({
      provider,
      tenantId: TENANT_ID,
      administrator: { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET },
      clients,
      apis: await Promise.all(
        apis.map(async (api) => ({ ...api, roles: await provider.lab.rolesOf(api.applicationId) })),
      ),
    })
  } finally {
    if (isInCode) await rm(folder, { recursive: true, force: true })
  }
}
