import { api, type Difference, describeDifferences, role, same, set } from './difference.ts'
import { ids, sampleApi, sampleAssignments, sampleClient, sampleState } from './sample-state.ts'

const differences: Difference[] = [
  {
    name: 'no changes, when the directory matches the file',
    expected: [],
    change: same,
  },
  {
    name: 'an API that is not registered, before the changes that need it',
    expected: [
      'createApplication   + application "Greeting API"',
      'updateApplication   + identifier URI of "Greeting API": api://{applicationId}',
      'createServicePrincipal   + service principal of "Greeting API"',
      `setAppRoles   + role CallHiApiRole of "Greeting API" (${ids.hi})`,
      `setAppRoles   + role CallHelloApiRole of "Greeting API" (${ids.hello})`,
    ],
    change: (file) => {
      set(role(file), { id: ids.hi })
      set(role(file, 1), { id: ids.hello })
      return { apis: file.apis }
    },
    state: sampleState({ api: null, apiPrincipal: null, assignments: [] }),
  },
  {
    name: 'a client that is not registered',
    expected: [
      'createApplication   + application "Job"',
      'createServicePrincipal   + service principal of "Job"',
      'setPermissions   + "Job" requests CallHiApiRole of "Greeting API"',
    ],
    change: (file) =>
      void file.clients.push({
        displayName: 'Job',
        permissions: [{ api: 'Greeting API', roles: ['CallHiApiRole'] }],
        secrets: [],
      }),
  },
  {
    name: 'a service principal that is missing',
    expected: ['createServicePrincipal   + service principal of "Greeting API"'],
    change: (file) => ({ apis: file.apis }),
    state: sampleState({ apiPrincipal: null }),
  },
  {
    name: 'an API without identifier URI',
    expected: [`updateApplication   + identifier URI of "Greeting API": api://${ids.api}`],
    change: same,
    state: sampleState({ api: { identifierUris: [] } }),
  },
  {
    name: 'no changes, when the file has no identifier URI',
    expected: [],
    change: same,
    state: sampleState({ api: { identifierUris: ['api://orders.example'] } }),
  },
  {
    name: 'an identifier URI that replaces another',
    expected: [
      `updateApplication ! + identifier URI of "Greeting API": api://${ids.api}`,
      'updateApplication ! - identifier URI of "Greeting API": api://orders.example',
    ],
    change: (file) => set(api(file), { identifierUris: ['api://{applicationId}'] }),
    state: sampleState({ api: { identifierUris: ['api://orders.example'] } }),
  },
  {
    name: 'another version of the tokens',
    expected: ['updateApplication ! ~ "Greeting API": requestedAccessTokenVersion 1 -> 2'],
    change: (file) => set(api(file), { requestedAccessTokenVersion: 2 }),
  },
  {
    name: 'no changes, for the default version of the tokens',
    expected: [],
    change: (file) => set(api(file), { requestedAccessTokenVersion: 1 }),
  },
  {
    name: 'an assignment that becomes required',
    expected: [
      'updateServicePrincipal ! ~ "Greeting API": appRoleAssignmentRequired false -> true',
    ],
    change: (file) => set(api(file), { appRoleAssignmentRequired: true }),
  },
  {
    name: 'an assignment that is no longer required',
    expected: [
      'updateServicePrincipal   ~ "Greeting API": appRoleAssignmentRequired true -> false',
    ],
    change: (file) => set(api(file), { appRoleAssignmentRequired: false }),
    state: sampleState({ apiPrincipal: { appRoleAssignmentRequired: true } }),
  },
  {
    name: 'another name of an application that was found by its ID',
    expected: ['updateApplication   ~ "Greeting API": displayName "Old name" -> "Greeting API"'],
    change: (file) => set(api(file), { applicationId: ids.api }),
    state: sampleState({ api: { displayName: 'Old name' } }),
  },
  {
    name: 'another name of an API that was found by its identifier URI',
    expected: ['updateApplication   ~ "Greeting API": displayName "Old name" -> "Greeting API"'],
    change: (file) => set(api(file), { identifierUris: [`api://${ids.api}`] }),
    state: sampleState({ api: { displayName: 'Old name' } }),
  },
  {
    name: 'a role that is added',
    expected: [`setAppRoles   + role CallByeApiRole of "Greeting API" (${ids.other})`],
    change: (file) =>
      void file.apis[0]?.appRoles.push(
        Object.assign(
          { value: 'CallByeApiRole', displayName: 'Call bye', description: 'Grants bye.' },
          { id: ids.other },
        ),
      ),
  },
  {
    name: 'another description of a role',
    expected: [
      'setAppRoles   ~ role CallHiApiRole of "Greeting API": description "Grants access to the hi endpoint." -> "Grants hi."',
    ],
    change: (file) => set(role(file), { description: 'Grants hi.' }),
  },
  {
    name: 'a role that is disabled',
    expected: ['setAppRoles ! ~ role CallHiApiRole of "Greeting API": isEnabled true -> false'],
    change: (file) => set(role(file), { isEnabled: false }),
  },
  {
    name: 'a role that users can have too',
    expected: [
      'setAppRoles   ~ role CallHiApiRole of "Greeting API": allowedMemberTypes Application -> Application+User',
    ],
    change: (file) => set(role(file), { allowedMemberTypes: ['Application', 'User'] }),
  },
  {
    name: 'a role with another value, which is disabled first',
    expected: [
      'disableAppRoles ! ~ role CallHiApiRole of "Greeting API": disabled before its change',
      'setAppRoles ! ~ role CallHiApiRole of "Greeting API": value "CallHiApiRole" -> "SayHi"',
    ],
    change: (file) => {
      set(role(file), { id: ids.hi, value: 'SayHi' })
      return { apis: file.apis }
    },
  },
  {
    name: 'a role that is removed, which is disabled first',
    expected: [
      'disableAppRoles ! ~ role CallHelloApiRole of "Greeting API": disabled before its change',
      `setAppRoles ! - role CallHelloApiRole of "Greeting API" (${ids.hello})`,
    ],
    change: (file) => ({
      apis: file.apis.map((one) => ({ ...one, appRoles: one.appRoles.slice(0, 1) })),
    }),
  },
  {
    name: 'no changes, for a role of users, which a file does not describe',
    expected: [],
    change: same,
    state: sampleState({
      api: {
        appRoles: [
          ...sampleApi.appRoles,
          {
            id: ids.other,
            value: 'Reader',
            displayName: '',
            description: '',
            isEnabled: true,
            allowedMemberTypes: ['User'],
          },
        ],
      },
    }),
  },
  {
    name: 'an application to remove, after all other changes',
    expected: [
      'grantConsent   + "Greeting client" is granted CallHelloApiRole of "Greeting API"',
      `deleteApplication ! - application "Old job" (${ids.other}), with its service principal`,
    ],
    change: (file) => ({ ...file, removed: ['Old job', 'Never was'] }),
    state: sampleState({
      assignments: sampleAssignments.slice(0, 1),
      applications: [{ ...sampleClient, id: ids.secret, appId: ids.other, displayName: 'Old job' }],
    }),
  },
]

describeDifferences('a plan for registrations and roles has', differences)
