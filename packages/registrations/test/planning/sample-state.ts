import {
  type Application,
  type AppRoleAssignment,
  application,
  type DirectoryState,
  type ServicePrincipal,
  servicePrincipal,
} from '../../src/directory/directory-state.ts'

export const tenantId = '8d6f5e30-0c3b-4f0e-9d35-7c6a4e4f1f11'
export const now = new Date('2026-03-01T12:00:00Z')

const guid = (tail: string) => `00000000-0000-4000-8000-${tail.padStart(12, '0')}`

export const ids = {
  apiObject: guid('a1'),
  api: guid('a2'),
  apiPrincipal: guid('a3'),
  hi: guid('a4'),
  hello: guid('a5'),
  clientObject: guid('c1'),
  client: guid('c2'),
  clientPrincipal: guid('c3'),
  secret: guid('c4'),
  other: guid('d1'),
}

const role = (id: string, value: string, verb: string) => ({
  id,
  value,
  displayName: `Call ${verb}`,
  description: `Grants access to the ${verb} endpoint.`,
  isEnabled: true,
  allowedMemberTypes: ['Application'],
})

export const sampleApi = application.parse({
  id: ids.apiObject,
  appId: ids.api,
  displayName: 'Greeting API',
  identifierUris: [`api://${ids.api}`],
  appRoles: [role(ids.hi, 'CallHiApiRole', 'hi'), role(ids.hello, 'CallHelloApiRole', 'hello')],
})

export const sampleClient = application.parse({
  id: ids.clientObject,
  appId: ids.client,
  displayName: 'Greeting client',
  requiredResourceAccess: [
    {
      resourceAppId: ids.api,
      resourceAccess: [
        { id: ids.hi, type: 'Role' },
        { id: ids.hello, type: 'Role' },
      ],
    },
  ],
  passwordCredentials: [
    {
      keyId: ids.secret,
      displayName: 'primary',
      hint: 'q7Y',
      startDateTime: '2026-02-01T12:00:00Z',
      endDateTime: '2026-07-31T12:00:00Z',
    },
  ],
})

export const sampleAssignments: AppRoleAssignment[] = [ids.hi, ids.hello].map((appRoleId) => ({
  id: `assignment-of-${appRoleId}`,
  principalId: ids.clientPrincipal,
  resourceId: ids.apiPrincipal,
  appRoleId,
}))

/** All applications of a directory, as if each had been confirmed. */
export const confirmedIn = ({ applications }: DirectoryState) =>
  new Set(applications.map(({ appId }) => appId))

/** The directory that matches the sample file, with some parts replaced. */
export function sampleState({
  api = {},
  client = {},
  apiPrincipal = {},
  clientPrincipal = {},
  assignments = sampleAssignments,
  applications = [],
  servicePrincipals = [],
}: {
  api?: Partial<Application> | null
  client?: Partial<Application> | null
  apiPrincipal?: Partial<ServicePrincipal> | null
  clientPrincipal?: Partial<ServicePrincipal> | null
  assignments?: readonly AppRoleAssignment[]
  applications?: readonly Application[]
  servicePrincipals?: readonly ServicePrincipal[]
} = {}): DirectoryState {
  const principal = (id: string, of: Application) =>
    servicePrincipal.parse({ id, appId: of.appId, displayName: of.displayName })
  return {
    tenantId,
    applications: [
      ...(api ? [{ ...sampleApi, ...api }] : []),
      ...(client ? [{ ...sampleClient, ...client }] : []),
      ...applications,
    ],
    servicePrincipals: [
      ...(apiPrincipal ? [{ ...principal(ids.apiPrincipal, sampleApi), ...apiPrincipal }] : []),
      ...(clientPrincipal
        ? [{ ...principal(ids.clientPrincipal, sampleClient), ...clientPrincipal }]
        : []),
      ...servicePrincipals,
    ],
    assignments,
  }
}
