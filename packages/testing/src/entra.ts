import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type {
  ClientMisuse,
  Faults,
  Forgery,
  ForgeryName,
  LabClock,
  LabFederation,
  LabKeys,
  LabProvider,
  MintRequest,
  RequestLog,
} from '@greeting/identity-provider/lab'
import { assertRefusesForgeries, type FetchYourApi } from './assert-refuses-forgeries.ts'
import { EntraApi } from './entra-api.ts'
import { type ClientCredential, EntraAgent, EntraClient } from './entra-client.ts'
import { Graph } from './graph.ts'
import type {
  ApiRegistrations,
  BlueprintRegistrations,
  ClientRegistrations,
} from './registrations.ts'

/** The IDs and secrets of the registrations that exist at the start. */
export type SeededRegistrations = {
  readonly apis: readonly {
    readonly displayName: string
    readonly applicationId: string
    readonly identifierUri: string
    readonly tokenVersion: '1.0' | '2.0'
    readonly roles: readonly string[]
  }[]
  readonly clients: readonly {
    readonly displayName: string
    readonly applicationId: string
    readonly credential: ClientCredential
  }[]
  readonly agents: readonly {
    readonly displayName: string
    readonly applicationId: string
    /** The name of its blueprint, which is one of the clients. */
    readonly blueprint: string
  }[]
}

/** The settings of the client that manages the directory. */
export type AdministratorSettings = {
  readonly tenantId: string
  readonly clientId: string
  readonly clientSecret: string
}

type Name<Registrations> = Extract<keyof Registrations, string>
type AgentName<Blueprints extends Readonly<Record<string, { readonly agents: object }>>> = {
  [Blueprint in keyof Blueprints]: Name<Blueprints[Blueprint]['agents']>
}[keyof Blueprints]

/** A running identity provider for tests. */
export class Entra<
  Apis extends ApiRegistrations = ApiRegistrations,
  Clients extends ClientRegistrations<Apis> = ClientRegistrations<Apis>,
  // With `any`, `Entra<any, any>` accepts each kit.
  // biome-ignore lint/suspicious/noExplicitAny: no other type is related to all registrations
  Blueprints extends BlueprintRegistrations<Apis> = any,
> implements AsyncDisposable
{
  readonly tenantId: string
  /** The client that manages the directory over Microsoft Graph. */
  readonly administrator: EntraClient
  /** Microsoft Graph, as the administrator. */
  readonly graph: Graph
  readonly #provider: LabProvider
  readonly #registrations: SeededRegistrations

  constructor({
    provider,
    administrator,
    ...registrations
  }: SeededRegistrations & {
    readonly provider: LabProvider
    readonly administrator: AdministratorSettings
  }) {
    this.#provider = provider
    this.#registrations = registrations
    this.tenantId = administrator.tenantId
    this.administrator = new EntraClient(
      { name: 'Administrator', clientId: administrator.clientId },
      administrator,
      this.#placesOf(() => 'https://graph.microsoft.com/.default'),
    )
    this.graph = new Graph(this.url, this.administrator)
  }

  /** The origin of the HTTP listener. */
  get url(): string {
    return this.#provider.url
  }

  /** The origin of the HTTPS listener; `undefined` when `httpsPort` is `off`. */
  get httpsUrl(): string | undefined {
    return this.#provider.httpsUrl
  }

  /** The temporary folder of the server: `administrator.env` for the command, and certificates in `tls`. */
  get dataDir(): string {
    return this.#provider.dataDir
  }

  get tokenEndpoint(): string {
    return `${this.url}/${this.tenantId}/oauth2/v2.0/token`
  }

  /** The wall clock of the identity provider. */
  get clock(): LabClock {
    return this.#provider.lab.clock
  }

  /** The faults that break responses of the identity provider. */
  get faults(): Faults {
    return this.#provider.lab.faults
  }

  /** The requests that reached the endpoints, without secrets. */
  get requests(): RequestLog {
    return this.#provider.lab.requests
  }

  /** The signing keys: `rotate()` and `revoke()`. */
  get keys(): LabKeys {
    return this.#provider.lab.keys
  }

  /** Another issuer than the identity provider. Federated identity credentials may trust its tokens. */
  get federation(): Pick<LabFederation, 'issuer' | 'token'> {
    return this.#provider.lab.federation
  }

  /** The mistakes of clients in the recorded requests. */
  judge(): readonly ClientMisuse[] {
    return this.#provider.lab.judge()
  }

  /**
   * Makes a token with any claims and header. By default, it is the one that the server would issue, with
   * all roles of the API.
   *
   * @throws {MintError} mint_invalid when the client does not exist
   */
  mint<ApiName extends Name<Apis>>(
    api: ApiName,
    {
      client,
      ...content
    }: Omit<MintRequest, 'api' | 'client' | 'roles'> & {
      readonly client?: Name<Clients>
      readonly roles?: readonly Apis[ApiName]['roles'][number][]
    } = {},
  ): Promise<string> {
    return this.#provider.lab.mint({
      ...content,
      api: this.api(api).applicationId,
      ...(client && { client: this.client(client).clientId }),
    })
  }

  /** Makes hostile tokens for an API. A correct API refuses each of them. */
  async forgeries(api: Name<Apis>): Promise<readonly Forgery<ForgeryName>[]> {
    return (await this.#forgeries(api)).forgeries
  }

  /**
   * Checks that an API refuses each hostile token, and accepts a genuine one with all its roles.
   *
   * @param fetchYourApi calls the API with a bearer token, and returns the answer
   * @param options `except` has the names of forgeries that the API may accept
   * @throws {ForgeriesAcceptedError} forgeries_accepted with a table of those that were not refused
   * @throws {GenuineTokenRefusedError} genuine_token_refused when the API accepts no token at all
   */
  async assertRefusesForgeries(
    api: Name<Apis>,
    fetchYourApi: FetchYourApi,
    options: { readonly except?: readonly ForgeryName[] } = {},
  ): Promise<void> {
    await assertRefusesForgeries(await this.#forgeries(api), fetchYourApi, options)
  }

  /** Grants roles of an API to a client, as an administrator does. */
  async consent<ApiName extends Name<Apis>>(
    client: Name<Clients>,
    api: ApiName,
    roles: readonly Apis[ApiName]['roles'][number][],
  ): Promise<void> {
    await this.graph.consent(this.client(client).clientId, this.api(api).applicationId, roles)
  }

  /** Withdraws all roles of an API from a client. */
  async withdrawConsent(client: Name<Clients>, api: Name<Apis>): Promise<void> {
    await this.graph.withdrawConsent(this.client(client).clientId, this.api(api).applicationId)
  }

  /** Ends all secrets of a client now. */
  expireSecrets(client: Name<Clients>): Promise<void> {
    return this.#provider.lab.expireSecrets(this.client(client).clientId)
  }

  /** The certificate of the authority that signed the HTTPS certificate, in PEM. */
  certificateAuthority(): Promise<string> {
    return readFile(join(this.#provider.dataDir, 'tls', 'authority.pem'), 'utf8')
  }

  /**
   * An API of the registrations.
   *
   * @throws {TypeError} when the registrations have no such API
   */
  api<ApiName extends Name<Apis>>(name: ApiName): EntraApi<Apis[ApiName]['roles'][number]> {
    const { displayName: _, ...registration } = named(this.#registrations.apis, name)
    const places = { tenantId: this.tenantId, authUrl: this.url }
    return new EntraApi({ name, ...registration }, places)
  }

  /**
   * A client of the registrations, with its first secret or the credential of its registration.
   *
   * @throws {TypeError} when the registrations have no such client, or it has no credential
   */
  client(name: Name<Clients>): EntraClient<Name<Apis>> {
    return this.#clientOf(named(this.#registrations.clients, name))
  }

  /**
   * An agent of the registrations, with its `blueprint`, which authenticates it for each token.
   *
   * @throws {TypeError} when the registrations have no such agent, or its blueprint has no credential
   */
  agent(name: AgentName<Blueprints>): EntraAgent<Name<Apis>> {
    const { applicationId: clientId, blueprint } = named(this.#registrations.agents, name)
    const credentials = this.#clientOf(named(this.#registrations.clients, blueprint))
    return new EntraAgent({ name, clientId }, credentials, this.#clientPlaces())
  }

  /**
   * Brings back exactly the state after the start: directory, secrets, keys, clock, faults and requests.
   * Requests that are running may get an error; one that a fault pauses is answered.
   */
  reset(): Promise<void> {
    return this.#provider.reset()
  }

  /**
   * Lets later resets bring back the current directory, secrets and keys, instead of those of the start.
   * The recorded requests are forgotten.
   */
  keepState(): void {
    this.#provider.keepState()
    this.requests.clear()
  }

  /** Answers the running requests, and releases everything. */
  stop(): Promise<void> {
    return this.#provider.stop()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  #placesOf<ApiName extends string>(scopeOf: (api?: ApiName) => string) {
    return { tokenEndpoint: this.tokenEndpoint, scopeOf, now: this.clock.now }
  }

  #clientOf({ displayName: name, ...client }: SeededRegistrations['clients'][number]) {
    const { applicationId: clientId, credential } = client
    return new EntraClient({ name, clientId }, credential, this.#clientPlaces())
  }

  #clientPlaces() {
    return this.#placesOf((api?: Name<Apis>) => this.#scopeOf(api))
  }

  #forgeries(api: Name<Apis>) {
    return this.#provider.lab.forgeries({ api: this.api(api).applicationId })
  }

  #scopeOf(api: Name<Apis> | undefined): string {
    if (api !== undefined) return this.api(api).scope
    const names = this.#registrations.apis.map(({ displayName }) => displayName as Name<Apis>)
    const [only] = names
    if (only === undefined || names.length > 1)
      throw new TypeError(`Name the API of the token: ${names.join(', ') || 'there is none'}`)
    return this.api(only).scope
  }
}

function named<Entry extends { readonly displayName: string }>(
  entries: readonly Entry[],
  name: string,
): Entry {
  const found = entries.find(({ displayName }) => displayName === name)
  if (found !== undefined) return found
  const names = entries.map(({ displayName }) => displayName).join(', ')
  throw new TypeError(`The registrations have no "${name}": they have ${names || 'none'}`)
}
