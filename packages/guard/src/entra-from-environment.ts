import { type EntraOptions, entra, isLoopback } from './entra.ts'
import { type GuardOptions, GuardOptionsError } from './guard-options.ts'

/** The variables of an environment, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>

type FromEnvironment =
  | 'tenantId'
  | 'apiApplicationId'
  | 'authUrl'
  | 'issuerUrl'
  | 'keySetUrl'
  | 'tokenVersions'
  | 'testKeys'

/** The variable of each option, and what it is. The greeting API has the same names. */
const variables: Readonly<Record<FromEnvironment, readonly [name: string, meaning: string]>> = {
  tenantId: ['TENANT_ID', 'the directory (tenant) ID'],
  apiApplicationId: ['API_APPLICATION_ID', "the application ID of the API's registration"],
  authUrl: ['AUTH_URL', 'the URL of the identity provider'],
  issuerUrl: ['ISSUER_URL', 'the issuer of v1.0 tokens, without the tenant'],
  keySetUrl: ['JWKS_URL', 'the URL of the key set'],
  tokenVersions: ['TOKEN_VERSIONS', 'token versions with commas between them'],
  testKeys: ['TEST_KEYS', 'refused or accepted'],
}

/** Options of `entraFromEnvironment`. An option that is given here precedes the environment. */
export type EntraFromEnvironmentOptions<Role extends string = string> = Partial<
  Pick<EntraOptions<Role>, FromEnvironment>
> &
  Omit<EntraOptions<Role>, FromEnvironment> & {
    /** The variables to read, by default of the process. An empty value is ignored. */
    readonly env?: Environment | undefined
  }

/**
 * Reads the options of a guard from environment variables: `TENANT_ID`, `API_APPLICATION_ID`, `AUTH_URL`,
 * `ISSUER_URL`, `JWKS_URL`, `TOKEN_VERSIONS` and `TEST_KEYS`. With the first two alone, the guard trusts the tenant
 * at Entra ID. `greeting start` writes them for its identity provider to `.greeting/client.env`, which `node
 * --env-file` loads. v2.0 tokens of `HTTPS_AUTH_URL` are accepted too, if both URLs are on this machine.
 *
 * @param options.roles the values of the API's app roles; every other option of `entra` is optional
 * @throws {GuardOptionsError} lists every fault, with the name of its variable
 * @example
 * const env = { TENANT_ID: tenantId, API_APPLICATION_ID: apiApplicationId }
 * const guard = createGuard(entraFromEnvironment({ roles: ['CallHiApiRole'], env }))
 */
export function entraFromEnvironment<const Role extends string>(
  options: EntraFromEnvironmentOptions<Role>,
): GuardOptions<Role> {
  // JavaScript may pass nothing.
  const { env = processEnvironment(), ...given } = options ?? {}
  const names = Object.keys(variables) as FromEnvironment[]
  const read = Object.fromEntries(
    names
      .filter((name) => given[name] === undefined && env[variables[name][0]])
      .map((name) => {
        const text = env[variables[name][0]]
        return [name, name === 'tokenVersions' ? text?.split(',') : text]
      }),
  )
  const faults = names
    .filter((name) => given[name] === undefined && `\ufeff${variables[name][0]}` in env)
    .map((name) => `${variables[name][0]}: a byte order mark (U+FEFF) is before its name`)
  try {
    const all = { ...given, ...read } as EntraOptions<Role>
    // The private parts of these keys are public, so a variable alone must not admit them anywhere.
    if (read.testKeys === 'accepted' && !isLoopback(all.authUrl ?? ''))
      faults.push('testKeys: may be accepted only if AUTH_URL is on this machine')
    const options = entra(all)
    const { HTTPS_AUTH_URL: https = '' } = env
    // A local identity provider has HTTPS too, and the v2.0 issuer is the origin of the request there.
    const isLocal =
      isLoopback(all.authUrl ?? '') && isLoopback(https) && URL.parse(https)?.origin === https
    const issuers = options.issuers.flatMap((one) =>
      isLocal && one.tokenVersion === '2.0'
        ? [one, { ...one, issuer: `${https}/${all.tenantId}/v2.0` }]
        : [one],
    )
    if (faults.length === 0) return { ...options, issuers }
  } catch (error) {
    if (!(error instanceof GuardOptionsError)) throw error
    faults.push(...error.faults)
  }
  throw new GuardOptionsError(
    faults.map((fault) => {
      const name = names.find((one) => given[one] === undefined && /^\w+/.exec(fault)?.[0] === one)
      return name === undefined ? fault : inEnvironment(name, fault, name in read)
    }),
  )
}

/** The same fault, in the words of the environment. */
function inEnvironment(option: FromEnvironment, fault: string, isSet: boolean): string {
  const [name, meaning] = variables[option]
  const message = isSet ? fault.slice(fault.indexOf(': ') + 2) : 'is not set'
  return `${name}: ${message} (an environment variable: ${meaning}; "npx --no-install greeting start" writes it to .greeting/client.env, which node --env-file loads)`
}

/** Some runtimes have no `process`. */
const processEnvironment = (): Environment => globalThis.process?.env ?? {}
