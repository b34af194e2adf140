import { countCredentials } from '../directory/credentials.ts'
import type { DirectoryState } from '../directory/directory-state.ts'
import type { Located } from '../directory/locate.ts'
import { day } from '../directory/text.ts'
import { explain } from '../explaining/explain.ts'
import type { RoleState } from '../explaining/explanation.ts'
import type { RegistrationsFile } from '../registrations-file.ts'
import { estimateTokenBytes, tokenSizeFault, tokenSizeRemedy } from '../token-size.ts'
import type { CertificateToAdd } from './steps/change.ts'
import { fileIndex, type KnownApis } from './steps/known-apis.ts'
import { presentConsents, wantedConsents } from './steps/plan-consents.ts'

const reasons: Readonly<Record<RoleState, string>> = {
  carried: '',
  disabled: 'the role is disabled',
  not_inheritable: 'its blueprint has it, and the agent may not inherit it',
  not_granted: 'it is requested, without admin consent',
  not_requested: 'it is not requested and not granted',
}

/**
 * The effects on clients if the directory stays as it is: refused tokens and missing roles, with
 * the reason, in one sentence each.
 */
export function consequencesOfLeaving(
  file: RegistrationsFile,
  clients: readonly Located[],
  apis: KnownApis,
  state: DirectoryState,
  now: Date,
): string[] {
  const clientsByName = new Map(clients.map((client) => [client.name, client]))
  return demandsOf(file).flatMap(({ client: name, api: apiName, roles }): string[] => {
    const client = clientsByName.get(name)
    const api = apis.named(apiName)
    if (client === undefined || api === undefined) return []
    const explanation = explain(state, client, api.located, now)
    if (explanation.refusal !== undefined) {
      const { reason, aadstsCode } = explanation.refusal
      return [`"${name}" gets no token for "${apiName}": ${reason} (AADSTS${aadstsCode}).`]
    }
    return roles.flatMap((role): string[] => {
      const state = explanation.roles.find(({ value }) => value === role)?.state
      if (state === 'carried') return []
      const reason = state === undefined ? 'the API does not declare it' : reasons[state]
      return [`"${name}" gets a token for "${apiName}" without ${role}: ${reason}.`]
    })
  })
}

/** The access that clients lack after the file is applied, because the file does not grant it. */
export function consequencesOfFile(file: RegistrationsFile): string[] {
  const { consents } = file
  const index = fileIndex(file)
  return [
    ...index.callers.flatMap(({ displayName: client, kind, permissions = [] }) =>
      consents === undefined || kind === 'blueprint'
        ? []
        : permissions.flatMap(({ api, roles }) => {
            const consent = index.consentsOf(client).find((one) => one.api === api)
            const granted = consent && (consent.roles ?? roles)
            return roles
              .filter((role) => !granted?.includes(role))
              .map(
                (role) =>
                  `"${client}" gets a token for "${api}" without ${role}: the file requests it without admin consent.`,
              )
          }),
    ),
    ...file.apis.flatMap(({ displayName: api, appRoles }) =>
      appRoles
        .filter(({ isEnabled }) => !isEnabled)
        .map(({ value }) => `No new token contains ${value}: the file disables it at "${api}".`),
    ),
    ...file.blueprints.flatMap(({ displayName: blueprint, inherit = [] }) =>
      index
        .consentsOf(blueprint)
        .filter(({ api }) => !inherit.includes(api))
        .map(
          ({ api }) =>
            `No agent has the roles of "${api}" that "${blueprint}" is granted: its "inherit" does not name the API.`,
        ),
    ),
    ...index.callers
      .filter(
        ({ secrets, certificates = [], federatedCredentials = [] }) =>
          secrets?.length === 0 && certificates.length + federatedCredentials.length === 0,
      )
      .map(
        ({ displayName }) =>
          `"${displayName}" gets no token with a secret or a certificate of its application: the file removes them.`,
      ),
  ]
}

/** The credentials that the file does not describe, because it describes only the credentials of applications. */
export function consequencesOfOtherCredentials(
  file: RegistrationsFile,
  clients: readonly Located[],
): string[] {
  const index = fileIndex(file)
  return clients.flatMap(({ name, servicePrincipal }): string[] => {
    const entry = index.client(name)
    const counts = servicePrincipal && countCredentials(servicePrincipal)
    if (!counts || (!entry?.secrets && !entry?.certificates)) return []
    return [`"${name}" keeps ${counts} of its service principal, which the file does not describe.`]
  })
}

/** The tokens that servers refuse because the clients' roles make them too long. */
export function consequencesOfSize(
  file: RegistrationsFile,
  clients: readonly Located[],
  apis: KnownApis,
  state: DirectoryState,
): string[] {
  return clients.flatMap((client) => {
    const granted = file.consents
      ? wantedConsents(file, client.name, apis)
      : presentConsents(client, apis, state)
    return [...Map.groupBy(granted, ({ api }) => api)].flatMap(([api, all]): string[] => {
      const isLarge = (some: typeof all) => sizeFault(some.map(({ role }) => role.value))
      // A lookup of each role takes time. Few clients have so many.
      if (isLarge(all) === undefined) return []
      const enabled = all.filter(({ role }) => apis.named(api)?.isEnabled(role.id))
      const fault = isLarge(enabled)
      if (fault === undefined) return []
      return [
        `"${client.name}" gets a token for "${api}" with ${enabled.length} roles and about ${fault}. ${tokenSizeRemedy}`,
      ]
    })
  })
}

const sizeFault = (roles: readonly string[]) => tokenSizeFault(estimateTokenBytes(roles))

/** The certificates in the file that expire soon or have expired. */
export function consequencesOfTime(
  file: RegistrationsFile,
  certificates: ReadonlyMap<string, CertificateToAdd>,
  now: Date,
): string[] {
  return fileIndex(file).callers.flatMap(({ displayName: client, certificates: listed = [] }) =>
    listed.flatMap(({ displayName, path, warningDays }): string[] => {
      const end = certificates.get(path)?.endDateTime
      if (end === undefined || +end - +now > warningDays * dayMs) return []
      const verb = end <= now ? 'ended' : 'ends'
      return [`The certificate "${displayName}" of "${client}" ${verb} on ${day(end)}.`]
    }),
  )
}

const dayMs = 86_400_000

type Demand = { readonly client: string; readonly api: string; readonly roles: readonly string[] }

/** The roles that the file grants to a client, by default those that it requests. */
function demandsOf(file: RegistrationsFile): Demand[] {
  const { consents } = file
  const index = fileIndex(file)
  // A blueprint gets no token for an API.
  const callers = index.callers.filter(({ kind }) => kind !== 'blueprint')
  return [
    ...callers.flatMap(({ displayName: client, permissions = [] }) =>
      permissions.map(({ api, roles }): Demand => {
        const consent = index.consentsOf(client).find((one) => one.api === api)
        return { client, api, roles: consent?.roles ?? roles }
      }),
    ),
    ...(consents ?? []).flatMap(({ client, api, roles }): Demand[] => {
      const { permissions, kind } = index.client(client) ?? {}
      return permissions || !roles || kind === 'blueprint' ? [] : [{ client, api, roles }]
    }),
  ]
}
